package git

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// excludeTitle is the line of info/exclude before the patterns of ralph.
const excludeTitle = "# ralph: files that ralph derives"

// Exclude adds patterns to info/exclude, so that git ignores untracked files that match them.
// The patterns have the form of a .gitignore, and hold for all worktrees of the repository.
// Exclude appends them at once, and writes nothing if all are there.
func (r *Repo) Exclude(patterns ...string) error {
	path := filepath.Join(r.CommonDir, "info", "exclude")
	text, err := readFile(path)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the repository's exclude file: %w", err)
	}
	lines := strings.Split(string(text), "\n")
	missing := slices.DeleteFunc(slices.Clone(patterns), func(p string) bool { return slices.Contains(lines, p) })
	if len(missing) == 0 {
		return nil
	}
	more := excludeTitle + "\n" + strings.Join(missing, "\n") + "\n"
	if last := lines[len(lines)-1]; last != "" {
		more = "\n" + more
	}
	if err := appendAll(path, more); err != nil {
		return fmt.Errorf("write the repository's exclude file: %w", err)
	}
	return nil
}

// appendAll adds text to a file. If the disk is full, it adds nothing: a half pattern could hide
// the user's files.
func appendAll(path, text string) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o644)
	if err != nil {
		return err
	}
	defer file.Close()
	before, err := file.Stat()
	if err != nil {
		return err
	}
	if _, err := file.WriteString(text); err != nil {
		return errors.Join(err, file.Truncate(before.Size()))
	}
	return nil
}
