package git

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"slices"
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

// always are the arguments of every call. They override settings that could start a program,
// wait for input, or change what is printed.
var always = []string{
	"--no-pager",
	"-c", "core.fsmonitor=false",
	"-c", "core.hooksPath=/dev/null",
	"-c", "core.quotePath=false",
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

// call describes one call of git.
type call struct {
	dir      string
	settings [][2]string // in addition to those of every call
	env      []string    // more variables
	stdin    []byte
	limit    int // bytes of output to read; 0 reads everything
}

// errCut is the error of a call with more output than its limit. The output is the beginning.
var errCut = errors.New("the output of git is too long")

// run calls git and returns its standard output. The end of the context ends git and what it
// started, such as a content filter.
func (c call) run(ctx context.Context, args ...string) ([]byte, error) {
	ctx, cancel := context.WithTimeoutCause(ctx, longest, fmt.Errorf("it took longer than %s", longest))
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", append(slices.Clone(always), args...)...)
	stdout, stderr := output{limit: c.limit}, bytes.Buffer{}
	cmd.Dir, cmd.Env, cmd.Stdout, cmd.Stderr = c.dir, append(environ(os.Environ(), c.settings), c.env...), &stdout, &stderr
	if c.stdin != nil {
		cmd.Stdin = bytes.NewReader(c.stdin)
	}
	cmd.SysProcAttr = leader()
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = endGrace
	pipes := time.AfterFunc(stuck, func() { removePipes(c.dir) })
	defer pipes.Stop()
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case stdout.cut:
		return stdout.text.Bytes(), errCut
	case err == nil:
		return stdout.text.Bytes(), nil
	case ctx.Err() != nil:
		return nil, fmt.Errorf("git %s: %w", args[0], context.Cause(ctx))
	case errors.As(err, &exit):
		return nil, &Error{Args: args, ExitCode: exit.ExitCode(), Stderr: reason(stderr.String())}
	case errors.Is(err, exec.ErrNotFound):
		return nil, fmt.Errorf("git is not on the PATH, install it: %w", err)
	}
	return nil, fmt.Errorf("git %s in %s: %w", args[0], c.dir, err)
}

// output holds at most limit bytes of what git prints. More is an error, which ends git.
type output struct {
	text  bytes.Buffer
	limit int
	cut   bool
}

// Write implements io.Writer.
func (o *output) Write(p []byte) (int, error) {
	if left := o.limit - o.text.Len(); o.limit > 0 && len(p) > left {
		o.cut = true
		o.text.Write(p[:left])
		return 0, errCut
	}
	return o.text.Write(p)
}

// git calls git in the worktree's root.
func (r *Repo) git(ctx context.Context, args ...string) ([]byte, error) {
	return r.gitWith(ctx, nil, args...)
}

// gitWith calls git in the worktree's root with a standard input.
func (r *Repo) gitWith(ctx context.Context, stdin []byte, args ...string) ([]byte, error) {
	return call{dir: r.Root, settings: r.quiet(), stdin: stdin}.run(ctx, args...)
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
func environ(base []string, more [][2]string) []string {
	env := make([]string, 0, len(base)+16)
	for _, entry := range base {
		name, _, _ := strings.Cut(entry, "=")
		if name == "LC_ALL" || strings.HasPrefix(name, "GIT_") && !kept[name] {
			continue
		}
		env = append(env, entry)
	}
	settings := append(keptSettings(base), more...)
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
