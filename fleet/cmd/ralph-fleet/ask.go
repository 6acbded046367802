package main

import (
	"context"
	"errors"
	"fmt"
	"time"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/feature"
)

// featuresArg names features, or all that are not finished.
type featuresArg struct {
	Features []string `arg:"" optional:"" name:"feature" help:"The features: their ids, as 'list' shows them, or their branches."`
	All      bool     `help:"All that are not finished."`
}

// Validate refuses what makes no sense; kong calls it.
func (c *featuresArg) Validate() error {
	if c.All == (len(c.Features) > 0) {
		return errors.New("name the features, or all of them with --all")
	}
	return nil
}

// find returns the features that are meant and not finished.
func (c *featuresArg) find(a *app, e engine.Engine) ([]engine.View, error) {
	if c.All {
		views, err := e.List(a.ctx, true)
		if err == nil && len(views) == 0 {
			a.printf("no feature is open\n")
		}
		return views, err
	}
	var views []engine.View
	for _, name := range c.Features {
		v, err := e.Find(a.ctx, name)
		if err != nil {
			return nil, err
		}
		if !v.Open() {
			a.printf("%s is finished already: %s\n", v.ID, v.State)
			continue
		}
		views = append(views, v)
	}
	return views, nil
}

// signal sends a signal to all the named features, and prints the result of each.
func (c *featuresArg) signal(a *app, signal string, said func(state string) string) error {
	e, closeEngine, err := a.connect()
	if err != nil {
		return err
	}
	defer closeEngine()
	views, err := c.find(a, e)
	if err != nil {
		return err
	}
	for _, v := range views {
		if err := e.Signal(a.ctx, v, signal); err != nil {
			return err
		}
		a.printf("%s %s\n", v.ID, said(v.State))
	}
	return nil
}

// pauseCmd is "ralph-fleet pause".
type pauseCmd struct{ featuresArg }

// Run carries the command out.
func (c *pauseCmd) Run(a *app) error {
	return c.signal(a, feature.SignalPause, func(state string) string {
		switch state {
		case "paused":
			return "is paused already"
		case "running":
			return "pauses after this iteration; to continue, run: ralph-fleet resume"
		case "stopping":
			return "was asked to pause or to stop already"
		}
		return "is paused before its next turn; to continue, run: ralph-fleet resume"
	})
}

// resumeCmd is "ralph-fleet resume".
type resumeCmd struct{ featuresArg }

// Run carries the command out.
func (c *resumeCmd) Run(a *app) error {
	return c.signal(a, feature.SignalResume, func(state string) string {
		switch state {
		case "paused", "waiting":
			return "continues"
		case "stopping":
			return "continues when its host has handed it back, unless it was asked to stop"
		}
		return "continues: it is " + state
	})
}

// stopCmd is "ralph-fleet stop".
type stopCmd struct {
	featuresArg
	Timeout time.Duration `help:"How long to wait for the ends." default:"2m" placeholder:"D"`
}

// Run carries the command out.
func (c *stopCmd) Run(a *app) error {
	e, closeEngine, err := a.connect()
	if err != nil {
		return err
	}
	defer closeEngine()
	views, err := c.find(a, e)
	if err != nil {
		return err
	}
	for _, v := range views {
		if err := e.Signal(a.ctx, v, feature.SignalStop); err != nil {
			return err
		}
	}
	ctx, cancel := context.WithTimeout(a.ctx, c.Timeout)
	defer cancel()
	for _, v := range views {
		s, err := e.Await(ctx, v)
		switch {
		case a.ctx.Err() != nil:
			return a.ctx.Err()
		case errors.Is(err, engine.ErrBroken):
			return err
		case err != nil:
			return fmt.Errorf("%s was asked to stop, and has not ended after %s; 'ralph-fleet status %s' shows why; without a worker nothing ends", v.ID, c.Timeout, v.ID)
		}
		a.printf("%s: %s\n", v.ID, s.Message)
	}
	return nil
}
