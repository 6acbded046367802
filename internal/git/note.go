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

// AppendNote adds lines to the note of a commit under refs/notes/<ref>, after an empty line, or
// creates the note. The author is ralph, so that it works without user.name.
func (r *Repo) AppendNote(ctx context.Context, ref, commit, lines string) error {
	if err := checkRevision(commit); err != nil {
		return err
	}
	// git reads the notes and replaces them without a check for changes in between: with two
	// loops in two worktrees, one would lose its note.
	unlock, err := r.lockNotes()
	if err != nil {
		return err
	}
	defer unlock()
	before := r.notesTip()
	if err := r.appendNote(ctx, ref, commit, lines); err != nil {
		return err
	}
	return r.logNote(noteWritten{Before: before, Tip: r.notesTip(), Ref: ref, Commit: commit, Lines: lines})
}

func (r *Repo) appendNote(ctx context.Context, ref, commit, lines string) error {
	_, err := run(ctx, r.Root, []byte(lines), "-c", "user.name=ralph", "-c", "user.email=ralph@localhost",
		"notes", "--ref="+ref, "append", "-F", "-", "--", commit)
	return err
}

// notesRef holds the receipts of all loops of the repository.
const notesRef = "refs/notes/ralph"

// maxNoteLog bounds the log of notes, in bytes. It has to reach back to the start of the
// longest iteration.
const maxNoteLog = 4 << 20

// noteWritten is a line of the log of notes: what a loop wrote, in a folder that agents
// cannot write. By it Restore tells the receipts of other loops from those of an agent.
type noteWritten struct {
	Before string `json:"before"` // the ref
	Tip    string `json:"tip"`    // the ref afterwards
	Ref    string `json:"ref,omitempty"`
	Commit string `json:"commit,omitempty"` // empty: the notes were restored
	Lines  string `json:"lines,omitempty"`
}

func (r *Repo) noteLog() string { return filepath.Join(r.CommonDir, "ralph", "notes.log") }

// logNote adds a line to the log. The caller holds the lock.
func (r *Repo) logNote(n noteWritten) error {
	line, err := json.Marshal(n)
	if err != nil {
		return err
	}
	flag := os.O_APPEND | os.O_CREATE | os.O_WRONLY
	if info, err := os.Stat(r.noteLog()); err == nil && info.Size() > maxNoteLog {
		flag |= os.O_TRUNC
	}
	f, err := os.OpenFile(r.noteLog(), flag, 0o600)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	return errors.Join(err, f.Close())
}

// notesSince returns what loops wrote since the log had so many bytes.
func (r *Repo) notesSince(size int64) []noteWritten {
	data, _ := os.ReadFile(r.noteLog())
	if size <= int64(len(data)) { // else it was begun again
		data = data[size:]
	}
	var list []noteWritten
	for line := range bytes.Lines(data) {
		var n noteWritten
		if json.Unmarshal(line, &n) == nil { // a line that is cut off was of a loop that died
			list = append(list, n)
		}
	}
	return list
}

// restoreNotes undoes what loops did not write since the notes were at tip and their log had
// so many bytes. It reports whether something was undone, and what the ref was.
func (r *Repo) restoreNotes(ctx context.Context, tip string, size int64) (undone bool, was string, err error) {
	if r.notesTip() == tip {
		return false, "", nil
	}
	unlock, err := r.lockNotes()
	if err != nil {
		return false, "", err
	}
	defer unlock()
	now, at, ours := r.notesTip(), tip, true
	written := r.notesSince(size)
	for _, n := range written {
		ours = n.Commit == "" || ours && n.Before == at
		at = n.Tip
	}
	if ours && at == now {
		return false, "", nil
	}
	args := []string{"update-ref", notesRef, tip}
	if tip == "" {
		args = []string{"update-ref", "-d", notesRef}
	}
	if _, err := r.git(ctx, args...); err != nil {
		return false, "", err
	}
	for _, n := range written {
		if n.Commit != "" {
			if err := r.appendNote(ctx, n.Ref, n.Commit, n.Lines); err != nil {
				return false, "", err
			}
		}
	}
	return true, now, r.logNote(noteWritten{Before: now, Tip: r.notesTip()})
}

// notesTip returns the commit of the notes, empty where there are none.
func (r *Repo) notesTip() string { return r.refsBelow(notesRef)[notesRef] }

// lockNotes takes the lock that all worktrees of the repository share.
func (r *Repo) lockNotes() (unlock func(), err error) {
	dir := filepath.Join(r.CommonDir, "ralph")
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the lock of the notes cannot be taken: %w", err)
	}
	file, err := os.OpenFile(filepath.Join(dir, "notes.lock"), os.O_RDWR|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the lock of the notes cannot be taken: %w", err)
	}
	for {
		err = unix.Flock(int(file.Fd()), unix.LOCK_EX) // held for one call of git
		if err == nil {
			return func() { file.Close() }, nil
		}
		if err != unix.EINTR {
			file.Close()
			return nil, fmt.Errorf("the lock of the notes cannot be taken: %w", err)
		}
	}
}

// Note is the text that git notes keeps about one commit, under one ref.
type Note struct {
	Commit string // full hash; the repository need not have it
	Text   string
}

// Notes returns all notes under refs/notes/<ref>, in no particular order. It
// costs two calls of git, one where there are no notes.
func (r *Repo) Notes(ctx context.Context, ref string) ([]Note, error) {
	out, err := r.git(ctx, "notes", "--ref="+ref, "list")
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
	texts, err := r.contents(ctx, blobs)
	if err != nil {
		return nil, err
	}
	notes := make([]Note, len(commits))
	for i := range notes {
		notes[i] = Note{Commit: commits[i], Text: texts[i]}
	}
	return notes, nil
}
