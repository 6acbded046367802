package unit

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"ralph/internal/journal"
	"ralph/internal/run"
)

// Files updates the status files when the journal changes: status.json of the unit, and the
// files of the worktree tools. If it cannot write one, it warns and the run continues.
type Files struct {
	mu        sync.Mutex
	soon      *time.Timer // nil where all is written
	t         Notes
	State     *run.Shared    // of the unit; the writer of the journal applies its events
	Damage    journal.Damage // what the journal's reading had to leave out
	Unread    error          // why the journal cannot be read
	runs      []string       // ids, in the journal's order
	statusAt  string
	claudeDir string
	Warned    map[string]bool
}

// pidFile has the process of the running loop of a worktree.
const pidFile = "ralph-terminal.pid"

// NewFiles reads the journal of a unit and returns its status files.
func NewFiles(t Notes, p *Place) *Files {
	f := &Files{t: t, State: &run.Shared{}, statusAt: p.File("status.json"),
		claudeDir: filepath.Join(p.Repo.Root, ".claude"), Warned: map[string]bool{}}
	// What happened before matters where a run that died is recorded as such. A
	// journal that cannot be read is an error for those that need it.
	f.Damage, f.Unread = journal.Scan(p.JournalPath(), func(e journal.Event) {
		f.State.Apply(e)
		if n := len(f.runs); n == 0 || f.runs[n-1] != e.Run {
			f.runs = append(f.runs, e.Run)
		}
	})
	return f
}

// RunIDs returns the ids of the runs that the journal had when it was read, in the order in
// which they began.
func (f *Files) RunIDs() []string {
	ids := slices.Clone(f.runs)
	if id := f.Damage.Run; id != "" && !slices.Contains(ids, id) { // its start cannot be read
		ids = append(ids, id)
		slices.Sort(ids)
	}
	return ids
}

// settleTime is how long a change of the status files may wait for the next one: in
// a quick iteration the events follow each other within milliseconds.
const settleTime = 100 * time.Millisecond

// Event updates the files after an event of the journal, which the state has already.
func (f *Files) Event(e journal.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	switch e.Body.(type) {
	case journal.RunStarted:
		f.try(f.claudeDir, os.MkdirAll(f.claudeDir, 0o755))
		pid := filepath.Join(f.claudeDir, pidFile)
		f.try(pid, renameio.WriteFile(pid, fmt.Appendf(nil, "%d\n", os.Getpid()), 0o644, renameio.WithTempDir(f.claudeDir)))
		f.write()
	case journal.WaitStarted:
		f.write() // nothing may follow for long
	case journal.RunEnded:
		f.write()
		_ = os.Remove(filepath.Join(f.claudeDir, pidFile))
	default:
		f.writeSoon()
	}
}

// Unrecorded marks the run as failed in the files if the journal cannot be written. Without
// it, readers would wait for the run. The next command that can write the journal records the
// end.
func (f *Files) Unrecorded(message string) {
	if s := f.Summary(); s.Active() {
		e := journal.Event{Time: time.Now(), Run: s.Run, Body: journal.RunEnded{
			Status: journal.StatusFailed, Reason: journal.ReasonError, ExitCode: 1, Message: message, Tokens: s.Tokens, CostUSD: s.CostUSD}}
		f.State.Apply(e)
		f.Event(e)
	}
}

// writeSoon writes the files when they have had time to settle.
func (f *Files) writeSoon() {
	if f.soon != nil {
		return
	}
	f.soon = time.AfterFunc(settleTime, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.soon != nil { // else they were written meanwhile
			f.write()
		}
	})
}

// write replaces the files.
func (f *Files) write() {
	if f.soon != nil {
		f.soon.Stop()
		f.soon = nil
	}
	// An agent that tidied up may have taken the folder with it.
	var status run.Status
	var loop run.LoopState
	var change run.ChangeState
	f.State.Read(func(s *run.State) { status, loop, change = s.Status(), s.LoopState(), s.ChangeState() })
	text, err := status.JSON(nil)
	f.replace(f.statusAt, text, err)
	text, err = loop.JSON()
	f.replace(filepath.Join(f.claudeDir, "loop-state.json"), text, err)
	if change.ChangeID != "" {
		text, err = change.JSON()
		f.replace(filepath.Join(filepath.Dir(f.statusAt), "state.json"), text, err)
	}
}

// replace writes a file by rename, with the temporary file in the same directory: the
// system's may be on another file system. Its directory may be gone.
func (f *Files) replace(path string, text []byte, err error) {
	dir := filepath.Dir(path)
	if info, e := os.Lstat(path); e == nil && info.IsDir() {
		err = errors.New("it is a directory; move it out of the way")
	}
	if err == nil {
		err = os.MkdirAll(dir, 0o755)
	}
	if err == nil {
		err = renameio.WriteFile(path, text, 0o644, renameio.WithTempDir(dir), renameio.WithExistingPermissions())
	}
	if err != nil {
		err = fmt.Errorf("%s cannot be written: %w", path, err)
	}
	f.try(path, err)
}

// Budget returns, as text, how much of the run's budgets is used. It returns "" if the run
// has none.
func (f *Files) Budget() (text string) {
	f.State.Read(func(s *run.State) { text = s.Budget(time.Now()) })
	return text
}

// Summary returns the status of the run after its last event.
func (f *Files) Summary() run.Status { return f.State.Status() }

// Last returns the last run, or an empty one.
func (f *Files) Last() (last *run.Run) {
	f.State.Read(func(s *run.State) { last = cmp.Or(s.Last(), &run.Run{}) })
	return last
}

// StatusIsStale reports whether a unit's status.json is older than its journal. That happens if the
// writer died or could not write. A missing file does not count: the user may have deleted
// it.
func StatusIsStale(t Notes, p *Place) bool {
	f := NewFiles(t, p)
	data, err := os.ReadFile(f.statusAt)
	status := f.State.Status()
	if err != nil || status.Run == "" {
		return false
	}
	var said struct{ Status, Reason string }
	err = json.Unmarshal(data, &said)
	return err != nil || said.Status != string(status.Status) || said.Reason != string(status.Reason)
}

// Settled writes the changes that are still waiting.
func (f *Files) Settled() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.soon != nil {
		f.write()
	}
}

func (f *Files) try(path string, err error) {
	if err != nil && !f.Warned[path] {
		f.Warned[path] = true
		f.t.Warn("%s is not up to date: %v", path, err)
	}
}

// Excluded lists the files that git must ignore: those that ralph derives, and temporary
// ones.
var Excluded = []string{
	"/.ralph/**/status.json", "/.ralph/**/.status.json*", "/.ralph/**/logs/", "/.ralph/**/journal*.jsonl", "/.ralph/**/report.html",
	"/.ralph/**/state/", "/.ralph/**/.archive.json*", "/.ralph/.*.removed", "/.ralph/.*.partial",
	"/.ralph/*/state.json", "/.ralph/*/.state.json*", "/.ito/.state/ralph/",
	"/.claude/loop-state.json", "/.claude/.loop-state.json*", "/.claude/ralph-loop.log", "/.claude/ralph-terminal.pid", "/.claude/.ralph-terminal.pid*",
}
