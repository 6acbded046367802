package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ralph/internal/archive"
	"ralph/internal/checkpoint"
	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/preflight"
	"ralph/internal/registry"
	"ralph/internal/stream"
)

// place is where a command works: a worktree, and a unit in it.
type place struct {
	repo     *git.Repo
	unit     string
	branch   string
	folder   string // of the feature, from the root
	stateDir string // of the unit, in the git directory
	refused  error  // why the branch cannot name a unit
}

// here finds the worktree that the command was called in and the unit of its
// branch, or the one that was named.
func here(ctx context.Context, unit string) (*place, error) {
	p, err := worktree(ctx, unit)
	if err == nil {
		err = p.refused
	}
	if err != nil {
		return nil, err
	}
	return p, nil
}

// worktree is here for commands that have something to say or do also where the
// branch cannot name a unit. The unit is empty then.
func worktree(ctx context.Context, unit string) (*place, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	return worktreeAt(ctx, dir, unit)
}

// worktreeAt is worktree for the one that a directory is in.
func worktreeAt(ctx context.Context, dir, unit string) (*place, error) {
	repo, err := git.Open(ctx, dir)
	if err != nil {
		return nil, err
	}
	head, err := repo.Head(ctx)
	if err != nil {
		return nil, err
	}
	p := &place{repo: repo, branch: head.Branch}
	var refused error
	if unit == "" && head.Branch != "" {
		unit, refused = git.UnitOf(head.Branch)
	}
	p.work(unit, filepath.Join(".ralph", unit))
	p.refused = refused
	return p, nil
}

// work makes the place one of another unit; folder is from the worktree's root.
func (p *place) work(unit, folder string) {
	p.unit, p.folder, p.refused = unit, folder, nil
	p.stateDir = filepath.Join(p.repo.GitDir, "ralph", unit)
}

func (p *place) journalPath() string { return filepath.Join(p.stateDir, "journal.jsonl") }

func (p *place) ownerFile() string { return filepath.Join(p.stateDir, "branch") }

// notAnothers refuses to change the folder of another branch: feature/a and
// feature-a have the same.
func (p *place) notAnothers() error {
	owner := preflight.Owner(p.ownerFile())
	if owner == "" || owner == p.branch {
		return nil
	}
	return hint.With(fmt.Errorf("%s/ belongs to branch %s", p.folder, owner),
		"give one of the branches another name with: git branch -m NAME; or, if the folder is this branch's own now, remove "+p.ownerFile())
}

// archive is where the worktree's finished features are.
func (p *place) archive() *archive.Store {
	return archive.Open(p.repo.Root, filepath.Join(p.repo.GitDir, "ralph"))
}

func (p *place) logDir() string { return filepath.Join(p.folder, "logs") }

// states are the kept states of the unit's worktree.
func (p *place) states() checkpoint.Store { return checkpoint.Store{Repo: p.repo, Unit: p.unit} }

// hasFolder tells whether something stands in the place of the feature's folder.
func (p *place) hasFolder() bool {
	_, err := os.Lstat(filepath.Join(p.repo.Root, p.folder))
	return err == nil
}

func (p *place) nothingToArchive() error {
	return hint.With(fmt.Errorf("there is nothing to archive: %s/ does not exist", p.folder),
		"see what is archived with: ralph archive --list; or plan a feature: ralph plan")
}

// notAUnit refuses a task that is the name of a unit: the user meant that unit.
func (p *place) notAUnit(home, text string) error {
	unit, err := git.UnitOf(text)
	if err != nil || strings.ContainsAny(text, " \t\n") {
		return nil //nolint:nilerr // it cannot be the name of a unit
	}
	known := unit == p.unit
	if entries, _, err := registry.Entries(home); err == nil && !known {
		known = slices.ContainsFunc(entries, func(e registry.Entry) bool { return e.Unit == unit })
	}
	if !known && !isFile(filepath.Join(p.repo.Root, ".ralph", unit, "spec.md")) {
		return nil
	}
	return hint.With(fmt.Errorf("%q is the name of a unit, not a task", text),
		"the loop works on the branch that is checked out: git switch BRANCH, then: ralph run")
}

// moveLogs puts the logs of the last run away.
func moveLogs(dir, run string) error {
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

// startLog is where the output of a loop goes that no terminal belongs to.
func (p *place) startLog() string { return filepath.Join(p.repo.Root, p.logDir(), "start.log") }

//lint:ignore ST1005 people and scripts know the sentence as it is
var errDetached = hint.With(errors.New("Not on a branch (detached HEAD)"), "switch to the feature's branch: git switch <branch>")

// relative shortens the paths in a message to those from the worktree's root.
func relative(root, message string) string {
	return strings.ReplaceAll(message, root+string(filepath.Separator), "")
}

func nameOf(p *place) string {
	if p.unit == "" {
		return "this worktree"
	}
	return stream.OneLine(p.unit)
}
