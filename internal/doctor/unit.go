package doctor

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ralph/internal/archive"
	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/run"
)

// Unit describes the state directory of a unit: whether a loop is running, and what a dead loop
// left.
type Unit struct {
	Name           string
	Dir            string         // the state directory
	Holder         journal.Holder // process named in the lock file; zero if it names none
	Alive          bool           // that process is running: a loop or a short command
	Death          *Death         // set if a run has no end and its process is gone
	Torn           bool           // the journal ends in the middle of a line
	Damage         journal.Damage // lines in the middle of the journal that cannot be read
	Stale          []journal.Mail // requests to a loop that has ended
	CutOff         bool           // an archive or a restore was not finished
	Last           time.Time      // the latest time in the journal
	StatusOutdated bool           // status.json differs from the journal; set by the caller
	Broken         error          // why the journal cannot be read at all
	Journal        bool           // the unit has a journal
}

// Death describes how far a run had come when its process died.
type Death struct {
	At        time.Time // time of the last sign of life
	PID       int
	Iteration int
	Story     string // as the plan names it; empty if none was open
	AtWork    bool   // an agent was running, or may have been
	LogFile   string // of the agent, from the worktree's root
	Alive     []proc.Named
}

// needsRepair reports whether the unit needs a repair. A running unit never does.
func (u Unit) needsRepair() bool {
	return !u.Alive && (u.Death != nil || u.Torn || u.StatusOutdated || u.CutOff || len(u.Stale) > 0)
}

// clean reports whether a unit needs no finding of its own: nothing runs, nothing needs a
// repair, the journal is intact and the lock file names no process.
func (u Unit) clean() bool {
	return !u.Alive && !u.needsRepair() && u.Broken == nil && u.Damage == (journal.Damage{}) && u.Holder.PID == 0
}

// examine inspects the unit with the state directory dir. It takes no lock and writes nothing.
// A loop is running if its process exists.
func examine(dir string) Unit {
	u := Unit{Name: filepath.Base(dir), Dir: dir}
	u.Holder, _ = journal.ReadHolder(dir) // a lock without a holder belongs to no one
	u.Alive = proc.ID{PID: u.Holder.PID, Start: u.Holder.PIDStart}.Alive()
	path := journal.Path(dir)
	var s run.State
	var err error
	u.Damage, err = journal.Scan(path, s.Apply)
	last := s.Last()
	switch {
	case err == nil:
		u.Journal = true
		if last != nil {
			u.Last = last.Latest
		}
		u.Torn = torn(path)
	case !errors.Is(err, fs.ErrNotExist):
		u.Broken = err
	}
	if last != nil && !last.Headless && last.Active() {
		alive := proc.ID{PID: last.Start.PID, Start: last.Start.PIDStart}.Alive()
		if !alive {
			u.Death = deathOf(last)
		}
		u.Alive = u.Alive || alive
	}
	u.CutOff = archive.CutOff(dir)
	if !u.Alive {
		u.Stale = stale(dir)
	}
	return u
}

// deathOf is how far a run without an end had come.
func deathOf(r *run.Run) *Death {
	d := &Death{PID: r.Start.PID, Iteration: r.At().N, AtWork: r.Calls.Open != nil}
	if story := r.At().Story; story != nil {
		d.Story = story.ID
	}
	if r.Calls.Last != nil {
		d.LogFile = r.Calls.Last.LogFile
	}
	log := ""
	if d.AtWork {
		log = filepath.Join(r.Start.Worktree, d.LogFile)
	}
	d.At = journal.LastSign(r.Latest, log, time.Now())
	d.Alive, _ = proc.ByToken(r.Start.Token) // the repair asks again
	return d
}

// torn reports whether the journal does not end with a newline.
func torn(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || info.Size() == 0 {
		return false
	}
	var last [1]byte
	_, err = f.ReadAt(last[:], info.Size()-1)
	return err == nil && last[0] != '\n'
}

// stale returns the requests that only a loop that is gone could have carried out.
func stale(dir string) []journal.Mail {
	waiting, _ := journal.Peek(dir) // what cannot be read is the next run's to report
	return slices.DeleteFunc(waiting, func(m journal.Mail) bool { return !m.Request.Passing() })
}
