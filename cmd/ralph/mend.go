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

// units checks the units of this worktree, and all others that have run. It repairs those
// here; for the others it prints the command that repairs them.
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
			e.add(preflight.Check{ID: "unit", Severity: preflight.OK, Message: words.Count(well, "unit") + " of this worktree: nothing to clean up"})
		}
	}
	for _, entry := range entries {
		if !here[entry.StateDir] && !entry.Stale() {
			e.elsewhere(entry)
		}
	}
	return e.registry(entries, broken)
}

// unit checks a unit of this worktree and repairs it. It returns true, without a finding,
// if the unit has no problem.
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
		e.add(u.Check(e.now, "Repair it with 'ralph doctor'; the next 'ralph run' of the unit would, too."))
	default:
		e.repair(u, p)
	}
	return false
}

// repair repairs a unit and adds the finding about it.
func (e *examination) repair(u doctor.Unit, p *unit.Place) {
	done, err := repairUnit(e.app, p, u)
	var locked *journal.LockedError
	switch {
	case errors.As(err, &locked):
		e.add(u.Check(e.now, fmt.Sprintf("Not repaired now: %v.", err)))
	case err != nil:
		c := u.Check(e.now, "")
		c.Severity, c.Hint = preflight.Error, fmt.Sprintf("It cannot be repaired: %v", err)
		e.add(c)
	default:
		e.add(u.Mended(e.now, done))
	}
}

// repairUnit repairs a unit as the next run would, and returns the steps.
func repairUnit(a *app, p *unit.Place, u doctor.Unit) (done []string, err error) {
	// A signal must not interrupt the repair.
	ctx := context.WithoutCancel(a.ctx)
	s, err := unit.LockState(ctx, p) // finishes archives
	if err != nil {
		return nil, err
	}
	defer s.Close()
	if u.CutOff {
		done = append(done, "repaired: the archive was finished")
	}
	if u.Torn { // opening the journal has repaired it
		done = append(done, "repaired: the journal ends with a complete line")
	}
	if _, _, err := s.RecordDeath(ctx, screen.Notes(a.t), p, time.Time{}, func(e journal.Event) { done = append(done, repairedBy(e)...) }); err != nil {
		return done, err
	}
	if u.Behind {
		done = append(done, "repaired: the status files agree with the journal")
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
	return append(done, "repaired: the requests for the loop that is gone were removed"), nil
}

// repairedBy describes the step of a recovery that wrote an event, if there was one.
func repairedBy(e journal.Event) []string {
	switch b := e.Body.(type) {
	case journal.PlanRestored:
		return []string{strings.TrimSuffix(fmt.Sprintf("repaired: %s (%s) restored; kept: %s", b.Path, b.What, b.Kept), "; kept: ")}
	case journal.IterationEnded:
		return []string{fmt.Sprintf("repaired: iteration %d recorded as a crash, with %s", b.N, words.Count(len(b.Commits), "commit"))}
	case journal.RunEnded:
		return []string{"repaired: the remaining processes are ended, and the journal has the end of the run"}
	}
	return nil
}

// elsewhere checks a unit of another worktree, and reports only problems.
func (e *examination) elsewhere(entry registry.Entry) {
	u := doctor.Examine(entry.StateDir)
	e.clock["the journal of "+u.Name+" in "+entry.Worktree] = u.Last
	if !u.Ill() && u.Broken == nil {
		return
	}
	u.Name += " in " + entry.Worktree
	e.add(u.Check(e.now, fmt.Sprintf("Repair it there: cd %s && ralph doctor", stream.ShellWord(entry.Worktree))))
}

// registry checks the list of loops for entries with a missing worktree, and for files
// that are not entries.
func (e *examination) registry(entries []registry.Entry, broken []string) error {
	c := preflight.Check{ID: "registry", Severity: preflight.OK, Message: fmt.Sprintf("The list of loops is in order (%s)", words.Plural(len(entries), "entry", "entries"))}
	for _, entry := range entries {
		if entry.Stale() {
			c.Details = append(c.Details, preflight.Detail{Text: entry.Unit + " in " + entry.Worktree + ", which is gone"})
		}
	}
	if len(c.Details) > 0 {
		c.Severity, c.Message, c.Hint = preflight.Warn, "The list of loops names worktrees that are gone", "Remove them with 'ralph doctor'."
		if !e.cmd.DryRun {
			if _, err := registry.Clear(e.app.home); err != nil {
				return err
			}
			c.Message, c.Hint = "The list of loops named worktrees that are gone: repaired, they are removed", ""
		}
	}
	e.add(c)
	for _, dir := range []string{e.app.home, registry.Dir(e.app.home), ratelimit.Dir(e.app.home)} {
		e.mtimes(dir)
	}
	if len(broken) > 0 {
		c := preflight.Check{ID: "registry", Severity: preflight.Warn, Message: "Files in the list of loops that cannot be read", Hint: "Remove them: the next run of a unit writes its file again."}
		for _, path := range broken {
			c.Details = append(c.Details, preflight.Detail{Text: path})
		}
		e.add(c)
	}
	return nil
}

// ledgers checks the ledgers of calls.
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
			e.add(preflight.Check{ID: "ledger", Severity: preflight.Error, Message: err.Error(), Hint: "Check the permissions of " + ratelimit.Dir(e.app.home) + "."})
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

// mtimes notes files of ralph with a modification time in the future.
func (e *examination) mtimes(dir string) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if info, err := f.Info(); err == nil && info.ModTime().After(e.now.Add(time.Minute)) {
			e.clock[filepath.Join(dir, f.Name())] = info.ModTime()
		}
	}
}
