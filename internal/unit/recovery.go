package unit

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
	"time"

	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/run"
)

// Recovered lists what [RecoverFirst] has done.
type Recovered struct {
	Others   []Death
	Own      *run.End               // of the unit's last run, if it died; else nil
	Restored []journal.PlanRestored // files of the plan
	Archived bool                   // an archive of the unit had been cut off
}

// Death describes a run that died, and that is recorded as dead now.
type Death struct {
	Unit   string
	End    *run.End // nil if it cannot be recorded yet
	Holder string   // the unit with the running loop that has the locks, where it cannot
}

// RecoverFirst cleans up after a run that died, before anything reads the plan. The run's
// agent may have left the plan broken, or an archive may be half made.
func RecoverFirst(ctx context.Context, t Notes, p *Place) (done Recovered, err error) {
	if p.Unit == "" {
		return done, nil // a detached HEAD, which the checks report
	}
	pending, err := p.Archive().Pending()
	if err != nil {
		return done, err
	}
	if done.Others, err = recoverOthers(ctx, t, p); err != nil {
		return done, err
	}
	ended, err := journal.Ended(p.JournalPath())
	putAway := slices.Contains(pending, p.Unit)
	if err != nil || ended && !putAway && !p.pidFileLeft() && !p.statusOfALostRun() {
		return done, err
	}
	done.Own, _, err = RecordDeath(ctx, t, p, time.Time{})
	switch {
	case err != nil:
	case done.Own != nil:
		if s, err := p.State(t); err == nil && s.Last() != nil { // else the record shows it
			done.Restored = s.Last().Restored
		}
	case putAway && !p.HasFolder():
		return done, NothingToRun(p.Unit)
	case putAway:
		done.Archived = true
	}
	return done, err
}

// recoverOthers does the same for the worktree's other units: what a run that died there left
// alive would work in the same files.
func recoverOthers(ctx context.Context, t Notes, p *Place) (list []Death, err error) {
	holder, _ := journal.ReadHolder(filepath.Dir(p.StateDir))
	if processOf(holder).Alive() {
		return nil, nil // a loop is running here, as the lock will report
	}
	dirs, err := StateDirs(p.Repo.GitDir)
	if err != nil {
		return nil, err
	}
	for _, dir := range dirs {
		if dir == p.StateDir {
			continue
		}
		if ended, err := journal.Ended(journal.Path(dir)); ended || err != nil {
			continue // it has no run that died, or none that can be read
		}
		other := PlaceAt(p.Repo, filepath.Base(dir))
		end, _, err := RecordDeath(ctx, t, other, time.Time{})
		if err != nil {
			return list, err
		}
		if end != nil {
			list = append(list, Death{Unit: other.Unit, End: end})
		}
	}
	return list, nil
}

// pidFileLeft reports whether the file is there that a run removes last. If it died just before,
// the status files may still name a running loop.
func (p *Place) pidFileLeft() bool {
	_, err := os.Lstat(filepath.Join(p.Repo.Root, ".claude", pidFile))
	return err == nil
}

// statusOfALostRun reports whether status.json is newer than the last event of the journal: a
// power cut can remove the end of the journal, with the whole of a short run.
func (p *Place) statusOfALostRun() bool {
	var status struct{ LastUpdated time.Time }
	data, err := os.ReadFile(p.File("status.json"))
	last := journal.LastTime(p.JournalPath())
	return err == nil && json.Unmarshal(data, &status) == nil && !last.IsZero() && status.LastUpdated.After(last)
}

// died reports whether the unit's last run has no end on record, and no loop is running.
func (p *Place) died() bool {
	ended, err := journal.Ended(p.JournalPath())
	return err == nil && !ended && !Running(p)
}

