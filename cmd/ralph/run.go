package main

import (
	"context"
	"errors"
	"time"

	"ralph/internal/account"
	"ralph/internal/archive"
	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/run"
	"ralph/internal/screen"
	"ralph/internal/terminal"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// runCmd is "ralph run".
type runCmd struct {
	Text string `arg:"" optional:"" name:"prompt" help:"The task in words: in addition to the plan, or in place of one."`
	runFlags
	Monitor bool `help:"Run in a tmux session, with the dashboard next to the loop."`
}

// Validate refuses what cannot go together; kong calls it.
func (c *runCmd) Validate() error {
	if c.Monitor && c.JSON {
		return errors.New("--monitor shows a screen, --json prints events: choose one of them")
	}
	return c.runFlags.Validate()
}

// Run carries the command out.
func (c *runCmd) Run(a *app) error {
	if c.Status {
		return c.status(a)
	}
	r, err := c.prepare(a)
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
	if c.Monitor && !a.handedOver {
		return r.runInTmux()
	}
	return r.start()
}

// prepare resolves the run, after what an earlier one that died has left is in
// order: its agent may have left the plan in pieces.
func (c *runCmd) prepare(a *app) (*resolved, error) {
	p, err := c.where(a)
	if err != nil {
		return nil, err
	}
	if err := p.RefuseUnitAsTask(a.home, c.Text); err != nil {
		return nil, err
	}
	unit := p.Unit
	if err := c.recoverFirst(a, p); err != nil {
		return nil, err
	}
	r, err := c.resolveAt(a, p)
	if err == nil && p.Unit != unit { // it is a change
		err = c.recoverFirst(a, p)
	}
	return r, err
}

func (c *runCmd) recoverFirst(a *app, p *unit.Place) error {
	if c.DryRun { // which looks, and changes nothing
		return nil
	}
	if c.Monitor && !a.handedOver {
		if err := p.Busy(); err != nil {
			return err
		}
	}
	return recoverFirst(a, p)
}

// start runs the loop in this process.
func (r *resolved) start() error {
	if r.Place.Unit == "" {
		return unit.ErrDetached
	}
	s, err := r.openState()
	if err != nil {
		return err
	}
	defer s.Close()
	if err := r.Place.Repo.Exclude(unit.Excluded...); err != nil {
		r.app.t.Warn("cannot make git ignore ralph's own files: %v", err)
	}
	out, err := screen.Open(r.app.t, r.Place, r.flags.JSON, r.flags.Verbose)
	if err != nil {
		return err
	}
	defer out.Close()
	if out.Files.Unread != nil {
		return out.Files.Unread
	}
	if err := r.seal(); err != nil {
		return err
	}
	if r.Rooms != nil {
		defer check.SweepRooms(r.Rooms.Scratch)
		if !r.flags.JSON {
			r.app.t.Printf("%s\n", r.app.t.Paint(terminal.Dim, r.DescribeRooms(r.app.ctx)))
		}
	}
	// The end of another run does not belong to this run's events.
	tell := out.Event
	if r.flags.JSON {
		tell = out.Files.Event
	}
	died, err := unit.Recover(r.app.ctx, s.Writer, r.Place.Repo, r.Place.StateDir, time.Time{}, out.Files.State, tell)
	if err != nil {
		return err
	}
	if died != nil {
		r.Changes = nil // the plan may have been put back in order since
	}
	if _, err := r.Plan.Read(); err != nil {
		return hint.With(unit.Local(r.Place.Repo.Root, err), "correct it there; see everything that is wrong with: ralph validate")
	}
	l, err := r.Loop(s, out.Files.RunIDs(), r.loopSettings(), version, r.text, func(token string) (*proc.Guardian, error) {
		return startGuardian(token, r.Place.Repo.Root, r.Place.Unit, r.Place.Folder)
	})
	if err != nil {
		return err
	}
	l.Recorder.Shared, l.Damage = out.Files.State, out.Files.Damage
	l.Working, l.Stopping, l.Stream, l.Drained, l.Complain = out.Screen.Working, out.Stopping, out.Screen.Stream, out.Screen.Flush, out.Warn
	if r.app.t.CanAsk && !r.flags.NoInteractive && !r.flags.JSON {
		l.Ask = out.Ask
	}
	watcher := newWatcher(r.Settings(), r.Place.Repo.Root, out.Files.Summary, out.Warn)
	defer func() {
		s.Close() // the next run does not wait for a slow notification
		watcher.close(r.app.ctx)
	}()
	l.Recorder.Observe = func(e journal.Event) { out.Event(e); watcher.event(e) }
	switch unlisted, err := r.Register(); {
	case err != nil:
		return err
	case unlisted != nil:
		r.app.t.Warn("'ralph list' will not know this loop: %v", unlisted)
	}
	end, err := l.Run(r.app.ctx)
	if err != nil {
		out.Files.Unrecorded(l.Recorder.Secrets.Text(err.Error()))
		return err
	}
	archived, page := "", ""
	if end.Done() && !r.flags.NoArchive && r.Plan.About().Kind.Feature() {
		out.Screen.Working("putting the feature away")
		if archived = r.archive(s, l.Identity.Run); archived != "" {
			page = account.WriteArchived(screen.Notes(r.app.t), r.Place, archived)
		}
	}
	out.Summary(end, archived, page, r.leftOver(end, out.Files.Last().Start.Head))
	if code := end.ExitCode(); code != 0 {
		return exitError(code)
	}
	return nil
}

// seal prepares the rooms of a run, and warns where nothing is sealed.
func (r *resolved) seal() error {
	open, err := r.Seal(r.app.ctx)
	switch {
	case err != nil || open == nil:
		return err
	case r.Settings().Sandbox.Mode == "off":
		r.app.t.Warn("nothing is sealed (sandbox: off): agents and checks can change everything that you can")
		return nil
	}
	r.app.t.Warn("nothing is sealed: %s; agents and checks can change everything that you can", open.Why)
	if open.Hint != "" {
		r.app.t.Hint(open.Hint)
	}
	return nil
}

// leftOver says what a finished run leaves for the user to commit, or that it changed
// nothing since the commit start; empty where there is nothing to say.
func (r *resolved) leftOver(end run.End, start string) string {
	if !end.Done() {
		return ""
	}
	changes, err := r.Place.Repo.Status(context.WithoutCancel(r.app.ctx))
	if err != nil {
		return "" // git itself has said so in the run
	}
	work := len(git.Without(changes, ".ralph", ".claude"))
	own := len(git.Without(changes, ".claude")) - work
	switch head, err := r.Place.Repo.Head(context.WithoutCancel(r.app.ctx)); {
	case work > 0 && own > 0:
		return words.Count(work, "file") + " and the plan's own files are not committed: " +
			"git add -A && git commit"
	case work > 0:
		return words.CountPlural(work, "file is", "files are") + " not committed: git add -A && git commit"
	case own > 0:
		return "the plan's own files are not committed: git add -A .ralph && git commit"
	case err == nil && head.Commit == start && end.Reason == journal.ReasonPromise:
		return "nothing was changed: only the agent's promise says that it is done"
	}
	return ""
}

// archive puts the finished feature away; where that does not work the feature
// stays where it is, and the run is done all the same.
func (r *resolved) archive(s *unit.State, run string) string {
	// A signal from now on must not leave the work half put away.
	ctx := context.WithoutCancel(r.app.ctx)
	e, err := r.Place.Archive().Put(ctx, r.Place.Unit, time.Now(), func(e archive.Entry) error {
		_, err := s.Writer.Append(run, time.Now(), journal.Archived{Path: e.Path})
		s.CloseWriter()
		return err
	})
	if err != nil {
		r.app.t.Warn("the feature is done, but: %v", err)
		return ""
	}
	return e.Name
}
