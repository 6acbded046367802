package main

import (
	"fmt"
	"strconv"
	"strings"

	"ralph/internal/account"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/report"
	"ralph/internal/screen"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// whyCmd is "ralph why".
type whyCmd struct {
	Args []string `arg:"" optional:"" name:"n-unit" predictor:"iteration+unit" help:"Iteration (default: the whole run), and the unit (default: the loop of this worktree, else this branch)."`
	changeFlag
	InRun string            `name:"run" help:"Id of the run (default: the last one)." placeholder:"RUN"`
	With  map[string]string `help:"Show which decision of the run would have been different with this setting." placeholder:"KEY=VALUE"`
	JSON  bool              `help:"Print JSON."`
}

// split takes the arguments apart: an iteration is a number and comes first. The
// number is 0 for the run as a whole.
func (c *whyCmd) split() (n int, unit string, err error) {
	args := c.Args
	if len(args) > 0 {
		if number, err := strconv.Atoi(args[0]); err == nil {
			if number < 1 {
				return 0, "", fmt.Errorf("there is no iteration %d: the first one is 1", number)
			}
			n, args = number, args[1:]
		}
	}
	switch len(args) {
	case 0:
		return n, "", nil
	case 1:
		return n, args[0], nil
	}
	return 0, "", fmt.Errorf("one iteration and one unit are enough: %q is more", args[1])
}

// Validate implements kong's check of a command's values.
func (c *whyCmd) Validate() error {
	if c.InRun != "" && !journal.IsRunID(c.InRun) {
		return fmt.Errorf("--run: %q is not a run; runs are named after their start, like 20261121-140203", c.InRun)
	}
	_, _, err := c.split()
	return err
}

// Run carries the command out.
func (c *whyCmd) Run(a *app) error {
	n, name, err := c.split()
	if err != nil {
		return err
	}
	p, err := unitArg{name, c.Change}.place(a)
	if err != nil {
		return err
	}
	acc, err := account.Read(screen.Notes(a.t), p, c.InRun)
	if err != nil {
		return err
	}
	if acc == nil {
		return nothingYet(a.t, p, c.JSON)
	}
	if len(c.With) > 0 {
		return c.with(a.t, acc)
	}
	if n == 0 {
		return c.whole(a.t, acc)
	}
	it := acc.Run.Iteration(n)
	if it == nil {
		return hint.With(fmt.Errorf("the run %s of %s has no iteration %d", acc.Run.ID, unit.Name(p), n), "see: ralph history")
	}
	return c.iteration(a.t, acc, it)
}

// whyJSON is what `why --json` prints.
type whyJSON struct {
	Unit      string            `json:"unit"`
	Run       string            `json:"run"`
	Iteration int               `json:"iteration"` // 0 for the run as a whole
	Decisions []report.Decision `json:"decisions"`
}

// iteration explains the decisions of one iteration.
func (c *whyCmd) iteration(t *terminal.Terminal, acc *account.Account, it *report.Iteration) error {
	decisions := acc.Run.Decisions(it)
	if c.JSON {
		return terminal.PrintJSON(t, whyJSON{acc.Unit, acc.Run.ID, it.N, decisions})
	}
	return terminal.Buffered(t, func(t *terminal.Terminal) error {
		head := fmt.Sprintf("iteration %d of run %s", it.N, acc.Run.ID)
		if it.Story != nil {
			head += ", on " + it.Story.Name()
		}
		t.Printf("%s  %s\n", t.Paint(terminal.Bold, acc.Unit), t.Paint(terminal.Dim, head))
		screen.ShowDecisions(t, decisions)
		if it.LogFile != "" {
			t.Printf("\n%s\n", t.Paint(terminal.Dim, "what the agent did: "+acc.Record.Log(it.LogFile)))
		}
		return nil
	})
}

// whole explains the end of the run.
func (c *whyCmd) whole(t *terminal.Terminal, acc *account.Account) error {
	run := acc.Run
	before := run.Decisions(&run.Before)
	if c.JSON {
		decisions := before
		for i := range run.Iterations {
			decisions = append(decisions, run.Decisions(&run.Iterations[i])...)
		}
		if len(run.Iterations) == 0 {
			decisions = append(decisions, run.End())
		}
		return terminal.PrintJSON(t, whyJSON{acc.Unit, run.ID, 0, decisions})
	}
	return terminal.Buffered(t, func(t *terminal.Terminal) error {
		t.Printf("%s  %s\n", t.Paint(terminal.Bold, acc.Unit), t.Paint(terminal.Dim, strings.TrimSpace("run "+run.ID+" "+archived(acc.Record))))
		screen.ShowDecisions(t, []report.Decision{run.End()})
		if len(before) > 0 {
			t.Printf("\n%s\n", t.Paint(terminal.Bold, "Before the first iteration"))
			screen.ShowDecisions(t, before)
		}
		screen.ShowStories(t, acc, len(run.Stories))
		screen.ShowIterations(t, run, false)
		if len(run.Iterations) > 0 {
			t.Printf("\n%s\n", t.Paint(terminal.Dim, "the evidence of one iteration: ralph why N"))
		}
		return nil
	})
}

func archived(r *unit.Record) string {
	if r.Archive == "" {
		return ""
	}
	return "(archived as " + r.Archive + ")"
}
