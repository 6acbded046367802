package main

import (
	"context"
	"errors"
	"fmt"

	"ralph/internal/background"
	"ralph/internal/handover"
	"ralph/internal/hint"
	"ralph/internal/registry"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// startCmd is "ralph start".
type startCmd struct {
	Task string `arg:"" optional:"" name:"task" help:"The task in words: in addition to the plan, or in place of one."`
	loopFlags
	Terminal   string `help:"Where the loop runs: tmux, window, none (output to a log) or auto (tmux if installed, else none)." type:"choice" enum:",auto,tmux,window,none" default:"" placeholder:"WHERE"`
	Fullscreen bool   `help:"Open a window that fills the screen."`
	JSON       bool   `help:"Print JSON."`
}

// Validate refuses what cannot go together; kong calls it.
func (c *startCmd) Validate() error {
	if c.Fullscreen && c.Terminal != "" && c.Terminal != "window" {
		return fmt.Errorf("--fullscreen is for a window, --terminal says %s: choose one of them", c.Terminal)
	}
	return c.loopFlags.Validate()
}

// Run carries the command out: first in the caller's terminal, then, handed over, as the
// loop itself.
func (c *startCmd) Run(a *app) error {
	run := &runCmd{Text: c.Task, runFlags: runFlags{loopFlags: c.loopFlags, JSON: c.JSON && !a.handedOver}}
	if c.Status {
		return run.status(a)
	}
	p, err := run.where(a)
	if err != nil {
		return err
	}
	if err := p.RefuseUnitAsTask(a.home, c.Task); err != nil {
		return err
	}
	if !a.handedOver && !c.DryRun {
		if err := p.Busy(); err != nil {
			return err
		}
	}
	if !c.DryRun { // which looks, and changes nothing
		if err := recoverFirst(a, p); err != nil {
			return err
		}
	}
	args := a.args
	if c.needsForm(a, p) {
		if args, err = c.fill(a, p); err != nil {
			return err
		}
	}
	run.Text, run.loopFlags = c.Task, c.loopFlags // as the form has them
	r, err := run.resolveAt(a, p)
	if err != nil {
		return err
	}
	if err := r.preflightUnlessSkipped(); err != nil {
		return err
	}
	if c.DryRun {
		return r.dryRun()
	}
	if err := r.ScriptFault(r.Agent().Harness); err != nil { // where preflight was skipped
		return err
	}
	if a.handedOver {
		return r.start()
	}
	return c.background(r, r.answered(args))
}

// background starts the loop in another process and returns when it is running.
func (c *startCmd) background(r *resolved, args []string) error {
	if r.Place.Unit == "" {
		return unit.ErrDetached
	}
	_, _ = registry.Clear(r.app.home) // removes loops with a missing worktree; the list does not show them anyway
	done := r.app.t.ShowActivity("waiting for a place to run in")
	b, err := r.starter().In(r.app.ctx, c.whereTo(r), c.Fullscreen || r.Settings().Start.Fullscreen, args)
	done()
	if err != nil {
		return err
	}
	defer b.Close()
	done = r.app.t.ShowActivity("waiting for the start of the loop")
	run, report, err := untilUp(r.app.ctx, b, r.Place)
	done()
	switch {
	case err != nil:
		return err
	case report != nil:
		return endedAtOnce(r, b, *report, c.JSON)
	case c.JSON:
		return printStarted(r, b, run)
	}
	showStarted(r, b)
	return nil
}

// whereTo is the kind of terminal that was asked for, by the flags or else by
// the settings.
func (c *startCmd) whereTo(r *resolved) string {
	switch {
	case c.Terminal != "":
		return c.Terminal
	case c.Fullscreen, r.Settings().Start.Fullscreen && r.Settings().Start.Terminal == background.Auto:
		return background.Window
	}
	return r.Settings().Start.Terminal
}

// starter starts the run in another process.
func (r *resolved) starter() background.Starter {
	return background.Starter{Word: handoverWord, Unit: r.Place.Unit, StateDir: r.Place.StateDir, Root: r.Place.Repo.Root,
		Log: r.Place.StartLog(), Color: r.app.colorMode, Warn: r.app.t.Warn}
}

// untilUp waits until the loop's run is in the journal, and returns the run, or
// until the loop has ended.
func untilUp(ctx context.Context, l *background.Loop, p *unit.Place) (string, *handover.CommandResult, error) {
	run, report, err := background.UntilUp(ctx, l.Sender, p.JournalPath(), l.Began)
	if errors.Is(err, handover.ErrLost) {
		err = hint.With(fmt.Errorf("the loop of %s died before it had started", stream.OneLine(p.Unit)), l.Output())
	}
	return run, report, err
}

// endedAtOnce reports a loop that has ended before it was seen running, and returns its
// exit status.
func endedAtOnce(r *resolved, l *background.Loop, report handover.CommandResult, asJSON bool) error {
	t := r.app.t
	last, ran := r.Place.EndedSince(l.Began)
	switch {
	case report.Message != "":
		t.Fail(errors.New(report.Message))
		t.Hint(report.Hint)
	case asJSON && ran:
		if err := printStarted(r, l, last.Run); err != nil {
			return err
		}
	case !r.printEnd(l.Began):
		t.Fail(fmt.Errorf("the loop of %s ended with exit status %d before it had started", r.Place.Unit, report.Exit))
		t.Hint(l.Output())
	}
	if report.Exit != 0 {
		return exitError(report.Exit)
	}
	return nil
}

// showStarted prints what was started, and the commands for it.
func showStarted(r *resolved, l *background.Loop) {
	t, unit := r.app.t, stream.ShellWord(r.Place.Unit)
	where := map[string]string{background.Tmux: "in tmux", background.Window: "in a window of its own", background.None: "without a terminal"}[l.Terminal]
	t.Printf("%s %s is running %s (pid %d)\n", t.Mark("✓"), t.Paint(terminal.Bold, stream.OneLine(r.Place.Unit)), where, l.PID())
	row := func(name, what string) {
		if what != "" {
			t.Printf("  %-8s %s\n", name, stream.OneLine(what))
		}
	}
	row("watch:", "ralph monitor "+unit)
	row("", l.Attach())
	row("read:", "ralph logs -f "+unit)
	row("stop:", "ralph stop "+unit)
	row("output:", l.Log)
}

// started is what --json prints. A key is null where there is no such thing.
type started struct {
	Unit     string  `json:"unit"`
	Worktree string  `json:"worktree"`
	Run      string  `json:"run"`
	PID      int     `json:"pid"`
	Terminal string  `json:"terminal"` // tmux, window or none
	Attach   *string `json:"attach"`   // the command that shows its tmux session
	Log      *string `json:"log"`      // where its output goes without a terminal
}

func printStarted(r *resolved, l *background.Loop, run string) error {
	known := func(s string) *string {
		if s == "" {
			return nil
		}
		return &s
	}
	return terminal.PrintJSON(r.app.t, started{r.Place.Unit, r.Place.Repo.Root, run, l.PID(), l.Terminal, known(l.Attach()), known(l.Log)})
}
