package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ralph"
	"ralph/internal/agent"
	"ralph/internal/config"
	"ralph/internal/git"
)

// surroundings is where a command works that needs no worktree: repo is nil
// outside of one, and then the user's own settings are all there are.
type surroundings struct {
	repo     *git.Repo
	loaded   *config.Loaded
	settings *config.Settings
	known    []agent.Harness // built in, and named by the settings
}

// anywhere finds the worktree that the command was called in, if any, and reads
// the settings. Where they are wrong loaded is nil and the error says why; the
// rest can be used all the same, with the harnesses that are built in.
func anywhere(a *app) (*surroundings, error) {
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	s := &surroundings{}
	if s.repo, err = git.Open(a.ctx, dir); err != nil && !errors.Is(err, git.ErrNotWorktree) {
		return nil, err
	}
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("ralph cannot find its own program: %w", err)
	}
	s.known = agent.Builtin(exe)
	in := config.Input{Example: ralph.ConfigExample, UserFile: filepath.Join(a.home, "config.yaml"), Environ: os.Environ()}
	if s.repo != nil {
		in.ProjectRoot, in.ProjectFile = s.repo.Root, filepath.Join(s.repo.Root, ".ralph", "config.yaml")
	}
	if s.loaded, err = config.Load(in); err != nil {
		return s, err
	}
	s.settings = &s.loaded.Settings
	s.known = withSettings(s.known, s.settings)
	return s, nil
}

// ledgerDir is where the ledgers of calls are.
func ledgerDir(home string) string { return filepath.Join(home, "ratelimit") }
