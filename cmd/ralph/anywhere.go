package main

import (
	"errors"

	"ralph/internal/agent"
	"ralph/internal/config"
	"ralph/internal/git"
	"ralph/internal/launch"
)

// surroundings is where a command works that needs no worktree: repo is nil
// outside of one, and then the user's own settings are all there are.
type surroundings struct {
	repo     *git.Repo
	loaded   *config.Loaded
	settings *config.Settings
	known    []agent.Harness // built in, and named by the settings
}

// root is the worktree's, "" outside of one.
func (s *surroundings) root() string {
	if s.repo == nil {
		return ""
	}
	return s.repo.Root
}

// anywhere finds the worktree that the command was called in, if any, and reads
// the settings. Where they are wrong loaded is nil and the error says why; the
// rest can be used all the same, with the harnesses that are built in.
func anywhere(a *app) (*surroundings, error) {
	s := &surroundings{}
	var err error
	if s.repo, err = git.Open(a.ctx, "."); err != nil && !errors.Is(err, git.ErrNotWorktree) {
		return nil, err
	}
	a.warnHomeless()
	loaded, wrong := config.Load(settingsInput(a, s.root(), nil))
	if wrong == nil {
		s.loaded, s.settings = loaded, &loaded.Settings
	}
	if s.known, err = launch.Harnesses(s.settings); err != nil {
		return nil, err
	}
	return s, wrong
}
