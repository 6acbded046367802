package main

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/stream"
	"ralph/internal/terminal"
)

// unitArg is the unit that a command is about.
type unitArg struct {
	Unit   string `arg:"" optional:"" predictor:"unit" help:"The unit (default: the loop of this worktree, else this branch)."`
	Change string `predictor:"change" help:"A change of Ito or OpenSpec: its id, its number or a part of it." placeholder:"ID"`
}

// changeFlag names the change whose loop is meant.
type changeFlag struct {
	Change string `predictor:"change" help:"The change (default: the loop of this worktree)." placeholder:"ID"`
}

// pauseCmd is "ralph pause".
type pauseCmd struct{ unitArg }

// Run carries the command out.
func (c *pauseCmd) Run(a *app) error {
	return ask(a, c.unitArg, journal.Request{Kind: journal.RequestPause}, "%s pauses after the iteration at work; 'ralph resume' lets it go on\n")
}

// resumeCmd is "ralph resume".
type resumeCmd struct{ unitArg }

// Run carries the command out.
func (c *resumeCmd) Run(a *app) error {
	return ask(a, c.unitArg, journal.Request{Kind: journal.RequestResume}, "%s goes on\n")
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

// Validate refuses to tell nothing; kong calls it.
func (c *contextAddCmd) Validate() error {
	if strings.TrimSpace(c.Text) == "" {
		return errors.New("there is nothing to tell the agent: the text is empty")
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
	s, err := p.state(a.t)
	if err != nil {
		return err
	}
	waiting, err := journal.Peek(p.stateDir) // the loop takes it at its next iteration
	if err != nil {
		return err
	}
	for _, m := range waiting {
		s.Apply(journal.Event{Body: m.Request})
	}
	told := s.Steer
	if c.JSON {
		return terminal.PrintJSON(a.t, steering{p.unit, append([]string{}, told...)})
	}
	for _, text := range told {
		a.t.Printf("- %s\n", stream.Sanitize(text))
	}
	if len(told) == 0 {
		a.t.Printf("%s tells its agent nothing but the plan\n", stream.OneLine(p.unit))
	}
	return nil
}

// ask leaves a request for the loop of a unit, if one is at work.
func ask(a *app, unit unitArg, q journal.Request, said string) error {
	p, err := target(a, unit)
	if err != nil {
		return err
	}
	if p == nil || !running(p) {
		return nothingTo(a, string(q.Kind), p, unit.Unit)
	}
	if err := p.post(q); err != nil {
		return err
	}
	a.t.Printf(said, stream.OneLine(p.unit))
	return nil
}

// steer leaves a text for the running loop of this worktree, or for its next one.
func steer(a *app, flag changeFlag, q journal.Request) error {
	p, err := unitArg{Change: flag.Change}.place(a)
	if err == nil && p.unit == "" {
		err = errDetached
	}
	if err != nil {
		return err
	}
	if err := p.post(q); err != nil {
		return err
	}
	when := "in its next run"
	if running(p) {
		when = "from the next iteration on"
	}
	what := "gets this text"
	if q.Kind == journal.RequestClearContext {
		what = "gets only the plan"
	}
	a.t.Printf("the agent of %s %s %s\n", stream.OneLine(p.unit), what, when)
	return nil
}

// asked says in a line what the loop was asked for.
func asked(q journal.Request) string {
	switch q.Kind {
	case journal.RequestPlan:
		return "a new plan was handed over" // whose text is the whole of spec.md
	case journal.RequestAllow:
		return strings.TrimSpace(q.Who + " allowed " + q.Text + " " + q.Finding)
	case journal.RequestContext:
		return "the agent is told: " + q.Text
	case journal.RequestClearContext:
		return "the agent is told only the plan again"
	}
	return strings.TrimSpace("asked to " + string(q.Kind) + " " + q.Text)
}

// post leaves a request for the loop at work.
func (p *place) post(q journal.Request) error {
	q.PID = os.Getpid()
	inbox, err := journal.OpenInbox(p.stateDir)
	if err == nil {
		_, err = inbox.Post(time.Now(), q)
	}
	if err != nil {
		return fmt.Errorf("the loop of %s cannot be asked: %w", p.unit, err)
	}
	if q.Kind == journal.RequestResume {
		p.wake()
	}
	return nil
}

// wake lets a loop go on that Ctrl-Z has stopped: it hears nothing. One that runs does
// not mind.
func (p *place) wake() {
	if h, err := journal.ReadHolder(p.stateDir); err == nil {
		_ = proc.ID{PID: h.PID, Start: h.PIDStart}.Signal(syscall.SIGCONT)
	}
}

// running reports whether a loop is at work on the unit, without touching its lock.
func running(p *place) bool {
	return holderAlive(p.stateDir)
}

// holderAlive reports whether the process lives that holds the lock of a directory.
func holderAlive(dir string) bool {
	h, err := journal.ReadHolder(dir)
	if err != nil {
		return false
	}
	return proc.ID{PID: h.PID, Start: h.PIDStart}.Alive()
}
