// Package unit is one unit on disk: it finds the unit that is meant, and owns its places, its
// locks, the requests to its loop, its status files, and the recovery of a run that died.
// It prints nothing: warnings go to [Notes], errors have their hints with them.
package unit

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ralph/internal/archive"
	"ralph/internal/change"
	"ralph/internal/checkpoint"
	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/preflight"
	"ralph/internal/registry"
	"ralph/internal/stream"
)

// Place identifies the worktree and the unit that a command works on.
type Place struct {
	Repo     *git.Repo
	Unit     string
	Branch   string
	Folder   string // of the feature, from the root
	StateDir string // of the unit, in the git directory
	Refused  error  // why the branch cannot name a unit
}

// Worktree finds the current worktree and the unit of its branch. If the branch cannot name a
// unit, the unit is empty.
func Worktree(ctx context.Context) (*Place, error) {
	return WorktreeAt(ctx, ".")
}

// WorktreeAt is like [Worktree] for the worktree that contains dir.
func WorktreeAt(ctx context.Context, dir string) (*Place, error) {
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	p := &Place{Repo: repo, Branch: head.Branch}
	var unit string
	var refused error
	if head.Branch != "" {
		unit, refused = change.UnitOf(head.Branch)
	}
	p.SwitchTo(unit, filepath.Join(".ralph", unit))
	p.Refused = refused
	return p, nil
}

// SwitchTo changes the place to another unit of the same worktree. folder is from the worktree's
// root.
func (p *Place) SwitchTo(unit, folder string) {
	p.Unit, p.Folder, p.Refused = unit, folder, nil
	p.StateDir = filepath.Join(p.Repo.GitDir, "ralph", unit)
}

// JournalPath returns the path of the unit's journal.
func (p *Place) JournalPath() string { return filepath.Join(p.StateDir, "journal.jsonl") }

// OwnerFile returns the path of the file with the name of the unit's branch.
func (p *Place) OwnerFile() string { return filepath.Join(p.StateDir, "branch") }

// PlaceAt returns the place of a unit in a worktree.
func PlaceAt(repo *git.Repo, unit string) *Place {
	p := &Place{Repo: repo}
	p.SwitchTo(unit, p.folderOf(unit))
	return p
}

// PlaceOf returns the place of an entry of the list of loops. It does not call git: it
// derives the git directory from the state directory.
func PlaceOf(e registry.Entry) *Place {
	return &Place{Repo: &git.Repo{Root: e.Worktree, GitDir: filepath.Dir(filepath.Dir(e.StateDir))},
		Unit: e.Unit, Branch: e.Branch, Folder: e.Folder, StateDir: e.StateDir}
}

// Ran reports whether the unit has a record, even if it cannot be read.
func (p *Place) Ran() bool {
	r, err := p.Record()
	return r != nil || err != nil
}

// NotAnothers returns an error if the folder belongs to another branch. The branches
// feature/a and feature-a have the same folder.
func (p *Place) NotAnothers() error {
	owner := preflight.Owner(p.OwnerFile())
	if owner == "" || owner == p.Branch {
		return nil
	}
	return hint.With(fmt.Errorf("%s/ belongs to branch %s", p.Folder, owner),
		"give one of the branches another name with: git branch -m NAME; or, if the folder is this branch's own now, remove "+p.OwnerFile())
}

// Archive returns the store of the worktree's archived features.
func (p *Place) Archive() *archive.Store {
	return archive.Open(p.Repo.Root, filepath.Join(p.Repo.GitDir, "ralph"))
}

// File returns the path of a file in the unit's folder, such as spec.md.
func (p *Place) File(name string) string { return filepath.Join(p.Repo.Root, p.Folder, name) }

// LogDir returns the folder of the agents' logs, from the worktree's root.
func (p *Place) LogDir() string { return filepath.Join(p.Folder, "logs") }

// States returns the store of the unit's checkpoints.
func (p *Place) States() checkpoint.Store { return checkpoint.Store{Repo: p.Repo, Unit: p.Unit} }

