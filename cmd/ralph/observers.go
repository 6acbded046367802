package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/google/renameio/v2"

	"ralph/internal/journal"
)

// files keeps the status files in line with the journal: status.json of the
// unit and what programs of the worktree-tools format read. They are derived:
// one that cannot be written costs a warning, never the run.
type files struct {
	mu        sync.Mutex
	soon      *time.Timer // nil where all is written
	t         *terminal
	status    journal.Status
	loop      journal.LoopState
	change    journal.ChangeState // of a change plan, else without an id
	statusAt  string
	claudeDir string
	warned    map[string]bool
}

// pidFile tells who works in a worktree, while somebody does.
const pidFile = "ralph-terminal.pid"

func newFiles(t *terminal, p *place) *files {
	f := &files{t: t, statusAt: filepath.Join(p.repo.Root, p.folder, "status.json"),
		claudeDir: filepath.Join(p.repo.Root, ".claude"), warned: map[string]bool{}}
	// What happened before matters where a run that died is recorded as such. A
	// journal that cannot be read is told of by whoever needs it.
	_, _ = journal.Scan(p.journalPath(), f.apply)
	return f
}

// settle is how long a change of the status files may wait for the next one: in
// a quick iteration the events follow each other within milliseconds.
const settle = 100 * time.Millisecond

func (f *files) apply(e journal.Event) {
	f.status.Apply(e)
	f.loop.Apply(e)
	f.change.Apply(e)
}

// event is told of every event of the journal.
func (f *files) event(e journal.Event) {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.apply(e)
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

// unrecorded is told why a run has ended whose end is not in the journal: it cannot be
// written, and the next command that can records a death. Until then nobody who reads
// the files shall wait for the run.
func (f *files) unrecorded(message string) {
	if s := f.summary(); s.Active() {
		f.event(journal.Event{Time: time.Now(), Run: s.Run, Body: journal.RunEnded{
			Status: journal.StatusFailed, Reason: journal.ReasonError, ExitCode: 1, Message: message, Tokens: s.Tokens, CostUSD: s.CostUSD}})
	}
}

// writeSoon writes the files when they have had time to settle.
func (f *files) writeSoon() {
	if f.soon != nil {
		return
	}
	f.soon = time.AfterFunc(settle, func() {
		f.mu.Lock()
		defer f.mu.Unlock()
		if f.soon != nil { // else they were written meanwhile
			f.write()
		}
	})
}

// write replaces the files.
func (f *files) write() {
	if f.soon != nil {
		f.soon.Stop()
		f.soon = nil
	}
	// An agent that tidied up may have taken the folder with it.
	f.try(f.statusAt, errors.Join(os.MkdirAll(filepath.Dir(f.statusAt), 0o755), journal.WriteStatus(f.statusAt, f.status)))
	state := filepath.Join(f.claudeDir, "loop-state.json")
	f.try(state, journal.WriteLoopState(state, &f.loop))
	if f.change.ChangeID != "" {
		state := filepath.Join(filepath.Dir(f.statusAt), "state.json")
		f.try(state, journal.WriteChangeState(state, &f.change))
	}
}

// summary is the state of the run as of its last event.
func (f *files) summary() journal.Status {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.status
}

// behind tells whether a unit's status.json speaks of another state than the
// journal: whoever wrote it last died, or could not. One that is not there is not
// behind, as it may be deleted at any time.
func behind(t *terminal, p *place) bool {
	f := newFiles(t, p)
	data, err := os.ReadFile(f.statusAt)
	if err != nil || f.status.Run == "" {
		return false
	}
	var said struct{ Status, Reason string }
	err = json.Unmarshal(data, &said)
	return err != nil || said.Status != string(f.status.Status) || said.Reason != string(f.status.Reason)
}

// settled writes what still waits to be written.
func (f *files) settled() {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.soon != nil {
		f.write()
	}
}

func (f *files) try(path string, err error) {
	if err != nil && !f.warned[path] {
		f.warned[path] = true
		f.t.warn("%s is not up to date: %v", path, err)
	}
}

// excluded are the derived files that git is told to overlook, and those that
// are there for a moment only.
var excluded = []string{
	"/.ralph/**/status.json", "/.ralph/**/.status.json*", "/.ralph/**/logs/", "/.ralph/**/journal*.jsonl", "/.ralph/**/report.html",
	"/.ralph/**/state/", "/.ralph/**/.archive.json*", "/.ralph/.*.removed", "/.ralph/.*.partial",
	"/.ralph/*/state.json", "/.ralph/*/.state.json*", "/.ito/.state/ralph/",
	"/.claude/loop-state.json", "/.claude/.loop-state.json*", "/.claude/ralph-loop.log", "/.claude/ralph-terminal.pid", "/.claude/.ralph-terminal.pid*",
}
