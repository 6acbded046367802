package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"syscall"
	"time"

	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/stream"
)

// stopCmd is "ralph stop".
type stopCmd struct {
	unitArg
	All bool `help:"Stop all your loops, in all repositories."`
}

// stopLimit is how long a loop may take to end before "ralph stop" gives up: its
// agent's grace, a guardian that hangs, and a machine that is busy with both.
const stopLimit = 30 * time.Second

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
	p, err := target(a, c.unitArg)
	if err != nil {
		return err
	}
	if p == nil {
		return nothingTo(a, "stop", nil, c.Unit)
	}
	s, err := p.stop()
	if err != nil {
		return err
	}
	if s == nil {
		if told, err := p.settle(a); told || err != nil {
			return err
		}
		return nothingTo(a, "stop", p, c.Unit)
	}
	a.t.Printf("asked %s to stop\n", stream.OneLine(p.unit))
	return s.await(a)
}

// stopAll asks every loop that is at work to stop.
func stopAll(a *app) error {
	all, err := registered(a)
	if err != nil {
		return err
	}
	var asked []*stopping
	var failed error
	dead := 0
	for _, p := range all {
		s, err := p.stop()
		switch {
		case err == nil && s != nil:
			a.t.Printf("asked %s in %s to stop\n", stream.OneLine(p.unit), stream.OneLine(p.repo.Root))
			asked = append(asked, s)
		case err == nil:
			var told bool
			if told, err = p.settle(a); told {
				dead++
			}
		}
		if err != nil {
			a.t.Warn("%s in %s: %v", stream.OneLine(p.unit), stream.OneLine(p.repo.Root), err) // the others are to stop all the same
			failed = exitError(1)
		}
	}
	if len(asked)+dead == 0 && failed == nil {
		a.t.Printf("no loop is at work: nothing to stop\n")
	}
	for _, s := range asked {
		if err := s.await(a); err != nil {
			failed = err
		}
	}
	return failed
}

// nothingTo says that there is no loop to do something with. p is nil where no
// unit of the name is known.
func nothingTo(a *app, do string, p *place, unit string) error {
	if p != nil {
		unit = p.unit
	} else if _, err := look(a, unit); errors.Is(err, errNoUnit) {
		return err
	}
	a.t.Printf("no loop is at work on %s: nothing to %s\n", stream.OneLine(unit), do)
	all, err := registered(a)
	if err != nil {
		return err
	}
	for _, other := range all {
		if p != nil && other.unit == p.unit && other.stateDir != p.stateDir && running(other) {
			a.t.Printf("  one is at work in %s\n", stream.OneLine(other.repo.Root))
		}
	}
	return nil
}

// stopping is a loop that was asked to stop.
type stopping struct {
	place  *place
	holder proc.ID
	inbox  *journal.Inbox
	name   string // of the request
}

// stop asks the loop at work on the unit to stop; nil where there is none.
func (p *place) stop() (*stopping, error) {
	h, err := journal.ReadHolder(p.stateDir)
	if err != nil {
		return nil, err
	}
	s := &stopping{place: p, holder: proc.ID{PID: h.PID, Start: h.PIDStart}}
	if !s.holder.Alive() {
		return nil, nil //nolint:nilnil // there is nothing to stop, and nothing wrong
	}
	if s.inbox, err = journal.OpenInbox(p.stateDir); err == nil {
		s.name, err = s.inbox.Post(time.Now(), journal.Request{Kind: journal.RequestStop, PID: os.Getpid()})
	}
	if err != nil {
		return nil, fmt.Errorf("the loop of %s cannot be asked: %w", p.unit, err)
	}
	// A loop that Ctrl-Z has stopped hears nothing; one that runs does not mind.
	_ = s.holder.Signal(syscall.SIGCONT)
	return s, nil
}

// await waits until the loop has ended, and says so.
func (s *stopping) await(a *app) error {
	done := a.t.Slowly("waiting for " + stream.OneLine(s.place.unit) + " to end its agent")
	answered, err := s.wait(a.ctx)
	done()
	switch {
	case err != nil:
		return err
	case answered:
		a.t.Printf("%s has stopped\n", stream.OneLine(s.place.unit))
		_, err = s.place.settle(a) // it may have been killed before its agent was gone
	default:
		var told bool
		if told, err = s.place.settle(a); !told && err == nil {
			a.t.Printf("%s had ended by itself\n", stream.OneLine(s.place.unit))
		}
	}
	return err
}

// wait waits until the loop has ended. answered tells whether it did so because
// it was asked to.
func (s *stopping) wait(ctx context.Context) (answered bool, err error) {
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		if s.ended() {
			return s.answered()
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-limit.C:
			return false, hint.With(fmt.Errorf("the loop of %s was asked to stop, and is at work after %s (pid %d)", s.place.unit, stopLimit, s.holder.PID),
				fmt.Sprintf("if it hangs: kill -9 %d, and then 'ralph stop' again, which ends what is left", s.holder.PID))
		}
	}
}

// ended reports whether the loop is gone: its process, or its hold on the unit.
func (s *stopping) ended() bool {
	h, err := journal.ReadHolder(s.place.stateDir)
	return err == nil && h.PID != s.holder.PID || !s.holder.Alive()
}

// answered tells whether the loop that has ended took up the request: one that
// was done at that moment did not, and may be archived. A request without an
// answer is taken back.
func (s *stopping) answered() (bool, error) {
	_, err := os.Stat(s.place.stateDir)
	if err == nil && !s.inbox.Pending(s.name) {
		return true, nil
	}
	return false, s.inbox.Done(s.name)
}
