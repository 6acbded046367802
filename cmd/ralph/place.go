package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"ralph/internal/archive"
	"ralph/internal/checkpoint"
	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/preflight"
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

// ralphHome returns the user's folder for settings, the ledgers of calls and the list of
// loops. It is empty where no home folder is known: a folder that others can write must
// never take its place, because settings name programs that ralph runs.
func ralphHome() string {
	if dir := os.Getenv("RALPH_HOME"); dir != "" {
		if abs, err := filepath.Abs(dir); err == nil {
			return abs
		}
		return dir
	}
	home, err := os.UserHomeDir()
	if err != nil || !filepath.IsAbs(home) {
		return ""
	}
	return filepath.Join(home, ".ralph")
}

// warnHomeless says once that no home folder is known, and what is not used then.
func (a *app) warnHomeless() {
	if a.home != "" || a.homelessSaid {
		return
	}
	a.homelessSaid = true
	a.t.Warn("no home folder is known (HOME is not set): your settings, the list of loops and the " +
		"common count of calls are not used; set HOME or RALPH_HOME")
}

// states are the kept states of the unit's worktree.
func (p *place) states() checkpoint.Store { return checkpoint.Store{Repo: p.repo, Unit: p.unit} }
