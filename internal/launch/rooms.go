package launch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ralph/internal/agent"
	"ralph/internal/check"
	"ralph/internal/hint"
	"ralph/internal/plan"
	"ralph/internal/room"
)

// Seal prepares the rooms of the run. open says why the run has no rooms, and is nil if it
// has. Seal fails if the settings require rooms and none can be made.
func (r *Run) Seal(ctx context.Context) (open *room.Unavailable, err error) {
	home, _ := os.UserHomeDir()
	repo, s := r.Place.Repo, r.Settings().Sandbox
	var guard *agent.Guard
	if r.Plan != nil { // what no room can protect is restored after each agent
		guard = &agent.Guard{Repo: repo, Refs: r.Place.States().Prefix(), Home: home, Env: os.Environ(),
			Kept: plan.Replaced(r.Place.StateDir)}
		if r.Home != "" {
			guard.Also = []string{filepath.Join(r.Home, "config.yaml")}
		}
		for i := range r.Agents {
			r.Agents[i].Options.Guard = guard
		}
		if r.Reviewer != nil {
			r.Reviewer.Options.Guard = guard
		}
	}
	if s.Mode == "off" {
		return &room.Unavailable{Why: "sandbox: off"}, nil
	}
	program, err := room.FindFor(ctx, repo.Root)
	switch {
	case errors.As(err, &open) && s.Mode == "require":
		return nil, hint.With(fmt.Errorf("no sealed room can be made, and sandbox.mode is require: %w", err), open.Hint)
	case err != nil && open == nil:
		return nil, err
	case err != nil:
		return open, nil
	}
	site := room.Site{Program: program, Root: repo.Root, GitDir: repo.GitDir, Common: repo.CommonDir,
		Home: home, Own: r.Home, Env: os.Environ(), Read: s.Read, Write: s.Write, Hide: s.Hide}.Survey()
	r.Rooms = &check.Rooms{Site: site, Require: s.Mode == "require", Network: r.Settings().Proof.Network,
		Keep: []string{filepath.Join(site.Root, ".ralph")},
		Deps: r.deps()}
	if r.Plan == nil {
		return nil, nil // nothing is written in the repository
	}
	if err := r.outOfReach(site); err != nil {
		return nil, err
	}
	guard.Also = nil // hidden in the room: only the user can change them
	r.Rooms.Scratch = filepath.Join(r.Place.StateDir, "rooms")
	check.SweepRooms(r.Rooms.Scratch)
	rooms := &agent.RoomSettings{Site: site, Scratch: filepath.Join(r.Rooms.Scratch, "room-agent"), Protect: r.protected(ctx)}
	for i := range r.Agents {
		r.Agents[i].Options.Rooms = rooms
	}
	if r.Reviewer != nil {
		sealed := *rooms
		sealed.ReadOnly = true
		o := &r.Reviewer.Options
		o.Rooms, o.ApproveAll = &sealed, r.Agent().Options.ApproveAll
	}
	return nil, nil
}

// outOfReach returns an error if the agent must write a file of the plan and cannot: a link
// leads out of the worktree.
func (r *Run) outOfReach(site room.Site) error {
	root, names := r.Place.Repo.Root, []string{}
	for _, f := range r.Plan.About().Files {
		if f.Writable() {
			names = append(names, filepath.Dir(f.Path), f.Path)
		}
	}
	for _, name := range names {
		path := filepath.Join(root, name)
		if site.Writes(path) {
			continue
		}
		real, err := filepath.EvalSymlinks(path)
		if err != nil {
			return err
		}
		return hint.With(fmt.Errorf("%s is a link out of the worktree, to %s: the agent cannot write there from its sealed room",
			name, real),
			"put it into the worktree, or list its folder under sandbox.write in your own ~/.ralph/config.yaml")
	}
	return nil
}

// deps returns the dependencies that the checks get although git does not have them.
func (r *Run) deps() *check.Deps {
	repo, proof := r.Place.Repo, r.Settings().Proof
	return &check.Deps{Repo: repo, Prepare: proof.Prepare, Borrow: proof.Borrow, Limit: r.Settings().Defaults.TimeoutMinutes.Duration(),
		Store: filepath.Join(repo.GitDir, "ralph", ".prepared")}
}

// protected returns the plan's files that are mounted read-only for the agent: those that git
// does not track, because git could not replace them then. The guard restores the others.
func (r *Run) protected(ctx context.Context) (list []string) {
	candidates := []string{filepath.Join(".ralph", "config.yaml")}
	for _, f := range r.Plan.About().Files {
		if !f.Writable() {
			candidates = append(candidates, f.Path)
		}
	}
	root := r.Place.Repo.Root
	tracked, err := r.Place.Repo.Tracked(ctx, root)
	if err != nil {
		return nil
	}
	for _, name := range candidates {
		known := false
		for _, file := range tracked {
			known = known || file == name || strings.HasPrefix(file, name+"/")
		}
		if !known {
			list = append(list, filepath.Join(root, name))
		}
	}
	return list
}

// DescribeRooms describes in one line where agent and checks run, and what the checks get. It
// may be called only if the run has rooms.
func (r *Run) DescribeRooms(ctx context.Context) string {
	var extra []string
	if r.Rooms.Network {
		extra = append(extra, "checks have the network")
	}
	if len(r.Settings().Proof.Prepare) > 0 {
		extra = append(extra, "dependencies from proof.prepare")
	} else if folders, err := r.Rooms.Deps.Folders(ctx); err == nil && len(folders) > 0 {
		extra = append(extra, "checks borrow "+strings.Join(folders, ", "))
	}
	text := "agent and checks in sealed rooms"
	if len(extra) > 0 {
		text += " (" + strings.Join(extra, "; ") + ")"
	}
	return text
}
