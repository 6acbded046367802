package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"ralph/internal/agent"
	"ralph/internal/config"
	"ralph/internal/git"
	"ralph/internal/ratelimit"
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
	root := ""
	if s.repo != nil {
		root = s.repo.Root
	}
	a.warnHomeless()
	in := settingsInput(a, root, nil)
	if s.loaded, err = config.Load(in); err != nil {
		return s, err
	}
	s.settings = &s.loaded.Settings
	s.known = withSettings(s.known, s.settings)
	return s, nil
}

// ledgerDir returns the folder of the run's ledger. Without a home folder the calls are
// counted for this unit alone, in its state directory.
func (r *resolved) ledgerDir() string {
	if dir := ratelimit.Dir(r.app.home); dir != "" {
		return dir
	}
	return filepath.Join(r.place.StateDir, "ratelimit")
}
