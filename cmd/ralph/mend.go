package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ralph/internal/doctor"
	"ralph/internal/journal"
	"ralph/internal/preflight"
	"ralph/internal/ratelimit"
	"ralph/internal/registry"
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// units looks at the units of this worktree and at all others that have run.
// Those here are mended; of those elsewhere the command is told that mends them.
func (e *examination) units() error {
	entries, broken, err := registry.Entries(e.app.home)
	if err != nil {
		return err
	}
	folders := map[string]string{} // by state directory: where a unit's files are
	for _, entry := range entries {
		folders[entry.StateDir] = entry.Folder
		e.clock["the list of loops, "+entry.Unit+" in "+entry.Worktree] = entry.Updated
	}
	here := map[string]bool{}
	if e.around.repo != nil {
		dirs, err := unit.StateDirs(e.around.repo.GitDir)
		if err != nil {
			return err
		}
		well := 0
		for _, dir := range dirs {
			here[dir] = true
			if e.unit(dir, folders[dir]) {
				well++
			}
		}
		if well > 0 {
			e.add(preflight.Check{ID: "unit", Severity: preflight.OK, Message: words.Count(well, "unit") + " of this worktree: nothing left behind"})
		}
	}
	for _, entry := range entries {
		if !here[entry.StateDir] && !entry.Stale() {
			e.elsewhere(entry)
		}
	}
	return e.registry(entries, broken)
}

// unit looks at a unit of this worktree, and mends it. It says nothing of one of
// which there is nothing to say, and returns true then.
func (e *examination) unit(dir, folder string) (well bool) {
	u := doctor.Examine(dir)
	e.clock["the journal of "+u.Name] = u.Last
	p := unit.PlaceAt(e.around.repo, u.Name)
	if folder != "" {
		p.Folder = folder
	}
	u.Behind = u.Journal && unit.Behind(screen.Notes(e.app.t), p)
	switch {
	case u.Well():
		return true
	case !u.Ill():
		e.add(u.Check(e.now, ""))
	case e.cmd.DryRun:
		e.add(u.Check(e.now, "Mend it with 'ralph doctor'; the next 'ralph run' of the unit would, too."))
	default:
		e.heal(u, p)
	}
	return false
}

// heal mends a unit and says so, or why not.
func (e *examination) heal(u doctor.Unit, p *unit.Place) {
	done, err := mendUnit(e.app, p, u)
	var locked *journal.LockedError
	switch {
	case errors.As(err, &locked):
		e.add(u.Check(e.now, fmt.Sprintf("Not mended now: %v.", err)))
	case err != nil:
		c := u.Check(e.now, "")
		c.Severity, c.Hint = preflight.Error, fmt.Sprintf("It cannot be mended: %v", err)
		e.add(c)
	default:
		e.add(u.Mended(e.now, done))
	}
}

// mendUnit does for a unit what the next run would do before it begins, and says
// what that was.
func mendUnit(a *app, p *unit.Place, u doctor.Unit) (done []string, err error) {
	// A signal from now on must not leave it half mended.
	ctx := context.WithoutCancel(a.ctx)
	s, err := unit.LockState(ctx, p) // which finishes archives
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if u.CutOff {
		done = append(done, "mended: the archive was finished")
	}
	if u.Torn { // which opening the journal mends
		done = append(done, "mended: the journal ends with a whole line")
	}
	if _, _, err := s.RecordDeath(ctx, screen.Notes(a.t), p, time.Time{}, func(e journal.Event) { done = append(done, mendedBy(e)...) }); err != nil {
		return done, err
	}
	if u.Behind {
		done = append(done, "mended: the status files say what the journal says")
	}
	if len(u.Stale) == 0 {
		return done, nil
	}
	if s.Inbox, err = journal.OpenInbox(p.StateDir); err != nil {
		return done, err
	}
	for _, m := range u.Stale {
		if err := s.Inbox.Done(m.Name); err != nil {
			return done, err
		}
	}
	return append(done, "mended: what was asked of the loop that is gone was dropped"), nil
}

