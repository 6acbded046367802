package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ralph/internal/journal"
	"ralph/internal/preflight"
	"ralph/internal/ratelimit"
	"ralph/internal/registry"
	"ralph/internal/stream"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// Repair checks ralph's own files, and repairs what a dead run left.
type Repair struct {
	Input
	DryRun bool
	Notes  unit.Notes
	Add    func(checks ...preflight.Condition) // receives each finding

	clock map[string]time.Time // recorded times that should have passed, by description
}

// Run checks, and repairs, the units, the list of loops, the ledgers of calls and the clock.
func (r *Repair) Run(ctx context.Context) {
	r.clock = map[string]time.Time{}
	for _, err := range []error{r.units(ctx), r.ledgers()} {
		if err != nil { // the other checks are possible without it
			r.Add(fail("state", err.Error(), PlacesOf(r.Home, r.Repo).Obstacle(err)))
		}
	}
	r.Add(checkClock(r.Now, r.clock))
}

// units checks the units of this worktree, and all others that have run. It repairs those
// here; for the others it prints the command that repairs them.
func (r *Repair) units(ctx context.Context) error {
	entries, broken, err := registry.Entries(r.Home)
	if err != nil {
		return err
	}
	folders := map[string]string{} // by state directory: where a unit's files are
	for _, entry := range entries {
		folders[entry.StateDir] = entry.Folder
		r.clock["the list of loops, "+entry.Unit+" in "+entry.Worktree] = entry.Updated
	}
	here := map[string]bool{}
	if r.Repo != nil {
		dirs, err := unit.StateDirs(r.Repo.GitDir)
		if err != nil {
			return err
		}
		clean := 0
		for _, dir := range dirs {
			here[dir] = true
			if r.unit(ctx, dir, folders[dir]) {
				clean++
			}
		}
		if clean > 0 {
			r.Add(ok("unit", words.Count(clean, "unit")+" of this worktree: nothing to clean up"))
		}
	}
	for _, entry := range entries {
		if !here[entry.StateDir] && !entry.Stale() {
			r.elsewhere(entry)
		}
	}
	return r.registry(entries, broken)
}

// unit checks a unit of this worktree and repairs it. It returns true, without a finding,
// if the unit has no problem.
func (r *Repair) unit(ctx context.Context, dir, folder string) (clean bool) {
	u := examine(dir)
	r.clock["the journal of "+u.Name] = u.Last
	p := unit.PlaceAt(r.Repo, u.Name)
	if folder != "" {
		p.Folder = folder
	}
	u.StatusOutdated = u.Journal && unit.StatusIsStale(r.Notes, p)
	switch {
	case u.clean():
		return true
	case !u.needsRepair():
		r.Add(u.condition(r.Now, ""))
		return false
	case r.DryRun:
		r.Add(u.condition(r.Now, "Repair it with 'ralph doctor'; the next 'ralph run' of the unit would, too."))
		return false
	}
	done, err := r.repair(ctx, p, u)
	c := u.repaired(r.Now, done)
	var locked *journal.LockedError
	switch {
	case errors.As(err, &locked):
		c = u.condition(r.Now, fmt.Sprintf("Not repaired now: %v.", err))
	case err != nil:
		c = u.condition(r.Now, "")
		c.Severity, c.Hint = preflight.Error, fmt.Sprintf("It cannot be repaired: %v", err)
	}
	r.Add(c)
	return false
}

// repair repairs a unit as the next run would, and returns the steps.
func (r *Repair) repair(ctx context.Context, p *unit.Place, u Unit) (done []string, err error) {
	ctx = context.WithoutCancel(ctx)          // a signal must not interrupt it
	s, err := unit.LockState(ctx, r.Notes, p) // finishes archives
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
	if _, _, err := s.RecordDeath(ctx, r.Notes, p, time.Time{}, func(e journal.Event) { done = append(done, repairedBy(e)...) }); err != nil {
		return done, err
	}
	if u.StatusOutdated {
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
func (r *Repair) elsewhere(entry registry.Entry) {
	u := examine(entry.StateDir)
	r.clock["the journal of "+u.Name+" in "+entry.Worktree] = u.Last
	if u.needsRepair() || u.Broken != nil {
		u.Name += " in " + entry.Worktree
		r.Add(u.condition(r.Now, fmt.Sprintf("Repair it there: cd %s && ralph doctor", stream.ShellWord(entry.Worktree))))
	}
}

// registry checks the list of loops for entries with a missing worktree, and for files
// that are not entries.
func (r *Repair) registry(entries []registry.Entry, broken []string) error {
	var gone []string
	for _, entry := range entries {
		if entry.Stale() {
			gone = append(gone, entry.Unit+" in "+entry.Worktree+", which is gone")
		}
	}
	const id = "registry"
	switch {
	case len(gone) == 0:
		r.Add(ok(id, fmt.Sprintf("The list of loops is in order (%s)", words.CountPlural(len(entries), "entry", "entries"))))
	case r.DryRun:
		r.Add(warn(id, "The list of loops names worktrees that are gone", "Remove them with 'ralph doctor'.", gone...))
	default:
		if _, err := registry.Clear(r.Home); err != nil {
			return err
		}
		r.Add(warn(id, "The list of loops named worktrees that are gone: repaired, they are removed", "", gone...))
	}
	for _, dir := range []string{r.Home, registry.Dir(r.Home), ratelimit.Dir(r.Home)} {
		r.mtimes(dir)
	}
	if len(broken) > 0 {
		r.Add(warn(id, "Files in the list of loops that cannot be read", "Remove them: the next run of a unit writes its file again.", broken...))
	}
	return nil
}

// ledgers checks the ledgers of calls.
func (r *Repair) ledgers() error {
	dir := ratelimit.Dir(r.Home)
	names, err := ratelimit.Harnesses(dir)
	if err != nil {
		return err
	}
	for _, name := range names {
		ledger := ratelimit.Open(dir, name, 0)
		grant, err := ledger.Peek(r.Now)
		if err != nil {
			r.Add(fail("ledger", err.Error(), "Check the permissions of "+dir+"."))
			continue
		}
		if grant.Damaged != nil {
			r.Add(warn("ledger", grant.Damaged.Error(), "No action needed. Calls are counted from now on."))
		}
		if until, note, err := ledger.LimitedUntil(r.Now); err == nil && !until.IsZero() {
			r.Add(warn("limit", fmt.Sprintf("%s is at its provider's limit until %s: %s", name, words.Local(until), note),
				"Loops wait for it. If it is over: ralph limits --clear "+name))
		}
	}
	return nil
}

// mtimes notes files of ralph with a modification time in the future.
func (r *Repair) mtimes(dir string) {
	files, _ := os.ReadDir(dir)
	for _, f := range files {
		if info, err := f.Info(); err == nil && info.ModTime().After(r.Now.Add(time.Minute)) {
			r.clock[filepath.Join(dir, f.Name())] = info.ModTime()
		}
	}
}
