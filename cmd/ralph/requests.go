package main

import (
	"errors"
	"strings"

	"ralph/internal/journal"
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// unitArg is the unit that a command is about.
type unitArg struct {
	Unit   string `arg:"" optional:"" predictor:"unit" help:"The unit (default: the loop of this worktree, else this branch)."`
	Change string `predictor:"change" help:"A change of Ito or OpenSpec: its id, its number or a part of it." placeholder:"ID"`
}

// changeFlag selects the loop of a change.
type changeFlag struct {
	Change string `predictor:"change" help:"The change (default: the loop of this worktree)." placeholder:"ID"`
}

// pauseCmd is "ralph pause".
type pauseCmd struct{ unitArg }

// Run carries the command out.
func (c *pauseCmd) Run(a *app) error {
	return ask(a, c.unitArg, journal.Request{Kind: journal.RequestPause}, "%s pauses after the current iteration; continue with 'ralph resume'\n")
}

// resumeCmd is "ralph resume".
type resumeCmd struct{ unitArg }

// Run carries the command out.
func (c *resumeCmd) Run(a *app) error {
	return ask(a, c.unitArg, journal.Request{Kind: journal.RequestResume}, "%s resumes\n")
}

// contextCmd is "ralph context".
type contextCmd struct {
	Add   contextAddCmd   `cmd:"" help:"Add a text to the prompts from the next iteration on."`
	Show  contextShowCmd  `cmd:"" help:"Show the texts that were added."`
	Clear contextClearCmd `cmd:"" help:"Remove the texts that were added."`
}

type contextAddCmd struct {
	Text string `arg:"" help:"The text."`
	changeFlag
}

// Validate refuses an empty text; kong calls it.
func (c *contextAddCmd) Validate() error {
	if strings.TrimSpace(c.Text) == "" {
		return errors.New("the text for the agent is empty")
	}
	return nil
}

// Run carries the command out.
func (c *contextAddCmd) Run(a *app) error {
	return steer(a, c.changeFlag, journal.Request{Kind: journal.RequestContext, Text: c.Text})
}

type contextClearCmd struct{ changeFlag }

// Run carries the command out.
func (c *contextClearCmd) Run(a *app) error {
	return steer(a, c.changeFlag, journal.Request{Kind: journal.RequestClearContext})
}

type contextShowCmd struct {
	changeFlag
	JSON bool `help:"Print JSON."`
}

// steering is what "ralph context show --json" prints.
type steering struct {
	Unit    string   `json:"unit"`
	Context []string `json:"context"` // in the order in which it was added
}

// Run carries the command out.
func (c *contextShowCmd) Run(a *app) error {
	p, err := unitArg{Change: c.Change}.place(a)
	if err != nil {
		return err
	}
	s, err := p.State(screen.Notes(a.t))
	if err != nil {
		return err
	}
	waiting, err := journal.Peek(p.StateDir) // the loop takes it at its next iteration
	if err != nil {
		return err
	}
	for _, m := range waiting {
		s.Apply(journal.Event{Body: m.Request})
	}
	texts := s.Steer
	if c.JSON {
		return terminal.PrintJSON(a.t, steering{p.Unit, append([]string{}, texts...)})
	}
	for _, text := range texts {
		a.t.Printf("- %s\n", stream.Sanitize(text))
	}
	if len(texts) == 0 {
		a.t.Printf("%s has no added context\n", stream.OneLine(p.Unit))
	}
	return nil
}

// ask leaves a request for the loop of a unit, if one is running.
func ask(a *app, u unitArg, q journal.Request, said string) error {
	p, err := u.target(a)
	if err != nil {
		return err
	}
	if p == nil || !unit.Running(p) {
		return nothingTo(a, string(q.Kind), p, u.Unit)
	}
	if err := p.Post(q); err != nil {
		return err
	}
	a.t.Printf(said, stream.OneLine(p.Unit))
	return nil
}

// steer leaves a text for the running loop of this worktree, or for its next one.
func steer(a *app, flag changeFlag, q journal.Request) error {
	p, err := unitArg{Change: flag.Change}.place(a)
	if err != nil {
		return err
	}
	if err := p.Post(q); err != nil {
		return err
	}
	when := "in its next run"
	if unit.Running(p) {
		when = "from the next iteration on"
	}
	what := "gets this text"
	if q.Kind == journal.RequestClearContext {
		what = "gets only the plan"
	}
	a.t.Printf("the agent of %s %s %s\n", stream.OneLine(p.Unit), what, when)
	return nil
}
