package main

import (
	"errors"
	"fmt"
	"io"
	"os"

	"ralph/internal/agent"
	"ralph/internal/config"
	"ralph/internal/journal"
	"ralph/internal/screen"
	"ralph/internal/stream"
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
	if c.Follow {
		return c.follow(a, p, r)
	}
	at, err := p.Attempt(screen.Notes(a.t), r, c.Iteration)
	if err != nil {
		return err
	}
	if at == nil {
		a.t.Printf("the last run of %s has not called an agent\n", unit.Name(p))
		return nil
	}
	return c.show(a, p, r, at)
}

// show prints the log of an attempt that is over, or what there is of it.
func (c *logsCmd) show(a *app, p *unit.Place, r *unit.Record, at *journal.AttemptStarted) error {
	log, err := os.Open(r.Log(at.LogFile))
	if err != nil {
		return fmt.Errorf("the log of iteration %d cannot be read: %w", at.N, err)
	}
	defer log.Close()
	if c.Raw {
		if err := seekLines(log, c.Lines); err != nil {
			return fmt.Errorf("the log of iteration %d cannot be read: %w", at.N, err)
		}
		_, err := io.Copy(a.t.Out, log)
		return terminal.Enough(err)
	}
	out := newTail(a.t.Out, c.Lines)
	if err := render(a.t, out, log, formatOf(a, p.Repo.Root, at.Harness)); err != nil {
		return terminal.Enough(err)
	}
	return terminal.Enough(out.release())
}

// render shows a log as the screen showed it.
func render(t *terminal.Terminal, w io.Writer, log io.Reader, format stream.Format) error {
	p := stream.NewPrinter(w, stream.PrinterOptions{Color: t.Color, ASCII: t.ASCII, Width: t.Width(), Verbose: true})
	r := stream.NewReader(format, p.Event)
	if _, err := io.Copy(r, log); err != nil {
		return err
	}
	r.Close()
	return p.Flush()
}

// formatOf is how a harness writes its output, by the settings of the worktree.
// Settings that cannot be read are the business of commands that act on them.
func formatOf(a *app, root, harness string) stream.Format {
	known := agent.Builtin("ralph")
	if loaded, err := config.Load(settingsInput(a, root, nil)); err == nil {
		known = withSettings(known, &loaded.Settings)
	}
	if h, ok := agent.Find(known, harness); ok {
		return h.Output
	}
	return stream.FormatText
}
