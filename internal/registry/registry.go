// Package registry remembers which loops exist on this machine, for commands
// that list them: one small file per worktree and unit. It only says where to
// look; whether a loop is running is in its journal and its lock.
package registry

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"ralph/internal/regular"
)

// maxEntry bounds what is read of an entry, in bytes.
const maxEntry = 1 << 20

// Entry is one unit that has run.
type Entry struct {
	Unit     string    `json:"unit"`
	Plan     string    `json:"plan"` // prd, tasks, change or prompt
	Worktree string    `json:"worktree"`
	Branch   string    `json:"branch"`
	StateDir string    `json:"stateDir"` // the unit's: its journal, its lock
	Folder   string    `json:"folder"`   // from the worktree's root: where status.json and the logs are
	Updated  time.Time `json:"updated"`  // the start of its last run
}

// Dir returns the folder of the entries in ralph's home folder. It returns "" without a home
// folder. Then Entries returns none, and Register and Remove change nothing.
func Dir(home string) string {
	if home == "" {
		return ""
	}
	return filepath.Join(home, "loops")
}

// file returns the name of an entry's file, a hash of its identity: the identity itself may be
// too long for a file name or contain other characters.
func file(home, worktree, unit string) string {
	sum := sha256.Sum256([]byte(worktree + "\x00" + unit))
	return filepath.Join(Dir(home), hex.EncodeToString(sum[:12])+".json")
}

// Register adds an entry or replaces the one of the same worktree and unit.
func Register(home string, e Entry) error {
	if home == "" {
		return nil
	}
	if err := os.MkdirAll(Dir(home), 0o700); err != nil {
		return fmt.Errorf("the list of loops cannot be written: %w", err)
	}
	data, err := json.Marshal(e)
	if err != nil {
		return fmt.Errorf("the list of loops cannot be written: %w", err)
	}
	path := file(home, e.Worktree, e.Unit)
	if err := renameio.WriteFile(path, append(data, '\n'), 0o600, renameio.WithTempDir(Dir(home))); err != nil {
		return fmt.Errorf("the list of loops cannot be written: %w", err)
	}
	return nil
}

// Remove deletes the entry of a unit. A missing entry is not an error.
func Remove(home, worktree, unit string) error {
	if home == "" {
		return nil
	}
	err := os.Remove(file(home, worktree, unit))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("a loop cannot be removed from the list: %w", err)
	}
	return nil
}

// Entries returns all entries, sorted by worktree and unit. It leaves out files that it cannot
// read, and returns their paths in broken.
func Entries(home string) (entries []Entry, broken []string, err error) {
	if home == "" {
		return nil, nil, nil
	}
	files, err := os.ReadDir(Dir(home))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, nil, fmt.Errorf("the list of loops cannot be read: %w", err)
	}
	for _, f := range files {
		if !strings.HasSuffix(f.Name(), ".json") {
			continue // a file still being written
		}
		path := filepath.Join(Dir(home), f.Name())
		data, err := regular.Read(path, maxEntry)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		var e Entry
		if err != nil || json.Unmarshal(data, &e) != nil || e.Worktree == "" || e.Unit == "" {
			broken = append(broken, path)
			continue
		}
		entries = append(entries, e)
	}
	slices.SortFunc(entries, func(a, b Entry) int {
		if c := strings.Compare(a.Worktree, b.Worktree); c != 0 {
			return c
		}
		return strings.Compare(a.Unit, b.Unit)
	})
	return entries, broken, nil
}

// Stale reports whether the entry's worktree no longer exists. A worktree that cannot be
// inspected is not stale.
func (e Entry) Stale() bool {
	_, err := os.Stat(e.Worktree)
	return errors.Is(err, fs.ErrNotExist)
}

// Clear removes the entries of worktrees that are gone, and returns how many.
func Clear(home string) (int, error) {
	entries, _, err := Entries(home)
	if err != nil {
		return 0, err
	}
	n := 0
	for _, e := range entries {
		if !e.Stale() {
			continue
		}
		if err := Remove(home, e.Worktree, e.Unit); err != nil {
			return n, err
		}
		n++
	}
	return n, nil
}