// mendedBy says what an event of a recovery was written for; nothing of those that
// only count.
func mendedBy(e journal.Event) []string {
	switch b := e.Body.(type) {
	case journal.PlanRestored:
		return []string{strings.TrimSuffix(fmt.Sprintf("mended: %s (%s) put back; kept: %s", b.Path, b.What, b.Kept), "; kept: ")}
	case journal.IterationEnded:
		return []string{fmt.Sprintf("mended: iteration %d recorded as a crash, with %s", b.N, words.Count(len(b.Commits), "commit"))}
	case journal.RunEnded:
		return []string{"mended: what was alive is ended, and the run has its end in the journal"}
	}
	return nil
}

// elsewhere looks at a unit of another worktree. Only what is ill is told of.
func (e *examination) elsewhere(entry registry.Entry) {
	u := doctor.Examine(entry.StateDir)
	e.clock["the journal of "+u.Name+" in "+entry.Worktree] = u.Last
	if !u.Ill() && u.Broken == nil {
		return
	}
	u.Name += " in " + entry.Worktree
	e.add(u.Check(e.now, fmt.Sprintf("Mend it there: cd %s && ralph doctor", stream.ShellWord(entry.Worktree))))
}

// registry looks at the list of loops: entries whose worktree is gone, and files
// that are no entries.
func (e *examination) registry(entries []registry.Entry, broken []string) error {
	c := preflight.Check{ID: "registry", Severity: preflight.OK, Message: fmt.Sprintf("The list of loops is in order (%s)", words.Plural(len(entries), "entry", "entries"))}
	for _, entry := range entries {
		if entry.Stale() {
			c.Details = append(c.Details, preflight.Detail{Text: entry.Unit + " in " + entry.Worktree + ", which is gone"})
		}
	}
	if len(c.Details) > 0 {
		c.Severity, c.Message, c.Hint = preflight.Warn, "The list of loops names worktrees that are gone", "They are taken off with 'ralph doctor'."
		if !e.cmd.DryRun {
			if _, err := registry.Clear(e.app.home); err != nil {
				return err
			}
			c.Message, c.Hint = "The list of loops named worktrees that are gone: mended, they are taken off", ""
		}
	}
	e.add(c)
	for _, dir := range []string{e.app.home, registry.Dir(e.app.home), ratelimit.Dir(e.app.home)} {
		e.mtimes(dir)
	}
	if len(broken) > 0 {
		c := preflight.Check{ID: "registry", Severity: preflight.Warn, Message: "Files in the list of loops that cannot be read", Hint: "Remove them: the next run of a unit writes its own anew."}
		for _, path := range broken {
			c.Details = append(c.Details, preflight.Detail{Text: path})
		}
		e.add(c)
	}
	return nil
}

// ledgers looks at the ledgers of calls.
func (e *examination) ledgers() error {
	names, err := ratelimit.Harnesses(ratelimit.Dir(e.app.home))
	if err != nil {
		return err
	}
	for _, name := range names {
		ledger := ratelimit.Open(ratelimit.Dir(e.app.home), name, 0)
		grant, err := ledger.Peek(e.now)
		switch {
		case err != nil:
			e.add(preflight.Check{ID: "ledger", Severity: preflight.Error, Message: err.Error(), Hint: "See to the permissions of " + ratelimit.Dir(e.app.home) + "."})
			continue
		case grant.Damaged != nil:
			e.add(preflight.Check{ID: "ledger", Severity: preflight.Warn, Message: grant.Damaged.Error(), Hint: "No action needed. Calls are counted from now on."})
		}
		until, note, err := ledger.LimitedUntil(e.now)
		if err == nil && !until.IsZero() {
			e.add(preflight.Check{ID: "limit", Severity: preflight.Warn, Message: fmt.Sprintf("%s is at its provider's limit until %s: %s", name, words.Local(until), note),
				Hint: fmt.Sprintf("Loops wait for it. If it is over: ralph limits --clear %s", name)})
		}
	}
	return nil
}

// mtimes of ralph's own files are times that should have passed.
func (e *examination) mtimes(dir string) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if info, err := f.Info(); err == nil && info.ModTime().After(e.now.Add(time.Minute)) {
			e.clock[filepath.Join(dir, f.Name())] = info.ModTime()
		}
	}
}
