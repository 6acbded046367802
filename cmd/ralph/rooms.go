package main

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"ralph/internal/check"
	"ralph/internal/preflight"
	"ralph/internal/room"
)

// seal prepares the rooms of a run, and warns where nothing is sealed.
func (r *resolved) seal() error {
	open, err := r.Seal(r.app.ctx)
	switch {
	case err != nil || open == nil:
		return err
	case r.Settings().Sandbox.Mode == "off":
		r.app.t.Warn("nothing is sealed (sandbox: off): agents and checks can change everything that you can")
		return nil
	}
	r.app.t.Warn("nothing is sealed: %s; agents and checks can change everything that you can", open.Why)
	if open.Hint != "" {
		r.app.t.Hint(open.Hint)
	}
	return nil
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
	program, err := room.FindFor(ctx, s.root())
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
