package main

import (
	"errors"
	"fmt"
	"os"
	"strconv"

	"ralph/internal/hint"
	"ralph/internal/logs"
	"ralph/internal/screen"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// logsCmd is "ralph logs".
type logsCmd struct {
	unitArg
	Follow    bool `short:"f" help:"Follow the output through all iterations, until the run ends." xor:"which"`
	Lines     *int `short:"n" help:"Show only the last N lines." placeholder:"N"`
	Iteration int  `predictor:"iteration" help:"Iteration of the last run (default: the last one)." placeholder:"N" xor:"which"`
	Raw       bool `help:"Print the agent's output byte for byte."`
}

// Validate implements kong's check of a command's values.
func (c *logsCmd) Validate() error {
	if c.Lines != nil && *c.Lines < 0 {
		return errors.New("--lines: it is less than 0")
	}
	if c.Iteration < 0 {
		return errors.New("--iteration: it is less than 1")
	}
	return nil
}

// Run carries the command out.
func (c *logsCmd) Run(a *app) error {
	p, err := c.place(a)
	if n, bad := strconv.Atoi(c.Unit); bad == nil && errors.Is(err, unit.ErrNoUnit) {
		return hint.With(err, fmt.Sprintf("for an iteration of the last run: ralph logs --iteration %d", n))
	}
	if err != nil {
		return err
	}
	r, err := p.Record()
	if err != nil {
		return err
	}
	if c.Follow && r == nil && unit.Running(p) {
		r = p.OwnRecord() // its journal is not there yet
	}
	if r == nil {
		return nothingYet(a.t, p, false)
	}
	o := logs.Options{Lines: c.Lines, Raw: c.Raw, Format: a.formats(p.Repo.Root)}
	if c.Follow {
		return terminal.IgnoreClosedReader(logs.Follow(a.ctx, a.t, p, r, o))
	}
	at, err := p.Attempt(screen.Notes(a.t), r, c.Iteration)
	if err != nil {
		return err
	}
	if at == nil {
		a.t.Printf("the last run of %s has not called an agent\n", unit.Name(p))
		return nil
	}
	log, err := os.Open(r.Log(at.LogFile))
	if err != nil {
		return fmt.Errorf("the log of iteration %d cannot be read: %w", at.N, err)
	}
	defer log.Close()
	return terminal.IgnoreClosedReader(logs.Show(a.t, log, at.Harness, o))
}
