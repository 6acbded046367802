package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"time"
)

// Error reports a call of git that failed.
type Error struct {
	Args     []string // without the settings that each call gets
	ExitCode int      // -1 where git was ended by a signal
	Stderr   string   // the first line with the reason, may be empty
}

// Error implements error.
func (e *Error) Error() string {
	what := "git " + strings.Join(e.Args, " ")
	if e.Stderr == "" {
		return fmt.Sprintf("%s: exit status %d", what, e.ExitCode)
	}
	return what + ": " + e.Stderr
}

// settings override the repository's own configuration where that could start a program or wait
// for input.
var settings = [...]string{
	"--no-pager",
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=/dev/null",
	"-c", "advice.detachedHead=false",
	"-c", "submodule.recurse=false",
	"-c", "diff.external=",
	"-c", "log.showSignature=false",
	"-c", "core.alternateRefsCommand=",
	"-c", "core.askPass=",
	"-c", "core.sshCommand=ssh",
	"-c", "credential.helper=",
}

// longest bounds every call: nothing that a repository sets may hold the run for ever.
const longest = 10 * time.Minute

// endGrace is how long git has to clean up (lock files, half a worktree) after
// its context has ended.
const endGrace = 2 * time.Second

// run calls git in dir and returns its standard output. The context's end ends
// git and what it started, such as a content filter.
func run(ctx context.Context, dir string, stdin []byte, args ...string) ([]byte, error) {
	return runWith(ctx, dir, nil, stdin, args...)
}

// runWith is run with more variables in git's environment.
func runWith(ctx context.Context, dir string, env []string, stdin []byte, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, longest, fmt.Errorf("it took longer than %s", longest))
	defer cancel()
	argv := append(append([]string{}, settings[:]...), args...)
	cmd := exec.CommandContext(ctx, "git", argv...)
	var stdout, stderr bytes.Buffer
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = dir, append(environ(os.Environ()), env...), &stdout, &stderr
	if stdin != nil {
		cmd.Stdin = bytes.NewReader(stdin)
	}
	cmd.SysProcAttr = leader()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = endGrace
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return stdout.Bytes(), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	case errors.As(err, &exit):
		return nil, &Error{Args: args, ExitCode: exit.ExitCode(), Stderr: reason(stderr.String())}
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("git is not on the PATH, install it: %w", err)
	}
	return nil, fmt.Errorf("git %s in %s: %w", args[0], dir, err)
}

// git calls git in the worktree's root.
func (r *Repo) git(ctx context.Context, args ...string) ([]byte, error) {
	return runWith(ctx, r.Root, r.quiet(), nil, args...)
}

// reason returns the line of git's output with the reason: warnings and hints may come before it.
func reason(stderr string) string {
	lines := strings.Split(strings.TrimSpace(stderr), "\n")
	for _, line := range lines {
		if strings.HasPrefix(line, "fatal: ") || strings.HasPrefix(line, "error: ") {
			return line
		}
	}
	return lines[0]
}

// kept are the variables of git that reach ralph's own calls: where its settings are, and
// who the user is. All others would lead git to another repository, as a hook's environment
// does, start programs, or change what arguments mean.
var kept = map[string]bool{
	"GIT_CONFIG_GLOBAL": true, "GIT_CONFIG_SYSTEM": true, "GIT_CONFIG_NOSYSTEM": true,
	"GIT_CEILING_DIRECTORIES": true, "GIT_DISCOVERY_ACROSS_FILESYSTEM": true, "GIT_EXEC_PATH": true,
	"GIT_AUTHOR_NAME": true, "GIT_AUTHOR_EMAIL": true, "GIT_COMMITTER_NAME": true, "GIT_COMMITTER_EMAIL": true,
	"GIT_TEST_ASSUME_DIFFERENT_OWNER": true,
}

// environ is the environment of each call: English messages, no questions, no
// refresh of the index by a mere look, and no objects in the place of others: with
// refs/replace a test could be another one in every checkout, and no diff would show it,
// with grafts commits that are gone could seem to be there.
func environ(base []string) []string {
	env := make([]string, 0, len(base)+8)
	for _, entry := range base {
		name, _, _ := strings.Cut(entry, "=")
		if name == "LC_ALL" || strings.HasPrefix(name, "GIT_") && !kept[name] {
			continue
		}
		env = append(env, entry)
	}
	settings := keptSettings(base)
	for i, s := range settings {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i, s[0]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i, s[1]))
	}
	return append(env, fmt.Sprintf("GIT_CONFIG_COUNT=%d", len(settings)), "LC_ALL=C", "GIT_TERMINAL_PROMPT=0", "GIT_OPTIONAL_LOCKS=0",
		"GIT_NO_REPLACE_OBJECTS=1", "GIT_GRAFT_FILE=/dev/null/none", "GIT_ALLOW_PROTOCOL=http:https:ssh")
}

// checkRevision refuses what git would take for an option or for a range.
func checkRevision(revs ...string) error {
	for _, rev := range revs {
		if rev == "" || rev[0] == '-' || strings.Contains(rev, "..") || rev[0] == '^' {
			return fmt.Errorf("%q is not the name of a commit", rev)
		}
	}
	return nil
}
