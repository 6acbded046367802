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

// maxRead bounds what is read of one file of the git directory.
const maxRead = 1 << 20

// TouchesPlan is the suffix of a hook's fingerprint if the hook names the plan's files.
const TouchesPlan = " plan"

// LocalConfig is the part of a repository that affects commits and that no diff shows.
type LocalConfig struct {
	Hooks     map[string]string // fingerprints of the hooks in the git directory, by name
	HooksPath string            // core.hooksPath as the repository's own settings have it
	Excluded  []string          // patterns of info/exclude
	// Unseen are lines that make git show files differently, or hide them: KEY = VALUE of the
	// repository's own settings, and each line of info/attributes after that path and a colon.
	Unseen []string
	// Sparse are the patterns of what is checked out; nil is all.
	Sparse []string
}

// Hooked reports whether the repository has hooks, or a setting for their folder.
func (a LocalConfig) Hooked() bool { return len(a.Hooks) > 0 || a.HooksPath != "" }

// LocalConfig reads the git directory's hooks, and the settings that hide files from git or its
// users. It starts no process. What it cannot read counts as missing.
func (r *Repo) LocalConfig() LocalConfig {
	a := LocalConfig{Hooks: map[string]string{}}
	dir := filepath.Join(r.CommonDir, "hooks")
	entries, _ := os.ReadDir(dir)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".sample") {
			continue
		}
		file := filepath.Join(dir, e.Name())
		info, err := os.Stat(file)
		if err != nil || !info.Mode().IsRegular() || info.Mode().Perm()&0o111 == 0 {
			continue // git does not run these
		}
		text := readBounded(file)
		sum := sha256.Sum256(text)
		a.Hooks[e.Name()] = hex.EncodeToString(sum[:8])
		if bytes.Contains(text, []byte(".ralph")) || bytes.Contains(text, []byte("prd.json")) {
			a.Hooks[e.Name()] += TouchesPlan
		}
	}
	a.Excluded = linesOf(filepath.Join(r.CommonDir, "info", "exclude"))
	slices.Sort(a.Excluded)
	sparse := false
	for _, file := range []string{filepath.Join(r.CommonDir, "config"), filepath.Join(r.GitDir, "config.worktree")} {
		for _, s := range settingsIn(string(readBounded(file))) {
			switch key := s.section + "." + s.key; {
			case key == "core.hookspath":
				a.HooksPath += s.value
			case key == "core.sparsecheckout":
				sparse = slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(s.value))
			case s.key != "" && blinds(key):
				a.Unseen = append(a.Unseen, key+" = "+s.value)
			}
		}
	}
	for _, line := range linesOf(filepath.Join(r.CommonDir, "info", "attributes")) {
		a.Unseen = append(a.Unseen, "info/attributes: "+line)
	}
	if sparse {
		a.Sparse = append([]string{}, linesOf(filepath.Join(r.GitDir, "info", "sparse-checkout"))...)
	}
	return a
}

// linesOf returns the lines of a list of patterns, without remarks.
func linesOf(file string) []string {
	var list []string
	for line := range strings.Lines(string(readBounded(file))) {
		if line = strings.TrimSpace(line); line != "" && line[0] != '#' {
			list = append(list, line)
		}
	}
	return list
}

// blinds reports whether a setting decides which files git reads, or how it reads their content.
func blinds(key string) bool {
	switch key {
	case "core.attributesfile", "core.excludesfile", "core.checkstat", "core.trustctime", "core.ignorestat", "core.filemode",
		"core.worktree", "include.path":
		return true
	}
	return strings.HasPrefix(key, "filter.") || strings.HasPrefix(key, "includeif.")
}

// readBounded reads the beginning of a file; a FIFO in its place is empty.
func readBounded(file string) []byte {
	f, err := os.OpenFile(file, os.O_RDONLY|unix.O_NONBLOCK, 0)
	if err != nil {
		return nil
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxRead))
	if err != nil {
		return nil
	}
	return data
}
