package room

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// seatbelt is the program of macOS that makes rooms.
const seatbelt = "sandbox-exec"

// probeLimit bounds how long a first room may take.
const probeLimit = 10 * time.Second

// Unavailable is the error when no room can be made here, with a hint for the user.
type Unavailable struct{ Why, Hint string }

// Error implements error.
func (e *Unavailable) Error() string { return e.Why }

// Find returns the program that makes rooms on this machine, after testing it once. The error
// is an *Unavailable.
func Find(ctx context.Context) (program string, err error) {
	switch runtime.GOOS {
	case "linux":
		return findBubblewrap(ctx)
	case "darwin":
		if program, err := exec.LookPath("/usr/bin/" + seatbelt); err == nil {
			return program, nil
		}
		return "", &Unavailable{Why: seatbelt + " is missing", Hint: ""}
	}
	return "", &Unavailable{Why: "there is no program for it on " + runtime.GOOS}
}

// FindFor finds the program as Find does, and checks that rooms can show the worktree. They
// cannot if ralph runs as root and the worktree belongs to another user.
func FindFor(ctx context.Context, worktree string) (program string, err error) {
	if program, err = Find(ctx); err != nil {
		return "", err
	}
	info, err := os.Stat(worktree)
	if err != nil {
		return program, nil // outside of a worktree, or what fails later
	}
	if st, ok := info.Sys().(*syscall.Stat_t); ok && st.Uid != 0 && os.Geteuid() == 0 {
		return "", &Unavailable{Why: fmt.Sprintf("the worktree belongs to user %d, and root has no right to it in a room", st.Uid),
			Hint: fmt.Sprintf("run ralph as that user, or take the worktree over: chown -R 0 %s", worktree)}
	}
	return program, nil
}

// findBubblewrap prefers the system's own program: one in the home folder or the worktree
// may be the agent's.
func findBubblewrap(ctx context.Context) (string, error) {
	for _, path := range []string{"/usr/bin/bwrap", "/bin/bwrap", "/usr/local/bin/bwrap", "/run/current-system/sw/bin/bwrap"} {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() && info.Mode().Perm()&0o111 != 0 {
			return path, try(ctx, path)
		}
	}
	return "", &Unavailable{Why: "bubblewrap is not installed", Hint: "install it: apt install bubblewrap (dnf, pacman and apk call it bubblewrap too)"}
}

// try makes a room with everything that rooms need.
func try(ctx context.Context, program string) error {
	ctx, cancel := context.WithTimeout(ctx, probeLimit)
	defer cancel()
	scratch := os.DevNull // nothing is made in it
	r := newRoom(program, scratch, false)
	argv, err := r.bwrap("/")
	if err != nil {
		return err
	}
	argv = append(argv, "/bin/sh", "-c", ":")
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Env = []string{"PATH=/usr/bin:/bin", "LC_ALL=C"}
	var stderr bytes.Buffer
	cmd.Stdout, cmd.Stderr = &stderr, &stderr
	cmd.WaitDelay = time.Second
	if err := cmd.Run(); err != nil {
		return explain(strings.TrimSpace(stderr.String()), err)
	}
	return nil
}

// explain says why bubblewrap could not make a room.
func explain(said string, err error) error {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return &Unavailable{Why: fmt.Sprintf("bubblewrap cannot be started: %v", err)}
	}
	line, _, _ := strings.Cut(said, "\n")
	u := &Unavailable{Why: "bubblewrap cannot make a room here: " + strings.TrimPrefix(line, "bwrap: ")}
	lower := strings.ToLower(said)
	switch {
	case on("/proc/sys/kernel/apparmor_restrict_unprivileged_userns"):
		u.Hint = "AppArmor restricts user namespaces here (Ubuntu 24.04 and later). Allow them for bubblewrap with a profile for " +
			"/usr/bin/bwrap that has the line 'userns,', or for all: sudo sysctl kernel.apparmor_restrict_unprivileged_userns=0"
	case off("/proc/sys/kernel/unprivileged_userns_clone"):
		u.Hint = "the kernel allows user namespaces to root alone; allow them: sudo sysctl kernel.unprivileged_userns_clone=1"
	case off("/proc/sys/user/max_user_namespaces"):
		u.Hint = "the kernel allows no user namespaces; allow them: sudo sysctl user.max_user_namespaces=15000"
	case strings.Contains(lower, "namespace") || strings.Contains(lower, "permitted") || strings.Contains(lower, "permission"):
		u.Hint = "in a container start it with: --security-opt seccomp=unconfined --security-opt systempaths=unconfined"
	}
	return u
}

func on(file string) bool  { return holds(file, "1") }
func off(file string) bool { return holds(file, "0") }

// holds reports whether a file of the kernel's settings holds a value.
func holds(file, value string) bool {
	data, err := os.ReadFile(file)
	return err == nil && strings.TrimSpace(string(data)) == value
}
