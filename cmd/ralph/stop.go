package main

import (
	"errors"
	"fmt"

	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/unit"
)

// stopCmd is "ralph stop".
type stopCmd struct {
	unitArg
	All bool `help:"Stop all your loops, in all repositories."`
}

// Validate refuses flags that would have no effect; kong calls it.
func (c *stopCmd) Validate() error {
	if c.All && c.Unit != "" {
		return fmt.Errorf("--all is every loop: leave %q out, or --all", c.Unit)
	}
	return nil
}

// Run carries the command out.
func (c *stopCmd) Run(a *app) error {
	if c.All {
		return stopAll(a)
	}
	p, err := c.unitArg.target(a)
	if err != nil {
		return err
	}
	if p == nil {
		return nothingTo(a, "stop", nil, c.Unit)
	}
	s, err := p.Stop()
	if err != nil {
		return err
	}
	if s == nil {
		if settled, err := settle(a, p); settled || err != nil {
			return err
		}
		return nothingTo(a, "stop", p, c.Unit)
	}
	a.t.Printf("asked %s to stop\n", stream.OneLine(p.Unit))
	return await(a, s)
}

// stopAll asks every running loop to stop.
func stopAll(a *app) error {
	all, err := unit.Registered(a.home)
	if err != nil {
		return err
	}
	var asked []*unit.Stopping
	var failed error
	dead := 0
	for _, p := range all {
		s, err := p.Stop()
		switch {
		case err == nil && s != nil:
			a.t.Printf("asked %s in %s to stop\n", stream.OneLine(p.Unit), stream.OneLine(p.Repo.Root))
			asked = append(asked, s)
		case err == nil:
			var settled bool
			if settled, err = settle(a, p); settled {
				dead++
			}
		}
		if err != nil {
			a.t.Warn("%s in %s: %v", stream.OneLine(p.Unit), stream.OneLine(p.Repo.Root), err) // the others are to stop all the same
			failed = exitError(1)
		}
	}
	if len(asked)+dead == 0 && failed == nil {
		a.t.Printf("no loop is running: nothing to stop\n")
	}
	for _, s := range asked {
		if err := await(a, s); err != nil {
			failed = err
		}
	}
	return failed
}

// nothingTo says that there is no loop to do something with. p is nil where no
// unit of the name is known.
func nothingTo(a *app, do string, p *unit.Place, name string) error {
	if p != nil {
		name = p.Unit
	} else if _, err := unit.Find(a.ctx, a.home, unit.Query{Unit: name}); errors.Is(err, unit.ErrNoUnit) {
		return err
	}
	a.t.Printf("no loop is running on %s: nothing to %s\n", stream.OneLine(name), do)
	all, err := unit.Registered(a.home)
	if err != nil {
		return err
	}
	for _, other := range all {
		if p != nil && other.Unit == p.Unit && other.StateDir != p.StateDir && unit.Running(other) {
			a.t.Printf("  a loop is running in %s\n", stream.OneLine(other.Repo.Root))
		}
	}
	return nil
}

// await waits until the loop has ended, and says so.
func await(a *app, s *unit.Stopping) error {
	done := a.t.ShowActivity("waiting for " + stream.OneLine(s.Place.Unit) + " to end its agent")
	answered, err := s.Wait(a.ctx)
	done()
	switch {
	case err != nil:
		return err
	case answered:
		a.t.Printf("%s has stopped\n", stream.OneLine(s.Place.Unit))
		_, err = settle(a, s.Place) // it may have been killed before its agent was gone
	default:
		var settled bool
		if settled, err = settle(a, s.Place); !settled && err == nil {
			a.t.Printf("%s had ended by itself\n", stream.OneLine(s.Place.Unit))
		}
	}
	return err
}

// settle finishes the record of a run that died, and says so. settled is false where there
// was nothing of the kind.
func settle(a *app, p *unit.Place) (settled bool, err error) {
	d, err := p.FinishDead(a.ctx, screen.Notes(a.t))
	if d == nil || err != nil {
		return false, err
	}
	screen.ShowDeath(a.t, d)
	return true, nil
}
