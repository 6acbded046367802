package git

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"
)

// ralph's own block of info/exclude is between these lines.
const (
	excludeBegin = "# ralph: files that ralph derives (this block is kept by ralph)"
	excludeEnd   = "# ralph: end"
)

// Exclude adds patterns to info/exclude, so that git ignores untracked files that match them.
// The patterns have the form of a .gitignore, and hold for all worktrees of the repository.
// Exclude keeps the rest of the file byte for byte, and writes nothing if nothing changes.
func (r *Repo) Exclude(patterns ...string) error {
	file := filepath.Join(r.CommonDir, "info", "exclude")
	clearHalfExcluded(filepath.Dir(file))
	// People link this file to one that they share; a rename would cut the link.
	if target, err := filepath.EvalSymlinks(file); err == nil {
		file = target
	}
	old, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("read the repository's exclude file: %w", err)
	}
	text := withBlock(string(old), patterns)
	if bytes.Equal(old, []byte(text)) {
		return nil
	}
	mode := fs.FileMode(0o644)
	if info, err := os.Stat(file); err == nil {
		mode = info.Mode().Perm()
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return fmt.Errorf("make room for the repository's exclude file: %w", err)
	}
	if err := renameio.WriteFile(file, []byte(text), mode, renameio.WithTempDir(filepath.Dir(file)), renameio.WithStaticPermissions(mode)); err != nil {
		return fmt.Errorf("write the repository's exclude file %s: %w", file, err)
	}
	return nil
}

// clearHalfExcluded removes what a writer that died has left in git's folder: a loop in
// another worktree may be writing now, which takes a moment.
func clearHalfExcluded(dir string) {
	half, _ := filepath.Glob(filepath.Join(dir, ".exclude[0-9]*"))
	for _, path := range half {
		if info, err := os.Lstat(path); err == nil && info.Mode().IsRegular() && time.Since(info.ModTime()) > time.Minute {
			_ = os.Remove(path)
		}
	}
}

// withBlock returns text with a block that holds patterns and what it held before.
func withBlock(text string, patterns []string) string {
	before, block, after := cutBlock(text)
	lines := slices.Clone(block)
	for _, pattern := range patterns {
		if !slices.Contains(lines, pattern) {
			lines = append(lines, pattern)
		}
	}
	if len(lines) == len(block) {
		return text
	}
	if before != "" && !strings.HasSuffix(before, "\n") {
		before += "\n"
	}
	return before + excludeBegin + "\n" + strings.Join(lines, "\n") + "\n" + excludeEnd + "\n" + after
}

// cutBlock splits text around its block. Without one, all of it comes before.
func cutBlock(text string) (before string, block []string, after string) {
	start := strings.Index(text, excludeBegin+"\n")
	if start < 0 {
		return text, nil, ""
	}
	rest := text[start+len(excludeBegin)+1:]
	end := strings.Index(rest, excludeEnd+"\n")
	if end < 0 {
		return text, nil, ""
	}
	if inner := strings.TrimSuffix(rest[:end], "\n"); inner != "" {
		block = strings.Split(inner, "\n")
	}
	return text[:start], block, rest[end+len(excludeEnd)+1:]
}
