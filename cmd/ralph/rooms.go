package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ralph/internal/agent"
	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/hint"
	"ralph/internal/plan"
	"ralph/internal/preflight"
	"ralph/internal/room"
)

// seal finds out whether rooms can be made, and prepares those of the run. It says once what
// is sealed and what is not; where rooms are required and cannot be made, it fails.
func (r *resolved) seal() error {
	home, _ := os.UserHomeDir()
	if r.plan != nil {
		r.guard(home)
	}
	mode := r.settings.Sandbox.Mode
	if mode == "off" {
		r.app.t.Warn("nothing is sealed (sandbox: off): agents and checks can change everything that you can")
		return nil
	}
	program, err := room.Find(r.app.ctx)
	if err == nil {
		err = notOurs(r.place.Repo.Root)
	}
	var none *room.Unavailable
	switch {
	case errors.As(err, &none) && mode == "require":
		return hint.With(fmt.Errorf("no sealed room can be made, and sandbox.mode is require: %w", err), none.Hint)
	case errors.As(err, &none):
		r.app.t.Warn("nothing is sealed: %s; agents and checks can change everything that you can", none.Why)
		if none.Hint != "" {
			r.app.t.Hint(none.Hint)
		}
		return nil
	case err != nil:
		return err
	}
	s := r.settings.Sandbox
	site := room.Site{Program: program, Root: r.place.Repo.Root, GitDir: r.place.Repo.GitDir, Common: r.place.Repo.CommonDir,
		Home: home, Own: r.app.home, Env: os.Environ(), Read: s.Read, Write: s.Write, Hide: s.Hide}.Survey()
	scratch := ""
	if r.plan != nil { // a run; others write nothing in the repository
		scratch = filepath.Join(r.place.StateDir, "rooms")
		check.SweepRooms(scratch)
	}
	r.checkRooms = &check.Rooms{Site: site, Require: mode == "require", Network: r.settings.Proof.Network, Scratch: scratch,
		Keep: []string{filepath.Join(site.Root, ".ralph")},
		Deps: r.deps()}
	if scratch == "" {
		return nil
	}
	rooms := &agent.Rooms{Site: site, Scratch: filepath.Join(scratch, "room-agent"), Protect: r.protected()}
	r.agent.Rooms = rooms
	for i := range r.fallback {
		r.fallback[i].Options.Rooms = rooms
	}
	return nil
}

// deps are the dependencies that the checks get although git does not have them.
func (r *resolved) deps() *check.Deps {
	proof := r.settings.Proof
	return &check.Deps{Repo: r.place.Repo, Prepare: proof.Prepare, Borrow: proof.Borrow, Limit: r.settings.Defaults.TimeoutMinutes.Duration(),
		Store: filepath.Join(r.place.Repo.GitDir, "ralph", ".prepared")}
}

// guard has what no room can protect restored after each agent, with and without rooms.
func (r *resolved) guard(home string) {
	g := &agent.Guard{Repo: r.place.Repo, Refs: r.place.States().Prefix(), Home: home, Env: os.Environ(), Kept: filepath.Join(r.place.StateDir, "snapshot", "replaced")}
	r.agent.Guard = g
	for i := range r.fallback {
		r.fallback[i].Options.Guard = g
	}
}

// notOurs is the error where the worktree belongs to another user: root in a room has no
// right to files of others.
func notOurs(root string) error {
	if owner, known := git.Owner(root); known && owner != os.Geteuid() && os.Geteuid() == 0 {
		return &room.Unavailable{Why: fmt.Sprintf("the worktree belongs to user %d, and root has no right to it in a room", owner),
			Hint: fmt.Sprintf("run ralph as that user, or take the worktree over: chown -R 0 %s", root)}
	}
	return nil
}

