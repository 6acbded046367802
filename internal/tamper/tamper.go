// Package tamper finds changes that weaken the evidence and that no test run can show.
// Examples are CI and hooks that do less, checkers silenced as a whole, and files hidden from
// git. Another is code that behaves differently under test.
//
// Package proof runs the old tests. This package only reads text, and decides nothing.
package tamper

import (
	"cmp"
	"hash/maphash"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"ralph/internal/git"
)

// Finding is one place where a change weakened the evidence.
type Finding struct {
	Path    string // from the worktree's root
	Line    int    // in the new file; in the old one where the line is gone; 0 where no line says it
	Rule    string // one word with hyphens, such as ci-changed
	Message string // for the user
	Text    string // the line itself, shortened
}

// Input is the change of an iteration, for Inspect.
type Input struct {
	// Diff is what git prints for "git diff --unified=0 --find-renames", with the
	// prefixes a/ and b/. The files of [Ignored] need not be in it.
	Diff string
	// CutOff says that the diff was longer, and that only its beginning is here.
	CutOff bool
	// Root is the worktree, in which a file is read that may be generated.
	Root string
	// Open says that checks run without a room, and can read files that git does not have.
	Open bool
}

// MaxText is the largest text of a finding, in bytes.
const MaxText = 200

// maxHead bounds what is read of a file to find who wrote it, in bytes.
const maxHead = 4 << 10

// Ignored returns the patterns of third-party and generated files, which Inspect ignores. A
// pattern without a slash is a name in any folder. One that ends with a slash is a folder.
func Ignored() []string { return slices.Clone(ignored) }

// Inspect returns the places where a diff weakens the evidence, sorted by path and line. Its
// time is linear in the size of the diff.
func Inspect(in Input) []Finding {
	if in.Diff == "" && !in.CutOff {
		return nil // as before most runs: to make the patterns ready takes longer than to start git
	}
	i := &inspection{patterns: patterns(), root: in.Root, seed: maphash.MakeSeed(), removed: map[uint64]bool{}, added: map[uint64]bool{}}
	files := slices.DeleteFunc(git.ParseDiff(in.Diff), func(f git.FileDiff) bool { return i.patterns.ignored.Match(f.Path()) })
	for n := range files {
		i.note(&files[n])
	}
	for n := range files {
		before := len(i.found)
		i.lineRules(&files[n])
		i.ci(&files[n])
		i.submodule(&files[n])
		if in.Open {
			i.outside(&files[n])
		}
		if len(i.found) > before && !files[n].Deleted() && isGenerated(i.head(files[n].New)) {
			i.found = i.found[:before]
		}
	}
	if in.CutOff {
		i.add(Finding{Rule: "too-large", Message: "the changes are too large to be read to their end"})
	}
	slices.SortStableFunc(i.found, func(a, b Finding) int {
		return cmp.Or(strings.Compare(a.Path, b.Path), cmp.Compare(a.Line, b.Line), strings.Compare(a.Rule, b.Rule))
	})
	return slices.CompactFunc(i.found, func(a, b Finding) bool {
		return a.Path == b.Path && a.Line == b.Line && a.Rule == b.Rule && a.Line > 0
	})
}

// inspection is one reading of a diff.
type inspection struct {
	patterns *library
	root     string
	found    []Finding

	seed           maphash.Seed
	removed, added map[uint64]bool // lines, without the white space around them
}

func (i *inspection) add(f Finding) {
	f.Text = shorten(strings.TrimSpace(f.Text))
	i.found = append(i.found, f)
}

// note takes the lines of one file into account: they may have moved.
func (i *inspection) note(f *git.FileDiff) {
	for _, h := range f.Hunks {
		for _, line := range h.Removed {
			i.removed[i.key(line)] = true
		}
		for _, line := range h.Added {
			i.added[i.key(line)] = true
		}
	}
}

func (i *inspection) key(line string) uint64 {
	return maphash.String(i.seed, strings.TrimRight(strings.TrimSpace(line), ",; "))
}

// cameBack reports whether a removed line is in another place now.
func (i *inspection) cameBack(line string) bool { return i.added[i.key(line)] }

// wasThere reports whether an added line was in another place before.
func (i *inspection) wasThere(line string) bool { return i.removed[i.key(line)] }

// head reads the beginning of a plain file; what cannot be read is empty.
func (i *inspection) head(path string) string {
	path = filepath.Join(i.root, path)
	if info, err := os.Lstat(path); err != nil || !info.Mode().IsRegular() {
		return ""
	}
	f, err := os.Open(path)
	if err != nil {
		return ""
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, maxHead))
	if err != nil {
		return ""
	}
	return string(data)
}

// shorten cuts a text to MaxText bytes, between two characters.
func shorten(s string) string {
	if len(s) <= MaxText {
		return s
	}
	end := MaxText - len("…")
	for end > 0 && !utf8.RuneStart(s[end]) {
		end--
	}
	return s[:end] + "…"
}
