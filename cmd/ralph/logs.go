package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/stream"
)

// logsCmd is "ralph logs".
type logsCmd struct {
	unitArg
	Number int  `short:"n" help:"The iteration (default: the last one of the last run)." placeholder:"N"`
	Raw    bool `help:"Print what the agent printed, byte for byte."`
}

// Run carries the command out.
func (c *logsCmd) Run(a *app) error {
	p, err := here(a.ctx, c.Unit)
	if err != nil {
		return err
	}
	events, err := p.events(a.t)
	if err != nil {
		return err
	}
	var last *journal.AttemptStarted
	for _, e := range events {
		switch b := e.Body.(type) {
		case journal.RunStarted:
			last = nil // the logs of the runs before lie elsewhere
		case journal.AttemptStarted:
			if c.Number == 0 || b.N == c.Number {
				last = &b
			}
		}
	}
	if last == nil {
		if c.Number > 0 {
			return &hintError{fmt.Errorf("the last run of %s has no iteration %d", nameOf(p), c.Number), "see: ralph history"}
		}
		return nothingYet(a.t, p, false)
	}
	log, err := p.openLog(last.LogFile)
	if err != nil {
		return fmt.Errorf("the log of iteration %d cannot be read: %w", last.N, err)
	}
	defer log.Close()
	if c.Raw {
		_, err = io.Copy(a.t.out, log)
		return err
	}
	return render(a.t, log, last.Harness)
}

// openLog opens an iteration's log, in the worktree or in the archive.
func (p *place) openLog(logFile string) (*os.File, error) {
	f, err := os.Open(filepath.Join(p.repo.Root, logFile))
	if !errors.Is(err, os.ErrNotExist) {
		return f, err
	}
	path, err := p.findJournal()
	if err != nil {
		return nil, err
	}
	return os.Open(filepath.Join(filepath.Dir(path), "logs", filepath.Base(logFile)))
}

// render shows a log as the screen showed it.
func render(t *terminal, log io.Reader, harness string) error {
	format := stream.FormatText
	if h, ok := agent.Find(agent.Builtin("ralph"), harness); ok {
		format = h.Output
	}
	p := stream.NewPrinter(t.out, stream.PrinterOptions{Color: t.color, ASCII: t.ascii, Width: t.width(), Verbose: true})
	r := stream.NewReader(format, p.Event)
	if _, err := io.Copy(r, log); err != nil {
		return err
	}
	r.Close()
	return p.Flush()
}