// protected are the plan's files that are mounted read-only for the agent: those that git
// does not track, because git could not replace them then. The guard restores the others.
func (r *resolved) protected() []string {
	candidates := []string{filepath.Join(".ralph", "config.yaml")}
	if r.plan != nil && r.plan.Kind() == plan.KindPRD {
		for _, name := range []string{"spec.md", "prompt.md", "specs"} {
			candidates = append(candidates, filepath.Join(r.place.Folder, name))
		}
	}
	tracked, err := r.place.Repo.Tracked(r.app.ctx, r.place.Repo.Root)
	if err != nil {
		return nil
	}
	var list []string
	for _, name := range candidates {
		known := false
		for _, file := range tracked {
			known = known || file == name || strings.HasPrefix(file, name+"/")
		}
		if !known {
			list = append(list, filepath.Join(r.place.Repo.Root, name))
		}
	}
	return list
}

// describeRooms says where agent and checks run, and what the checks get.
func (r *resolved) describeRooms() string {
	if r.checkRooms == nil {
		return ""
	}
	text := "agent and checks in sealed rooms"
	var extra []string
	if r.checkRooms.Network {
		extra = append(extra, "checks have the network")
	}
	if n := len(r.settings.Proof.Prepare); n > 0 {
		extra = append(extra, "dependencies from proof.prepare")
	} else if folders, err := r.checkRooms.Deps.Folders(r.app.ctx); err == nil && len(folders) > 0 {
		extra = append(extra, "checks borrow "+strings.Join(folders, ", "))
	}
	if len(extra) > 0 {
		text += " (" + strings.Join(extra, "; ") + ")"
	}
	return text
}

// roomsFinding says what is sealed in a run here, what is not, and why.
func roomsFinding(ctx context.Context, s *surroundings) preflight.Check {
	c := preflight.Check{ID: "rooms", Severity: preflight.OK}
	tell := func(format string, args ...any) {
		c.Details = append(c.Details, preflight.Detail{Text: fmt.Sprintf(format, args...)})
	}
	mode := "auto"
	if s.settings != nil {
		mode = s.settings.Sandbox.Mode
	}
	if mode == "off" {
		c.Severity, c.Message = preflight.Warn, "Nothing is sealed: sandbox is off"
		c.Hint = "Agents and checks can change everything that you can. Set \"sandbox: auto\" in ~/.ralph/config.yaml."
		return c
	}
	program, err := room.Find(ctx)
	if err == nil && s.repo != nil {
		err = notOurs(s.repo.Root)
	}
	var none *room.Unavailable
	if errors.As(err, &none) {
		c.Severity, c.Message, c.Hint = preflight.Warn, "Nothing is sealed: "+none.Why, none.Hint
		if mode == "require" {
			c.Severity, c.Message = preflight.Error, "No run can start: sandbox is require, and "+none.Why
		}
		return c
	}
	c.Message = "Agents and checks run in sealed rooms (" + program + ")"
	if s.repo == nil || s.settings == nil {
		return c
	}
	tell("agents: write the worktree, the repository, their own folders and the caches; do not see ~/.ssh, ~/.aws, ~/.gnupg, ~/.ralph and sockets in /run")
	tell("agents: the network is open, abstract sockets and ports of this machine too; sandbox.hide hides more paths")
	network := "no network"
	if s.settings.Proof.Network {
		network = "the network (proof.network)"
	}
	tell("checks: a copy of the commit, the toolchains and the caches, read-only, %s; no home folder", network)
	deps := &check.Deps{Repo: s.repo, Prepare: s.settings.Proof.Prepare, Borrow: s.settings.Proof.Borrow}
	switch folders, err := deps.Folders(ctx); {
	case len(deps.Prepare) > 0:
		tell("checks: dependencies made by proof.prepare, once for each state of the lock files")
	case err == nil && len(folders) > 0:
		tell("checks: borrow %s from the worktree, read-only", strings.Join(folders, ", "))
	}
	if len(s.settings.Sandbox.Read)+len(s.settings.Sandbox.Write) > 0 {
		tell("open besides: %s", strings.Join(slices.Concat(s.settings.Sandbox.Read, s.settings.Sandbox.Write), ", "))
	}
	return c
}
