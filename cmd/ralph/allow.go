package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os/user"
	"slices"
	"strings"

	"ralph/internal/evidence"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/unit"
)

// allowCmd is "ralph allow".
type allowCmd struct {
	Story   string `arg:"" predictor:"story" help:"The story or task."`
	Finding string `arg:"" optional:"" help:"The finding to accept, as ralph why shows it, such as no_work (default: all; never a failed check)."`
	Unit    string `predictor:"unit" help:"The unit (default: this branch)." placeholder:"UNIT"`
}

// Validate refuses a finding that cannot be accepted; kong calls it.
func (c *allowCmd) Validate() error {
	if c.Finding == "" || slices.Contains(evidence.Allowable(), evidence.Rule(c.Finding)) {
		return nil
	}
	return fmt.Errorf("%q is not a finding that can be accepted; those are: %s", c.Finding,
		strings.Trim(fmt.Sprint(evidence.Allowable()), "[]"))
}

// Run carries the command out.
func (c *allowCmd) Run(a *app) error {
	p, err := unitArg{Unit: c.Unit}.place(a)
	if err == nil {
		err = onlyTheUser(p, "the agent that works on the plan cannot allow anything", "ralph allow "+c.Story)
	}
	if err == nil {
		err = c.known(a, p)
	}
	if err != nil {
		return err
	}
	q := journal.Request{Kind: journal.RequestAllow, Text: c.Story, Finding: c.Finding, Who: userName()}
	if err := p.Post(q); err != nil {
		return err
	}
	when := "the next run judges it before it calls an agent"
	if unit.Running(p) {
		when = "the loop judges it after this iteration"
	}
	a.t.Printf("%s is allowed; %s\n", stream.OneLine(c.Story), when)
	return nil
}

// known refuses a story that the plan does not have.
func (c *allowCmd) known(a *app, p *unit.Place) error {
	chosen, _, err := p.Plan(screen.Notes(a.t), nil)
	var state plan.State
	if err == nil {
		state, err = chosen.Read()
	}
	if state.Item(c.Story) != nil || err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil //nolint:nilerr // the run refuses the plan
	}
	return hint.With(fmt.Errorf("there is no story %s in the plan of %s", c.Story, unit.Name(p)),
		"see the ids with: ralph status")
}

func userName() string {
	if u, err := user.Current(); err == nil {
		return u.Username
	}
	return ""
}
