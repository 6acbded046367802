package main

import (
	"errors"
	"fmt"
	"strings"
	"time"

	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/undo"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// undoCmd is "ralph undo".
type undoCmd struct {
	Iteration *int   `arg:"" optional:"" help:"Go back to the state before this iteration (default: the last one)."`
	RunID     string `name:"run" help:"The run of the iteration (default: the last one)." placeholder:"ID"`
	DryRun    bool   `help:"Show what would change, and change nothing."`
	Yes       bool   `short:"y" help:"Do not ask."`
}

// shownPaths bounds how many files are listed.
const shownPaths = 20

// Validate refuses an iteration that cannot be; kong calls it.
func (c *undoCmd) Validate() error {
	if c.Iteration != nil && *c.Iteration < 1 {
		return fmt.Errorf("there is no iteration %d: the first one is 1", *c.Iteration)
	}
	return nil
}

// Run carries the command out.
func (c *undoCmd) Run(a *app) error {
	p, err := unit.Find(a.ctx, a.home, unit.Query{Here: true})
	if err == nil {
		err = onlyTheUser(p, "the agent that works on the plan cannot undo anything", "ralph undo")
	}
	switch {
	case err != nil:
		return err
	case unit.Running(p):
		return hint.With(fmt.Errorf("a loop is running on %s", stream.OneLine(p.Unit)), "stop it first: ralph stop")
	case p.Repo.InProgress() != "":
		return fmt.Errorf("a %s is in progress: end it first", p.Repo.InProgress())
	}
	if !c.DryRun {
		if err := recoverFirst(a, p); err != nil {
			return err
		}
	}
	if r, err := p.Record(); err != nil || r == nil || r.Archive != "" {
		return c.nothing(p, r, err)
	}
	s, err := unit.LockState(a.ctx, screen.Notes(a.t), p)
	if err != nil {
		return err
	}
	defer s.Close()
	return c.goBack(a, p, s)
}

// nothing says why there is nothing to go back to.
func (c *undoCmd) nothing(p *unit.Place, r *unit.Record, err error) error {
	switch {
	case err != nil:
		return err
	case r != nil:
		return hint.With(fmt.Errorf("%s is done and archived", stream.OneLine(p.Unit)), "bring it back first: ralph archive --restore "+stream.ShellWord(r.Archive))
	}
	return fmt.Errorf("%s has not run here: there is nothing to undo", stream.OneLine(p.Unit))
}

// goBack shows what would change, asks, and restores the state. It first keeps the present
// state, then records the undo, then changes the worktree: after a crash in between the
// user can repeat it.
func (c *undoCmd) goBack(a *app, p *unit.Place, s *unit.State) error {
	events, _, err := journal.ReadFile(p.JournalPath())
	if err != nil {
		return err
	}
	states := p.States()
	n := 0 // the last one
	if c.Iteration != nil {
		n = *c.Iteration
	}
	to, err := undo.Find(a.ctx, events, states, c.RunID, n)
	var none *undo.NotKeptError
	if errors.As(err, &none) {
		return hint.With(err, none.Hint)
	}
	if err != nil {
		return err
	}
	head, err := p.Repo.Head(a.ctx)
	if err != nil {
		return err
	}
	if to.Branch != "" && head.Branch != to.Branch {
		return hint.With(fmt.Errorf("the run %s worked on the branch %s, and this is %s", to.Run, to.Branch, head.Branch), "git switch "+stream.ShellWord(to.Branch))
	}
	name := undo.LeftAt(time.Now())
	ref := states.Iteration(name, 1)
	now, err := states.Save(a.ctx, ref, "left by ralph undo", time.Now(), git.Saved{}, plan.SnapshotFiles(p.StateDir)...)
	if err != nil {
		return err
	}
	drop := func(err error) error {
		return errors.Join(err, p.Repo.DeleteRefs(a.ctx, git.Ref{Name: ref, Commit: now.Commit}))
	}
	reopened := to.Reopened(events)
	some, err := c.show(a, p, to, head.Branch, now, reopened)
	switch {
	case err != nil:
		return drop(err)
	case !some:
		a.t.Printf("nothing to undo: the worktree is in this state\n")
		if n == 0 && to.N > 1 {
			a.t.Printf("  %s to go further back: ralph undo %d\n", a.t.Symbol("→"), to.N-1)
		}
		return drop(nil)
	case c.DryRun:
		return drop(nil)
	}
	if err := a.confirm(c.Yes, "Restore this state?", "nothing was changed", "do it with: ralph undo --yes"); err != nil {
		return drop(err)
	}
	if err := s.Record(p, to.Event(ref)); err != nil {
		return drop(err)
	}
	back := "ralph undo --run " + name
	if err := states.Restore(a.ctx, head.Branch, now, now, to.State); err != nil {
		return hint.With(fmt.Errorf("not all of it could be restored: %w", err),
			"nothing is lost: call 'ralph undo' again, or go back with: "+back)
	}
	f := unit.NewFiles(screen.Notes(a.t), p)
	f.Renew()
	a.t.Printf("restored; to undo this: %s\n", back)
	return nil
}

// show prints what would change, and reports whether anything would.
func (c *undoCmd) show(a *app, p *unit.Place, to undo.Target, branch string, now git.Saved, reopened []string) (bool, error) {
	files, err := p.States().Compare(a.ctx, now, to.State)
	if err != nil {
		return false, err
	}
	off, on, err := p.Repo.Moved(a.ctx, to.State.Head, now.Head)
	if err != nil {
		return false, err
	}
	a.t.Printf("Back to %s, of %s\n", stream.OneLine(to.String()), to.At.Local().Format("2006-01-02 15:04:05"))
	if to.Moved {
		a.t.Warn("someone else changed its git reference; ralph uses the state in the journal")
	}
	if now.Head != to.State.Head {
		a.t.Printf("\nThe branch %s moves from %s to %s:\n", stream.OneLine(branch), short(now.Head), short(to.State.Head))
		for _, list := range []struct {
			commits []string
			what    string
		}{{off, "taken off"}, {on, "on it again"}} {
			for i := len(list.commits) - 1; i >= max(0, len(list.commits)-shownPaths); i-- {
				a.t.Printf("  %s %s\n", short(list.commits[i]), list.what)
			}
			more(a, len(list.commits)-shownPaths)
		}
	}
	if len(files) > 0 {
		a.t.Printf("\n%s:\n", words.Count(len(files), "file"))
		for _, f := range files[:min(shownPaths, len(files))] {
			what := "changed"
			switch {
			case f.Old.Mode == "":
				what = "restored"
			case f.New.Mode == "":
				what = "removed"
			}
			a.t.Printf("  %-8s  %s\n", what, stream.OneLine(f.Path))
		}
		more(a, len(files)-shownPaths)
	}
	if len(reopened) > 0 {
		a.t.Printf("\nOpen again: %s\n", stream.OneLine(strings.Join(reopened, ", ")))
	}
	some := now.Head != to.State.Head || len(files) > 0 || len(reopened) > 0
	if some {
		a.t.Printf("\n")
	}
	return some, nil
}

func more(a *app, n int) {
	if n > 0 {
		a.t.Printf("  and %d more\n", n)
	}
}

func short(commit string) string {
	if commit == "" {
		return "no commit"
	}
	return commit[:min(8, len(commit))]
}
