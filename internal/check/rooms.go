package check

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/room"
)

// Rooms runs checks in sealed rooms. If a check fails in its room and never passed there, it
// runs once more outside: it may need something that the room lacks.
type Rooms struct {
	Site    room.Site
	Require bool   // a check that passes only outside its room counts as failed
	Network bool   // the rooms have a network
	Scratch string // folder for the rooms' own files; empty: the temporary folder
	Keep    []string
	Deps    *Deps // dependencies that are not in git; nil: the rooms get none

	green    map[string]bool   // checks that have passed in their room
	unsealed map[string]string // checks that pass only outside, and the settings that may help
}

// run runs a check where it belongs. dir is the worktree, or a clean copy of it.
func (rs *Rooms) run(ctx context.Context, g *proc.Guardian, c Check, dir string, env []string) (Result, error) {
	if hint, open := rs.unsealed[c.Name]; open && !rs.Require {
		r, err := runIn(ctx, g, c, dir, env, nil)
		r.Unsealed = hint
		return r, err
	}
	in, err := rs.inRoom(ctx, g, c, dir, env)
	if err != nil || in.Outcome == journal.CheckInterrupted || in.Lost {
		return in, err
	}
	if in.Green() {
		rs.remember(c)
		return in, nil
	}
	if rs.green[c.Name] || ctx.Err() != nil {
		return in, nil
	}
	out, err := runIn(ctx, g, c, dir, env, nil)
	in.Open = true
	if err != nil || !out.Green() {
		return in, err // what the check says in its room is what the user will see again
	}
	hint := advice(in.Tail)
	if rs.Require {
		in.Outside, in.Unsealed = true, hint
		return in, nil
	}
	if rs.unsealed == nil {
		rs.unsealed = map[string]string{}
	}
	rs.unsealed[c.Name] = hint
	out.Unsealed = hint
	return out, nil
}

func (rs *Rooms) remember(c Check) {
	if rs.green == nil {
		rs.green = map[string]bool{}
	}
	rs.green[c.Name] = true
}

// inRoom runs a check in a room of its own.
func (rs *Rooms) inRoom(ctx context.Context, g *proc.Guardian, c Check, dir string, env []string) (res Result, err error) {
	base := rs.Scratch
	if dir != rs.Site.Root {
		base = filepath.Dir(dir) // it is removed with the copy, also after a crash
	} else if base != "" {
		if err := os.MkdirAll(base, 0o700); err != nil {
			return Result{}, fmt.Errorf("check %s: %w", c.Name, err)
		}
	}
	scratch, err := os.MkdirTemp(base, roomPrefix)
	if err != nil {
		return Result{}, fmt.Errorf("check %s: %w", c.Name, err)
	}
	defer func() {
		if removed := removeAll(scratch); err == nil && removed != nil {
			err = fmt.Errorf("check %s: its room cannot be removed: %w", c.Name, removed)
		}
	}()
	want := room.CheckRoom{Network: rs.Network, Scratch: scratch, Keep: rs.Keep}
	if dir != rs.Site.Root {
		want.Copy = dir
		if rs.Deps != nil {
			if want.Shown, err = rs.Deps.shownIn(ctx, g, rs.Site, dir, env); err != nil {
				var failed *PrepareError
				if errors.As(err, &failed) {
					r := failed.Result
					r.Check, r.Tail = c, err.Error()
					return r, nil
				}
				return Result{}, fmt.Errorf("check %s: %w", c.Name, err)
			}
		}
	}
	return runIn(ctx, g, c, rs.Site.Root, env, rs.Site.Checks(want))
}

// roomPrefix begins the names of the folders that hold what a room has of its own.
const roomPrefix = "room-"

// removeAll removes a folder, also where programs have protected what is in it.
func removeAll(dir string) error {
	if err := os.RemoveAll(dir); err == nil {
		return nil
	}
	unlock(dir)
	return os.RemoveAll(dir)
}

// SweepRooms removes the room folders that a dead process left in scratch.
func SweepRooms(scratch string) {
	left, _ := filepath.Glob(filepath.Join(scratch, roomPrefix+"*"))
	for _, dir := range left {
		_ = removeAll(dir) // the next run tries again
	}
}

// advice names the settings that may let a check pass in its room, by what it printed there.
func advice(tail string) string {
	lower := strings.ToLower(tail)
	says := func(words ...string) bool {
		for _, w := range words {
			if strings.Contains(lower, w) {
				return true
			}
		}
		return false
	}
	switch {
	case says("docker", "podman"):
		return `to seal it, set "sandbox: {read: [/var/run/docker.sock]}" and "proof: {network: true}" in ~/.ralph/config.yaml`
	case says("network", "connect", "resolve", "econnrefused", "enotfound", "eai_again", "unreachable", "registry", "offline", "no such host"):
		return `to seal it, set "proof: {network: true}" in ~/.ralph/config.yaml`
	case says("cannot find module", "no module named", "modulenotfound", "cannot find package", "could not find", "node_modules", "command not found", ": not found"):
		return `to seal it, set "proof: {prepare: [COMMAND]}" or "proof: {borrow: [FOLDER]}" in ~/.ralph/config.yaml, for what it needs and git does not have`
	case says("read-only file system", "erofs"):
		return `to seal it, set "sandbox: {write: [PATH]}" in ~/.ralph/config.yaml, for what it writes`
	}
	return `to seal it, set "sandbox: {read: [PATH]}" or "proof: {network: true}" in ~/.ralph/config.yaml, for what it needs`
}
