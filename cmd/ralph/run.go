package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime/debug"
	"slices"
	"time"

	"ralph/internal/archive"
	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/loop"
	"ralph/internal/plan"
	"ralph/internal/preflight"
	"ralph/internal/proc"
	"ralph/internal/ratelimit"
	"ralph/internal/recorder"
	"ralph/internal/registry"
	"ralph/internal/run"
	"ralph/internal/screen"
	"ralph/internal/secret"
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
	if err := r.scriptFault(r.harness); err != nil { // where preflight was skipped
		return err
	}
	if c.Monitor && !a.handedOver {
		return r.runBeside()
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
	if err := p.NotAUnit(a.home, c.Text); err != nil {
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
	return unit.RecoverFirst(a.ctx, screen.Notes(a.t), p)
}

// start runs the loop in this process.
func (r *resolved) start() error {
	if r.place.Unit == "" {
		return unit.ErrDetached
	}
	s, err := r.openState()
	if err != nil {
		return err
	}
	defer s.Close()
	if err := r.place.Repo.Exclude(unit.Excluded...); err != nil {
		r.app.t.Warn("cannot make git ignore ralph's own files: %v", err)
	}
	out, err := screen.Open(r.app.t, r.place, r.flags.JSON, r.flags.Verbose)
	if err != nil {
		return err
	}
	defer out.Close()
	if err := r.seal(); err != nil {
		return err
	}
	if r.checkRooms != nil {
		defer check.SweepRooms(r.checkRooms.Scratch)
		if !r.flags.JSON {
			r.app.t.Printf("%s\n", r.app.t.Paint(terminal.Dim, r.describeRooms()))
		}
	}
	// A loop holds a few megabytes and allocates as many in each iteration: collecting less
	// often costs little memory and saves CPU.
	debug.SetGCPercent(400)
	// The end of another run does not belong to this run's events.
	tell := out.Event
	if r.flags.JSON {
		tell = out.Files.Event
	}
	died, err := unit.Recover(r.app.ctx, s.Writer, r.place.Repo, r.place.StateDir, time.Time{}, tell)
	if err != nil {
		return err
	}
	if died != nil {
		r.changes = nil // the plan may have been restored since
	}
	if _, err := r.plan.Read(); err != nil {
		return hint.With(errors.New(unit.Relative(r.place.Repo.Root, err.Error())), "correct it there; see everything that is wrong with: ralph validate")
	}
	l, err := r.newLoop(s, out)
	if err != nil {
		return err
	}
	beside, err := newAside(r.settings, r.place.Repo.Root, out.Files.Summary, out.Warn)
	if err != nil {
		return err
	}
	defer func() {
		s.Close() // the next run does not wait for a slow notification
		beside.close(r.app.ctx)
	}()
	l.Recorder.Observe = func(e journal.Event) { out.Event(e); beside.event(e) }
	if err := r.noteOwner(); err != nil {
		return err
	}
	if err := registry.Register(r.app.home, registry.Entry{Unit: r.place.Unit, Plan: string(r.plan.Kind()), Worktree: r.place.Repo.Root,
		Branch: r.place.Branch, StateDir: r.place.StateDir, Folder: r.place.Folder, Updated: time.Now()}); err != nil {
		r.app.t.Warn("'ralph list' will not know this loop: %v", err)
	}
	end, err := l.Run(r.app.ctx)
	if err != nil {
		out.Files.Unrecorded(l.Recorder.Secrets.Text(err.Error()))
		return err
	}
	archived, page := "", ""
	if end.Done() && !r.flags.NoArchive && r.plan.Kind() == plan.KindPRD {
		out.Working("putting the feature away")
		if archived = r.archive(s, l.Identity.Run); archived != "" {
			page = unit.ArchiveReport(screen.Notes(r.app.t), r.place, archived)
		}
	}
	out.Summary(end, archived, page, r.leftOver(end, out.Files.Last().Start.Head))
	if code := end.ExitCode(); code != 0 {
		return exitError(code)
	}
	return nil
}

// leftOver says what a finished run leaves for the user to commit, or that it changed
// nothing since the commit start; empty where there is nothing to say.
func (r *resolved) leftOver(end run.End, start string) string {
	if !end.Done() {
		return ""
	}
	changes, err := r.place.Repo.Status(context.WithoutCancel(r.app.ctx))
	if err != nil {
		return "" // git itself has said so in the run
	}
	work := len(git.Without(changes, ".ralph", ".claude"))
	own := len(git.Without(changes, ".claude")) - work
	switch head, err := r.place.Repo.Head(context.WithoutCancel(r.app.ctx)); {
	case work > 0 && own > 0:
		return words.Plural(work, "file", "files") + " and the plan's own files are not committed: git add -A && git commit"
	case work > 0:
		return words.Plural(work, "file is", "files are") + " not committed: git add -A && git commit"
	case own > 0:
		return "the plan's own files are not committed: git add -A .ralph && git commit"
	case err == nil && head.Commit == start && r.plan.Kind() == plan.KindPrompt:
		return "nothing was changed: only the agent's promise says that it is done"
	}
	return ""
}

// noteOwner writes down, at the first run, which branch the feature's folder
// belongs to: another branch may have the same unit.
func (r *resolved) noteOwner() error {
	file := r.ownerFile()
	if _, err := os.Stat(file); err == nil || r.plan.Kind() != plan.KindPRD {
		return nil
	}
	return preflight.NoteOwner(file, r.place.Branch)
}

func (r *resolved) ownerFile() string { return r.place.OwnerFile() }

// newLoop puts the run together.
func (r *resolved) newLoop(s *unit.State, out *screen.Output) (*loop.Loop, error) {
	self, err := proc.Self()
	if err != nil {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("ralph cannot find its own program: %w", err)
	}
	runID, err := r.newRunID()
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	token := rand.Text()
	environs := os.Environ()
	for _, c := range r.callers() {
		environs = append(environs, c.Harness.Env...)
	}
	l := &loop.Loop{
		Identity: loop.Identity{Version: version, Run: runID, Unit: r.place.Unit, Feature: r.place.Unit, Task: r.text, Change: r.change().ID, Module: r.change().Module,
			StateDir: r.place.StateDir, LogDir: r.place.LogDir(), Self: self, Host: host, Token: token, Since: s.Since},
		Settings: r.loopSettings(),
		Plan:     r.plan, Repo: r.place.Repo, States: r.place.States(), Changes: r.changes, Inbox: s.Inbox,
		Ledger: ratelimit.OpenShared(os.Getenv(ratelimit.EnvShared), r.ledgerDir(), r.harness.Name, r.settings.Defaults.RateLimitPerHour).For(token),
		Agents: r.callers(), Env: os.Environ(), CheckEnv: r.checkEnv(), Deps: r.deps(),
		Recorder: &recorder.Recorder{Journal: s.Writer, Run: runID, Secrets: secret.New(environs)},
		Keeper: &proc.Keeper{Token: token, Start: func() (*proc.Guardian, error) {
			return proc.StartGuardian([]string{exe, guardianWord, r.place.Repo.Root, r.place.Unit, r.place.Folder}, token)
		}},
		Working: out.Working, Stopping: out.Stopping, Stream: out.Screen.Stream, Drained: out.Drained, Complain: out.Warn,
	}
	if r.app.t.CanAsk && !r.flags.NoInteractive && !r.flags.JSON {
		l.Ask = out.Ask
	}
	return l, nil
}

// newRunID names the run and makes room for its logs: those of the run before
// move to a folder with its name.
func (r *resolved) newRunID() (string, error) {
	logs := filepath.Join(r.place.Repo.Root, r.place.LogDir())
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return "", fmt.Errorf("the logs' folder cannot be made: %w", err)
	}
	taken, err := journal.RunIDs(r.place.JournalPath())
	if err != nil {
		return "", err
	}
	last := ""
	if len(taken) > 0 {
		last = taken[len(taken)-1]
	}
	if err := unit.MoveLogs(logs, last); err != nil {
		return "", err
	}
	return journal.NewRunID(time.Now(), func(id string) bool { return slices.Contains(taken, id) }), nil
}

// archive puts the finished feature away; where that does not work the feature
// stays where it is, and the run is done all the same.
func (r *resolved) archive(s *unit.State, run string) string {
	// A signal from now on must not leave the work half put away.
	ctx := context.WithoutCancel(r.app.ctx)
	e, err := r.place.Archive().Put(ctx, r.place.Unit, time.Now(), func(e archive.Entry) error {
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
