package git

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"io"
	"iter"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"golang.org/x/sys/unix"
)

// maxAround bounds what is read of one file of the git directory.
const maxAround = 1 << 20

// TouchesPlan is the suffix of a hook's fingerprint if the hook names the plan's files.
const TouchesPlan = " plan"

// Around describes the parts of a repository that affect commits and that no diff shows.
type Around struct {
	Hooks     map[string]string // fingerprints of the hooks in the git directory, by name
	HooksPath string            // core.hooksPath as the repository's own settings have it
	Excluded  []string          // patterns of info/exclude
	// Unseen are lines that make git show files differently, or hide them: KEY = VALUE of the
	// repository's own settings, and each line of info/attributes after that path and a colon.
	Unseen []string
	// Sparse are the patterns of what is checked out; nil is all.
	Sparse []string
}

// Around reads the git directory's hooks, and the settings that hide files from git or its
// users. It starts no process. What it cannot read counts as missing.
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
		for key, value := range settingsIn(string(readBounded(file))) {
			switch {
			case key == "core.hookspath":
				a.HooksPath += value
			case key == "core.sparsecheckout":
				sparse = slices.Contains([]string{"true", "yes", "on", "1"}, strings.ToLower(value))
			case blinds(key):
				a.Unseen = append(a.Unseen, key+" = "+value)
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

// settingsIn yields the settings of a git configuration, section and name in lower case. A value
// that continues on the next line is cut there; it still differs.
func settingsIn(config string) iter.Seq2[string, string] {
	return func(yield func(key, value string) bool) {
		section := ""
		for line := range strings.Lines(config) {
			line = strings.TrimSpace(line)
			if rest, ok := strings.CutPrefix(line, "["); ok {
				head, after, _ := strings.Cut(rest, "]")
				if strings.Contains(head, `"`) { // the name of a subsection may hold the bracket too
					head, after, _ = strings.Cut(rest, `"]`)
				}
				name, sub, _ := strings.Cut(head, " ")
				section = strings.ToLower(name) + "."
				if sub = strings.Trim(strings.TrimSpace(sub), `"`); sub != "" {
					section += sub + "."
				}
				line = strings.TrimSpace(after) // a setting may be in the section's own line
			}
			if line == "" || line[0] == '#' || line[0] == ';' {
				continue
			}
			key, value, ok := strings.Cut(line, "=")
			if !ok {
				value = "true"
			}
			if !yield(section+strings.ToLower(strings.TrimSpace(key)), strings.TrimSpace(value)) {
				return
			}
		}
	}
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
