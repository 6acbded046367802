// Package archive moves finished features into an archive and restores them.
//
// A feature has two folders: .ralph/<unit> in the worktree, and its state
// directory in the git directory, which holds the journal. Store.Put moves both into
// one folder, .ralph/archive/<YYYYMMDD-HHMMSS>-<unit>, in these steps:
//
//  1. write an intent into the state directory
//  2. write a manifest into the feature folder
//  3. link or copy the journal into the feature folder
//  4. rename the feature folder into the archive
//  5. remove the journal from the state directory, then the intent
//
// The rename decides. Before it, everything is in its old place; after it, everything
// is in the archive. After a crash, [Store.Finish] finds the intent and does the
// remaining steps. [Store.Restore] works the same way in the other direction. Callers
// hold the unit's lock. Its file never moves.
package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"ralph/internal/regular"
)

// The names that an archive is made of.
const (
	journalName  = "journal.jsonl"
	manifestName = "archive.json"   // in an archive
	intentName   = "archiving.json" // in a state directory
	stateFolder  = "state"          // in an archive: what else of the state directory is kept
	timeLayout   = "20060102-150405"
	maxUnit      = 200     // bytes: time, suffix and unit are one file name
	maxManifest  = 1 << 20 // bytes
)

// Store is the archive of one worktree.
type Store struct {
	worktree string
	state    string
	rename   func(from, to string) error
	link     func(from, to string) error
	step     func(done string) // called after each step
}

// Open returns the archive of the worktree at this root. state is the folder that holds the
// units' state directories. Open creates nothing.
func Open(worktree, state string) *Store {
	return &Store{worktree: worktree, state: state, rename: os.Rename, link: os.Link, step: func(string) {}}
}

// Entry describes one archived feature. Its JSON form is printed by `archive --list --json`.
type Entry struct {
	Name            string    `json:"name"`
	Unit            string    `json:"unit"`
	ArchivedAt      time.Time `json:"archivedAt"`
	Path            string    `json:"path"`            // from the worktree's root, with slashes
	StoriesComplete *int      `json:"storiesComplete"` // nil if the archive does not say
	StoriesTotal    *int      `json:"storiesTotal"`
}

// Journal returns the path of the archived journal. The file does not exist if the feature
// never ran.
func (s *Store) Journal(e Entry) string {
	return filepath.Join(s.folder(e.Name), journalName)
}

// intent is what is being done, and the manifest of an archive.
type intent struct {
	Restore    bool      `json:"restore,omitempty"`
	Name       string    `json:"name"`
	Unit       string    `json:"unit"`
	ArchivedAt time.Time `json:"archivedAt"`
	State      []item    `json:"state"` // what came from the state directory
}

// item is a file or folder of the state directory that is worth keeping.
type item struct {
	From string `json:"from"` // in the state directory
	To   string `json:"to"`   // in the archive
}

func (in intent) entry() Entry {
	return Entry{Name: in.Name, Unit: in.Unit, ArchivedAt: in.ArchivedAt, Path: path.Join(".ralph/archive", in.Name)}
}

func (s *Store) root() string                { return filepath.Join(s.worktree, ".ralph", "archive") }
func (s *Store) folder(name string) string   { return filepath.Join(s.root(), name) }
func (s *Store) feature(unit string) string  { return filepath.Join(s.worktree, ".ralph", unit) }
func (s *Store) stateDir(unit string) string { return filepath.Join(s.state, unit) }
func (s *Store) intent(unit string) string   { return filepath.Join(s.state, unit, intentName) }

// checkUnit refuses names that would lead somewhere else.
func checkUnit(unit string) error {
	switch {
	case unit == "" || unit == "archive" || strings.HasPrefix(unit, ".") || strings.ContainsAny(unit, "/\x00"):
		return fmt.Errorf("%q cannot be the name of a unit", unit)
	case len(unit) > maxUnit:
		return fmt.Errorf("the unit's name is too long for an archive: %d bytes, at most %d", len(unit), maxUnit)
	}
	return nil
}

// checkFolder refuses a path that is there but is no real directory. A
// symbolic link could lead out of the worktree.
func checkFolder(path string) error {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return err
	case info.Mode()&fs.ModeSymlink != 0:
		return fmt.Errorf("%s is a symbolic link; put a real folder in its place", path)
	case !info.IsDir():
		return fmt.Errorf("%s is not a folder; move it out of the way", path)
	}
	return nil
}

// freeName returns a name for an archive made now: the time, -2, -3, … if the name is
// taken, and the unit.
func (s *Store) freeName(unit string, now time.Time) (string, error) {
	stamp := now.UTC().Format(timeLayout)
	name := stamp + "-" + unit
	for n := 2; ; n++ {
		_, err := os.Lstat(s.folder(name))
		if errors.Is(err, fs.ErrNotExist) {
			return name, nil
		}
		if err != nil {
			return "", err
		}
		name = stamp + "-" + strconv.Itoa(n) + "-" + unit
	}
}

// readIntent reads an intent or a manifest. What does not name a unit and an
// archive as this package would is an error: paths are made of both.
func readIntent(path string) (intent, error) {
	data, err := regular.Read(path, maxManifest)
	if err != nil {
		return intent{}, err
	}
	var in intent
	if err := json.Unmarshal(data, &in); err != nil {
		return intent{}, fmt.Errorf("%s cannot be read: %w", path, err)
	}
	if err := checkUnit(in.Unit); err != nil {
		return intent{}, fmt.Errorf("%s: %w", path, err)
	}
	if _, ok := seqOf(in.Name, in.Unit); !ok {
		return intent{}, fmt.Errorf("%s: %q is not an archive of unit %s", path, in.Name, in.Unit)
	}
	for _, it := range in.State {
		if !filepath.IsLocal(it.From) || !filepath.IsLocal(it.To) {
			return intent{}, fmt.Errorf("%s: a path leads out of the archive", path)
		}
	}
	return in, nil
}

func writeIntent(path string, in intent) error {
	data, err := json.MarshalIndent(in, "", "  ")
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	if err := sweepTemporary(path); err != nil {
		return err
	}
	if err := renameio.WriteFile(path, append(data, '\n'), 0o600, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return err
	}
	return syncDir(filepath.Dir(path))
}

// seqOf returns the number of an archive within its second: it is between the time and
// the unit's name. Without a number it is 1.
func seqOf(name, unit string) (seq int, ok bool) {
	rest, ok := strings.CutSuffix(name, "-"+unit)
	if !ok || len(rest) < len(timeLayout) {
		return 0, false
	}
	if _, err := time.Parse(timeLayout, rest[:len(timeLayout)]); err != nil {
		return 0, false
	}
	rest = rest[len(timeLayout):]
	if rest == "" {
		return 1, true
	}
	seq, err := strconv.Atoi(strings.TrimPrefix(rest, "-"))
	return seq, err == nil && seq > 1 && rest[0] == '-'
}