// FinishDead records the end of a run that died, and ends its remaining processes. It returns
// nil if no run died.
func (p *Place) FinishDead(ctx context.Context, t Notes) (*Death, error) {
	if !p.died() {
		return nil, nil //nolint:nilnil // there is nothing to record, and nothing wrong
	}
	if repo, err := git.Open(ctx, p.Repo.Root); err == nil {
		p.Repo = repo // one from the list of loops knows its folders alone
	}
	// A signal from now on must not leave it half done.
	end, _, err := RecordDeath(context.WithoutCancel(ctx), t, p, time.Time{})
	var held *journal.LockedError
	switch {
	case errors.As(err, &held) && held.Holder.Unit != "" && held.Holder.Unit != p.Unit:
		// Another unit's loop is running in the worktree, and has the locks.
		return &Death{Unit: p.Unit, Holder: held.Holder.Unit}, endStrays(p.StateDir)
	case err != nil || end == nil:
		return nil, err
	}
	return &Death{Unit: p.Unit, End: end}, nil
}

// RecordDeath records the end of the unit's last run if that died without one, and updates
// the status files. It returns the end and the new status, or nil if there was nothing to
// record. died is the time of the death; zero if it is not known.
func RecordDeath(ctx context.Context, t Notes, p *Place, died time.Time) (*run.End, run.Status, error) {
	defer t.ShowActivity("bringing the last run to its end")()
	s, err := LockState(ctx, t, p) // it completes an archive, too
	if err != nil {
		return nil, run.Status{}, err
	}
	defer s.Close()
	return s.RecordDeath(ctx, t, p, died, func(journal.Event) {})
}

// RecordDeath is the function [RecordDeath] for a caller that holds the locks. It calls tell
// with each event.
func (s *State) RecordDeath(ctx context.Context, t Notes, p *Place, died time.Time, tell func(journal.Event)) (end *run.End, _ run.Status, err error) {
	if _, err := os.Stat(p.JournalPath()); errors.Is(err, fs.ErrNotExist) {
		return nil, run.Status{}, nil // the unit is archived
	}
	if s.Writer, err = journal.OpenWriter(p.JournalPath()); err != nil {
		return nil, run.Status{}, err
	}
	f := NewFiles(t, p)
	defer f.Settled()
	if f.Unread != nil {
		return nil, run.Status{}, f.Unread
	}
	end, err = Recover(ctx, s.Writer, p.Repo, p.StateDir, died, f.State, func(e journal.Event) { f.Event(e); tell(e) })
	if err == nil {
		f.Renew()
	}
	return end, f.Summary(), err
}

// Renew rewrites the files of a run that has ended, and removes its pid file. The writer of
// the last events may have died before it updated them.
func (f *Files) Renew() {
	f.mu.Lock()
	defer f.mu.Unlock()
	status := f.State.Status()
	if _, err := os.Stat(filepath.Dir(f.statusAt)); err != nil || status.Run == "" || status.Active() {
		return
	}
	f.write()
	_ = os.Remove(filepath.Join(f.claudeDir, pidFile))
}

// halfWritten matches files that were to replace another one when their writer
// died, and that no one writes without the unit's lock.
var halfWritten = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\.(status\.json|state\.json|loop-state\.json|archive\.json|archiving\.json|branch)\d+$`)
})

// halfPlanned matches the same of the plan, which 'ralph prd' writes without a lock,
// in a moment.
var halfPlanned = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^\.(prd\.json|spec\.md|progress\.txt)\d+$`)
})

// clearHalfWritten removes what writers that died have left. The caller holds the
// unit's lock; what cannot be removed does no harm.
func (p *Place) clearHalfWritten() {
	for _, dir := range []string{filepath.Join(p.Repo.Root, p.Folder), filepath.Join(p.Repo.Root, ".claude"), p.StateDir} {
		entries, _ := os.ReadDir(dir)
		for _, e := range entries {
			info, err := e.Info()
			old := err == nil && time.Since(info.ModTime()) > time.Minute
			if e.Type().IsRegular() && (halfWritten().MatchString(e.Name()) || old && halfPlanned().MatchString(e.Name())) {
				_ = os.Remove(filepath.Join(dir, e.Name()))
			}
		}
	}
}