// HasFolder reports whether the path of the feature's folder exists, as a folder or as
// anything else.
func (p *Place) HasFolder() bool {
	_, err := os.Lstat(filepath.Join(p.Repo.Root, p.Folder))
	return err == nil
}

// NothingToArchive returns the error that the unit has no feature folder.
func (p *Place) NothingToArchive() error {
	return hint.With(fmt.Errorf("there is nothing to archive: %s/ does not exist", p.Folder),
		"see what is archived with: ralph archive --list; or plan a feature: ralph plan")
}

// RefuseUnitAsTask returns an error if the text of a task is the name of a known unit: the user meant
// that unit.
func (p *Place) RefuseUnitAsTask(home, text string) error {
	unit, err := change.UnitOf(text)
	if err != nil || strings.ContainsAny(text, " \t\n") {
		return nil //nolint:nilerr // it cannot be the name of a unit
	}
	known := unit == p.Unit
	if entries, _, err := registry.Entries(home); err == nil && !known {
		known = slices.ContainsFunc(entries, func(e registry.Entry) bool { return e.Unit == unit })
	}
	if !known && !IsFile(filepath.Join(p.Repo.Root, ".ralph", unit, "spec.md")) {
		return nil
	}
	return hint.With(fmt.Errorf("%q is the name of a unit, not a task", text),
		"the loop works on the branch that is checked out: git switch BRANCH, then: ralph run")
}

// MoveLogs moves the logs of the last run from dir to the folder dir/run.
func MoveLogs(dir, run string) error {
	files, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("the logs of the last run cannot be moved: %w", err)
	}
	files = slices.DeleteFunc(files, func(f os.DirEntry) bool { return f.IsDir() || !strings.HasPrefix(f.Name(), "iteration-") })
	if len(files) == 0 {
		return nil
	}
	if run == "" {
		run = "unknown-run"
	}
	to := filepath.Join(dir, run)
	if err := os.MkdirAll(to, 0o755); err != nil {
		return fmt.Errorf("the logs of the last run cannot be moved: %w", err)
	}
	for _, f := range files {
		if err := os.Rename(filepath.Join(dir, f.Name()), filepath.Join(to, f.Name())); err != nil {
			return fmt.Errorf("the logs of the last run cannot be moved: %w", err)
		}
	}
	return nil
}

// StateDirs returns the state directories of all units of a worktree.
func StateDirs(gitDir string) ([]string, error) {
	root := filepath.Join(gitDir, "ralph")
	entries, err := os.ReadDir(root)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("the state of the units cannot be read: %w", err)
	}
	var dirs []string
	for _, e := range entries {
		if e.IsDir() {
			dirs = append(dirs, filepath.Join(root, e.Name()))
		}
	}
	return dirs, nil
}

// StartLog returns the path of the file with the output of a loop without a terminal.
func (p *Place) StartLog() string { return filepath.Join(p.Repo.Root, p.LogDir(), "start.log") }

//lint:ignore ST1005 people and scripts know the sentence as it is
var ErrDetached = hint.With(errors.New("Not on a branch (detached HEAD)"), "switch to the feature's branch: git switch <branch>")

// Local returns an error with the paths in its message relative to root.
func Local(root string, err error) error { return &localError{root, err} }

type localError struct {
	root string
	err  error
}

// Error implements error.
func (e *localError) Error() string { return Relative(e.root, e.err.Error()) }

// Unwrap returns the error with whole paths.
func (e *localError) Unwrap() error { return e.err }

// Relative makes the paths in a message relative to root.
func Relative(root, message string) string {
	return strings.ReplaceAll(message, root+string(filepath.Separator), "")
}

// Name returns the name of the unit for messages, or "this worktree" without a unit.
func Name(p *Place) string {
	if p.Unit == "" {
		return "this worktree"
	}
	return stream.OneLine(p.Unit)
}
