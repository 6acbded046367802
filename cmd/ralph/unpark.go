package main

import (
	"fmt"
	"slices"
	"strings"

	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/unit"
)

// unparkCmd is "ralph unpark".
type unparkCmd struct {
	Story string `arg:"" predictor:"story" help:"The story or task."`
	Unit  string `predictor:"unit" help:"The unit (default: this branch)." placeholder:"UNIT"`
}

// Run carries the command out.
func (c *unparkCmd) Run(a *app) error {
	p, err := unitArg{Unit: c.Unit}.place(a)
	if err == nil {
		err = onlyTheUser(p, "the agent that works on the plan cannot take up a parked story", "ralph unpark "+c.Story)
	}
	if err != nil {
		return err
	}
	st, err := p.State(screen.Notes(a.t))
	if err != nil {
		return err
	}
	parked, err := find(st.Parking.Parked, c.Story)
	if err != nil {
		return err
	}
	q := journal.Request{Kind: journal.RequestUnpark, Text: c.Story, Who: userName()}
	when := "the next run takes it up"
	if unit.Running(p) {
		when = "the loop takes it up when its turn comes"
		err = p.Post(q)
	} else {
		err = c.record(a, p, q)
	}
	if err != nil {
		return err
	}
	a.t.Printf("%s is open again; %s\n", stream.OneLine(c.Story), when)
	a.t.Printf("  %s see the work on it so far: git diff HEAD...%s\n", a.t.Symbol("→"), parked.Ref)
	return nil
}

// find returns the parked story with that id.
func find(parked []journal.StoryParked, id string) (*journal.StoryParked, error) {
	var ids []string
	for _, b := range slices.Backward(parked) {
		switch {
		case b.Story == id:
			return &b, nil
		case slices.Contains(b.With, id):
			return nil, hint.With(fmt.Errorf("%s waits for %s, which is parked", stream.OneLine(id), stream.OneLine(b.Story)),
				"take that up again: ralph unpark "+stream.ShellWord(b.Story))
		}
		ids = append(ids, b.Story)
	}
	if len(ids) == 0 {
		return nil, fmt.Errorf("%s is not parked: no story is", stream.OneLine(id))
	}
	return nil, hint.With(fmt.Errorf("%s is not parked", stream.OneLine(id)), "these are: "+stream.OneLine(strings.Join(ids, ", ")))
}

// record records the request while no loop is running.
func (c *unparkCmd) record(a *app, p *unit.Place, q journal.Request) error {
	if err := recoverFirst(a, p); err != nil {
		return err
	}
	s, err := unit.LockState(a.ctx, screen.Notes(a.t), p)
	if err != nil {
		return err
	}
	defer s.Close()
	if err := s.Record(p, q); err != nil {
		return err
	}
	unit.NewFiles(screen.Notes(a.t), p).Renew()
	return nil
}
