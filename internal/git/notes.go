package git

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"
)

// notesRef holds the receipts of all loops of the repository.
const notesRef = "refs/notes/ralph"

// Notes are ralph's git notes: the receipts of all worktrees of a repository.
type Notes struct{ repo *Repo }

// Notes returns ralph's notes.
func (r *Repo) Notes() Notes { return Notes{r} }

// Append adds lines to the note of a commit, after an empty line, or creates the note. The
// author is ralph, so that it works without user.name.
func (n Notes) Append(ctx context.Context, commit, lines string) error {
	if err := checkRevision(commit); err != nil {
		return err
	}
	// git reads the notes and replaces them without a check for changes in between: with two
	// loops in two worktrees, one would lose its note.
	unlock, err := n.lock()
	if err != nil {
		return err
	}
	defer unlock()
	before := n.tip()
	if err := n.append(ctx, commit, lines); err != nil {
		return err
	}
	return n.record(noteWritten{Before: before, Tip: n.tip(), Commit: commit, Lines: lines})
}

func (n Notes) append(ctx context.Context, commit, lines string) error {
	_, err := n.repo.gitWith(ctx, []byte(lines), "-c", "user.name=ralph", "-c", "user.email=ralph@localhost",
		"notes", "--ref="+notesRef, "append", "-F", "-", "--", commit)
	return err
}

// maxNoteLog bounds the log of notes, in bytes. It has to reach back to the start of the
// longest iteration.
const maxNoteLog = 4 << 20

// noteWritten is a line of the log of notes: what a loop wrote, in a folder that agents
// cannot write. Restore keeps the receipts with such a line: they are of other loops, not of an agent.
type noteWritten struct {
	Before string `json:"before"`           // the ref
	Tip    string `json:"tip"`              // the ref afterwards
	Commit string `json:"commit,omitempty"` // empty: the notes were restored
	Lines  string `json:"lines,omitempty"`
}

func (n Notes) log() string { return filepath.Join(n.repo.CommonDir, "ralph", "notes.log") }

// logSize returns the size of the log in bytes.
func (n Notes) logSize() int64 {
	info, err := os.Stat(n.log())
	if err != nil {
		return 0
	}
	return info.Size()
}

// record adds a line to the log. The caller holds the lock.
func (n Notes) record(w noteWritten) error {
	line, err := json.Marshal(w)
	if err != nil {
		return err
	}
	flag := os.O_APPEND | os.O_CREATE | os.O_WRONLY
	if n.logSize() > maxNoteLog {
		flag |= os.O_TRUNC
	}
	f, err := os.OpenFile(n.log(), flag, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// since returns what loops wrote since the log had so many bytes.
func (n Notes) since(size int64) []noteWritten {
	data, _ := readFile(n.log())
	if size <= int64(len(data)) { // else it was started again
		data = data[size:]
	}
	var list []noteWritten
	for line := range bytes.Lines(data) {
		var w noteWritten
		if json.Unmarshal(line, &w) == nil { // a line that is cut off was of a loop that died
			list = append(list, w)
		}
	}
	return list
}

// restore undoes what loops did not write since the notes were at tip and their log had so many
// bytes. It reports whether something was undone, and what the ref was.
func (n Notes) restore(ctx context.Context, tip string, size int64) (undone bool, was string, err error) {
	if n.tip() == tip {
		return false, "", nil
	}
	unlock, err := n.lock()
	if err != nil {
		return false, "", err
	}
	defer unlock()
	now, at, ours := n.tip(), tip, true
	written := n.since(size)
	for _, w := range written {
		ours = w.Commit == "" || ours && w.Before == at
		at = w.Tip
	}
	if ours && at == now {
		return false, "", nil
	}
	if err := n.repo.SetRef(ctx, notesRef, tip); err != nil {
		return false, "", err
	}
	for _, w := range written {
		if w.Commit != "" {
			if err := n.append(ctx, w.Commit, w.Lines); err != nil {
				return false, "", err
			}
		}
	}
	return true, now, n.record(noteWritten{Before: now, Tip: n.tip()})
}

// tip returns the commit of the notes, empty where there are none.
func (n Notes) tip() string { return n.repo.refsBelow(notesRef)[notesRef] }

// lock takes the lock that all worktrees of the repository share.
func (n Notes) lock() (unlock func(), err error) {
	file, err := lockFile(filepath.Join(n.repo.CommonDir, "ralph", "notes.lock"))
	if err != nil {
		return nil, fmt.Errorf("the lock of the notes cannot be taken: %w", err)
	}
	return func() { file.Close() }, nil
}

// lockFile waits until no one else holds the lock on a file.
func lockFile(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, err
	}
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, err
	}
	for err = unix.EINTR; err == unix.EINTR; {
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX)
	}
	if err != nil {
		file.Close()
		return nil, err
	}
	return file, nil
}

// CommitNote is the text that git notes keeps about one commit, under one ref.
type CommitNote struct {
	Commit string // full hash; the repository need not have it
	Text   string
}

// List returns all notes, in no particular order. It calls git twice, or once if there are no
// notes.
func (n Notes) List(ctx context.Context) ([]CommitNote, error) {
	out, err := n.repo.git(ctx, "notes", "--ref="+notesRef, "list")
	if err != nil {
		return nil, err
	}
	var blobs, commits []string
	for line := range strings.Lines(string(out)) {
		if blob, commit, ok := strings.Cut(strings.TrimSpace(line), " "); ok && isHash(blob) && isHash(commit) {
			blobs, commits = append(blobs, blob), append(commits, commit)
		}
	}
	if len(blobs) == 0 {
		return nil, nil
	}
	texts, err := n.repo.Contents(ctx, blobs...)
	if err != nil {
		return nil, err
	}
	notes := make([]CommitNote, len(commits))
	for i := range notes {
		notes[i] = CommitNote{Commit: commits[i], Text: texts[i]}
	}
	return notes, nil
}
