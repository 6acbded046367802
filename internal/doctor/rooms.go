package doctor

import (
	"context"
	"errors"
	"slices"
	"strings"

	"ralph/internal/check"
	"ralph/internal/config"
	"ralph/internal/preflight"
	"ralph/internal/room"
)

// RoomCondition checks whether agents and checks run in sealed rooms here, and lists the limits. If s
// is nil, the default settings count.
func RoomCondition(ctx context.Context, in Input, s *config.Settings) preflight.Condition {
	mode := "auto"
	if s != nil {
		mode = s.Sandbox.Mode
	}
	if mode == "off" {
		return warn("rooms", "Nothing is sealed: sandbox is off",
			"Agents and checks can change everything that you can. Set \"sandbox: auto\" in ~/.ralph/config.yaml.")
	}
	root := ""
	if in.Repo != nil {
		root = in.Repo.Root
	}
	program, err := room.FindFor(ctx, root)
	var none *room.Unavailable
	if errors.As(err, &none) {
		if mode == "require" {
			return fail("rooms", "No run can start: sandbox is require, and "+none.Why, none.Hint)
		}
		return warn("rooms", "Nothing is sealed: "+none.Why, none.Hint)
	}
	c := ok("rooms", "Agents and checks run in sealed rooms ("+program+")")
	if in.Repo == nil || s == nil {
		return c
	}
	network := "no network"
	if s.Proof.Network {
		network = "the network (proof.network)"
	}
	details := []string{
		"agents: write the worktree, the repository, their own folders and the caches; do not see ~/.ssh, ~/.aws, ~/.gnupg, ~/.ralph and sockets in /run",
		"agents: the network is open, abstract sockets and ports of this machine too; sandbox.hide hides more paths",
		"checks: a copy of the commit, the toolchains and the caches, read-only, " + network + "; no home folder",
	}
	deps := &check.Deps{Repo: in.Repo, Prepare: s.Proof.Prepare, Borrow: s.Proof.Borrow}
	switch folders, err := deps.Folders(ctx); {
	case len(deps.Prepare) > 0:
		details = append(details, "checks: dependencies made by proof.prepare, once for each state of the lock files")
	case err == nil && len(folders) > 0:
		details = append(details, "checks: borrow "+strings.Join(folders, ", ")+" from the worktree, read-only")
	}
	if open := slices.Concat(s.Sandbox.Read, s.Sandbox.Write); len(open) > 0 {
		details = append(details, "open besides: "+strings.Join(open, ", "))
	}
	return problem(preflight.OK, "rooms", c.Message, "", details)
}
