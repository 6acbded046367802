// Package repo is the git side of the fleet: a bare mirror of each repository on a host, a
// worktree for each feature, and pushes so that another host can continue. A reference per
// feature on the remote says who may push. It changes only from the value that the pusher
// knows, together with the branch or not at all.
package repo

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"regexp"
	"strings"
	"time"

	"ralph/fleet/internal/hold"
)

// The longest that git may take: for work on the disk, for a question to a remote,
// for a push, and for fetching a repository that may be large.
const (
	localLimit = 5 * time.Minute
	talkLimit  = time.Minute
	pushLimit  = 15 * time.Minute
	fetchLimit = 30 * time.Minute
)

// A connection on which nothing comes through any more is given up after a minute.
var (
	overHTTP = []string{"-c", "http.lowSpeedLimit=1", "-c", "http.lowSpeedTime=60"}
	overSSH  = "ssh -o BatchMode=yes -o ConnectTimeout=15 -o ServerAliveInterval=15 -o ServerAliveCountMax=4"
)

// TroubleError is an error that may pass: the remote cannot be reached, the disk
// is full.
type TroubleError struct{ Err error }

func (e *TroubleError) Error() string { return e.Err.Error() }
func (e *TroubleError) Unwrap() error { return e.Err }

// call is one call of git.
type call struct {
	dir   string
	env   []string // in addition to the host's
	in    []byte
	limit time.Duration
}

// ours makes commits of the fleet's own, without the hooks and the keys of the user.
var ours = []string{"-c", "commit.gpgsign=false", "-c", "core.hooksPath=/dev/null"}

// identity is the author of the commits.
var identity = []string{
	"GIT_AUTHOR_NAME=ralph-fleet", "GIT_AUTHOR_EMAIL=ralph-fleet@localhost",
	"GIT_COMMITTER_NAME=ralph-fleet", "GIT_COMMITTER_EMAIL=ralph-fleet@localhost",
}

// run runs git and returns what it prints, without the white space at its end.
func (c call) run(ctx context.Context, args ...string) (string, error) {
	limit := c.limit
	if limit == 0 {
		limit = localLimit
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "git", args...)
	cmd.Dir = c.dir
	// No one can answer a question here, and what git says is read by people.
	cmd.Env = append(hold.Environ(), "GIT_TERMINAL_PROMPT=0", "LC_ALL=C", "GIT_OPTIONAL_LOCKS=0")
	if os.Getenv("GIT_SSH_COMMAND") == "" && os.Getenv("GIT_SSH") == "" {
		cmd.Env = append(cmd.Env, "GIT_SSH_COMMAND="+overSSH)
	}
	cmd.Env = append(cmd.Env, c.env...)
	cmd.Stdin = bytes.NewReader(c.in)
	cmd.WaitDelay = 5 * time.Second // a helper of git may hold its output open
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	switch {
	case err == nil:
		return strings.TrimRight(out.String(), "\n\t "), nil
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "", fmt.Errorf("git %s: no end after %s", word(args), limit)
	}
	return "", &gitError{word(args), redact(said(errs.String(), err)), cmd.ProcessState.ExitCode()}
}

// gitError is a call of git that failed.
type gitError struct {
	word, said string
	status     int
}

func (e *gitError) Error() string { return fmt.Sprintf("git %s: %s", e.word, e.said) }

// exitStatus is that of the git that failed; -1 where none has ended by itself.
func exitStatus(err error) int {
	var failed *gitError
	if errors.As(err, &failed) {
		return failed.status
	}
	return -1
}

// password is what an address may hold of a secret: a token before the @ of a web
// address, or what is after a user's name.
var password = regexp.MustCompile(`(https?://)[^/@\s]+@|(://[^/@:\s]+:)[^/@\s]+@`)

// redact leaves out the secrets of addresses, which a host's git may add to ours.
func redact(s string) string { return password.ReplaceAllString(s, "$1$2***@") }

// word is the command in the arguments of git.
func word(args []string) string {
	for i := 0; i < len(args); i++ {
		switch {
		case args[i] == "-c":
			i++
		case !strings.HasPrefix(args[i], "-"):
			return args[i]
		}
	}
	return ""
}
