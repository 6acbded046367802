package git

import (
	"context"
	"strings"
)

// AddNote puts text on a commit as a note, under refs/notes/<ref>, in place of
// the note that it may have there. The text is kept byte for byte. The note's
// author is ralph, so that it works where no user.name is set.
func (r *Repo) AddNote(ctx context.Context, ref, commit, text string) error {
	if err := checkRevision(commit); err != nil {
		return err
	}
	// "git notes add -F" would strip lines that begin with #; -C takes a blob as it is.
	blob, err := run(ctx, r.Root, []byte(text), "hash-object", "-w", "--stdin")
	if err != nil {
		return err
	}
	_, err = r.git(ctx, "-c", "user.name=ralph", "-c", "user.email=ralph@localhost",
		"notes", "--ref="+ref, "add", "--force", "-C", strings.TrimSpace(string(blob)), "--", commit)
	return err
}
