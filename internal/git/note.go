package git

import (
	"context"
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
	_, err = run(ctx, r.Root, []byte(lines), "-c", "user.name=ralph", "-c", "user.email=ralph@localhost",
		"notes", "--ref="+ref, "append", "-F", "-", "--", commit)
	return err
}

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

// Note is the text on a commit under one ref of notes.
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
