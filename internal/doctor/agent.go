package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"runtime"
	"slices"
	"strings"

	"ralph/internal/agent"
	"ralph/internal/preflight"
	"ralph/internal/proc"
)

// found looks for the agent's program, and asks it for its version.
func (in Input) found(ctx context.Context, h agent.Harness) preflight.Condition {
	const id = "agent"
	err := h.Present(in.Env)
	if errors.Is(err, fs.ErrPermission) {
		return fail(id, err.Error(), "Make it executable with 'chmod +x'.")
	}
	if err != nil {
		return fail(id, fmt.Sprintf("Agent '%s' not found: no %s in PATH", h.Name, h.Command[0]),
			"Install it, put its command into ~/.ralph/config.yaml, or choose another with '--harness NAME'.")
	}
	path, _ := proc.LookPath(h.Command[0], in.dir(), in.Env)
	argv := h.VersionArgv()
	if argv == nil {
		if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o111 == 0 {
			return fail(id, fmt.Sprintf("Agent '%s' cannot be run: %s is not a program", h.Name, path), "Correct its command in ~/.ralph/config.yaml.")
		}
		return ok(id, fmt.Sprintf("Agent '%s' found: %s", h.Name, path))
	}
	a, err := in.Probe.ask(ctx, in.dir(), h.Environ(in.Env, nil), argv...)
	call := strings.Join(argv, " ")
	switch {
	case err != nil:
		return fail(id, fmt.Sprintf("Agent '%s' cannot be started: %v", h.Name, err), fmt.Sprintf("Run '%s' to see why.", call))
	case a.timedOut:
		return warn(id, fmt.Sprintf("Agent '%s' found, but '%s' did not answer within %s", h.Name, call, in.Probe.Limit),
			"Start it once by hand: it may wait for an answer, or try to update itself.")
	case a.exit.Code != 0:
		return fail(id, fmt.Sprintf("Agent '%s' does not work: '%s' ended with %s: %s", h.Name, call, a.exit, a.first()), "Install it again.")
	}
	return ok(id, fmt.Sprintf("Agent '%s' found: %s (%s)", h.Name, path, a.first()))
}

// dir is where programs are asked: the worktree's root, where agents work.
func (in Input) dir() string {
	if in.Repo != nil {
		return in.Repo.Root
	}
	return ""
}

// login reports how the agent is logged in, from the existence of variables and files,
// never from their content.
func (in Input) login(ctx context.Context, h agent.Harness) []preflight.Condition {
	const id = "login"
	if len(h.LoginEnv) == 0 && len(h.LoginFiles) == 0 {
		return nil // an unknown agent
	}
	names := append(h.Logins(in.Env, in.UserHome), in.loginsInFiles(h)...)
	switch len(names) {
	case 0:
		return []preflight.Condition{in.loginUnseen(ctx, h)}
	case 1:
		return []preflight.Condition{ok(id, fmt.Sprintf("Login of %s: %s", h.Name, names[0]))}
	}
	order := h.LoginOrder
	if order == "" {
		order = "Which of them counts is the agent's own choice"
	}
	return []preflight.Condition{warn(id, fmt.Sprintf("Login of %s: %d at once", h.Name, len(names)), order+". Take away what is not meant.", names...)}
}

// loginsInFiles names the keys that the agent's own settings put into its environment.
func (in Input) loginsInFiles(h agent.Harness) []string {
	var found []string
	for _, path := range in.envFiles(h) {
		set, _ := envOf(path) // bites reports a file that cannot be read
		for _, name := range set {
			if slices.Contains(h.LoginEnv, name) {
				found = append(found, fmt.Sprintf("the variable %s, set in %s", name, path))
			}
		}
	}
	return found
}

// loginUnseen asks the agent itself, where it can be asked: a login may be in a
// keychain.
func (in Input) loginUnseen(ctx context.Context, h agent.Harness) preflight.Condition {
	const id = "login"
	if len(h.AuthStatus) > 0 && len(h.Headless) > 0 {
		argv := append(append([]string{}, h.Command...), h.AuthStatus...)
		if a, err := in.Probe.ask(ctx, in.dir(), h.Environ(in.Env, nil), argv...); err == nil && !a.timedOut && a.exit == (proc.Exit{}) {
			return ok(id, fmt.Sprintf("Login of %s: '%s' says that it is logged in", h.Name, strings.Join(argv, " ")))
		}
	}
	hint := fmt.Sprintf("Start the agent (%s) once by hand and log in, or put its key into the environment.", h.DisplayName())
	if runtime.GOOS == "darwin" {
		hint += " A login in the keychain cannot be seen: '--live' tries it."
	}
	return warn(id, fmt.Sprintf("No sign of a login for agent '%s'", h.Name), hint)
}

// root reports whether the agent may approve everything as this user.
func (in Input) root(h agent.Harness) []preflight.Condition {
	const id = "root"
	if !h.RootRefuses || os.Geteuid() != 0 {
		return nil
	}
	flag := strings.Join(h.ApproveAll, " ")
	switch {
	case agent.Getenv(in.Env, "IS_SANDBOX") != "":
		return []preflight.Condition{ok(id, fmt.Sprintf("Running as root: IS_SANDBOX is set, so %s accepts %s", h.Name, flag))}
	case in.ApproveAll:
		return []preflight.Condition{fail(id, fmt.Sprintf("Running as root: %s refuses %s, which the settings ask for", h.Name, flag),
			"Run as another user. In a container without valuable data, set IS_SANDBOX=1.")}
	}
	text := fmt.Sprintf("Running as root: %s would refuse %s", h.Name, flag)
	return []preflight.Condition{warn(id, text,
		"Run as another user, or name what the agent needs in claude.allowed_tools. In a container without valuable data, set IS_SANDBOX=1.")}
}
