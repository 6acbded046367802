package git

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// maxAround bounds what is read of one file of the git directory.
const maxAround = 1 << 20

// Around is what a repository does around commits, and no diff shows.
type Around struct {
	Hooks     map[string]string // fingerprints of the hooks in the git directory, by name
	HooksPath string            // core.hooksPath as the repository's own settings have it
	Excluded  []string          // patterns of info/exclude, without ralph's own
}

// Around reads the git directory's hooks and what it hides from git. It starts
// no process; what cannot be read counts as not there.
func (r *Repo) Around() Around {
	a := Around{Hooks: map[string]string{}}
	dir := filepath.Join(r.CommonDir, "hooks")
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".sample") {
			continue
		}
		file := filepath.Join(dir, e.Name())
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
			continue // git runs none of these
		}
		sum := sha256.Sum256(readBounded(file))
		a.Hooks[e.Name()] = hex.EncodeToString(sum[:8])
	}
	before, _, after := cutBlock(string(readBounded(filepath.Join(r.CommonDir, "info", "exclude"))))
	for line := range strings.Lines(before + after) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			a.Excluded = append(a.Excluded, line)
		}
	}
	slices.Sort(a.Excluded)
	a.HooksPath = hooksPath(readBounded(filepath.Join(r.CommonDir, "config"))) +
		hooksPath(readBounded(filepath.Join(r.GitDir, "config.worktree")))
	return a
}

// hooksPath finds the setting among the lines of a git configuration: that of
// another section with this key would do no harm.
func hooksPath(config []byte) string {
	found := ""
	for line := range bytes.Lines(config) {
		key, value, ok := strings.Cut(string(line), "=")
		if ok && strings.EqualFold(strings.TrimSpace(key), "hooksPath") {
			found = strings.TrimSpace(value)
		}
	}
	return found
}

// readBounded reads the beginning of a file; a FIFO in its place is empty.
func readBounded(file string) []byte {
	f, err := os.OpenFile(file, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxAround))
	if err != nil {
		return nil
	}
	return data
}
