package doctor

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"time"

	"ralph/internal/checkpoint"
	"ralph/internal/git"
	"ralph/internal/preflight"
	"ralph/internal/proc"
	"ralph/internal/stream"
	"ralph/internal/words"
)

// lockAge is the age from which git's lock on the index belongs to no process: git holds
// it for moments.
const lockAge = 10 * time.Minute

// git checks the program, and the state of the repository as far as a run cares.
func (in Input) git(ctx context.Context) []preflight.Condition {
	const id = "git"
	a, err := in.Probe.ask(ctx, in.dir(), in.Env, "git", "--version")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return []preflight.Condition{fail(id, "git not found", "Install git: ralph works in git repositories only.")}
	case err != nil:
		return []preflight.Condition{fail(id, fmt.Sprintf("git cannot be started: %v", err), "Run 'git --version' to see why.")}
	case a.timedOut || a.exit != (proc.Exit{}):
		return []preflight.Condition{fail(id, "git does not work: "+a.first(), "Run 'git --version' to see why.")}
	}
	checks := []preflight.Condition{ok(id, a.first())}
	if a, err := in.Probe.ask(ctx, in.dir(), in.Env, "git", "-c", "user.useConfigOnly=true", "var", "GIT_COMMITTER_IDENT"); err == nil && a.exit.Code != 0 {
		checks = append(checks, preflight.Nameless(id))
	}
	if in.Repo == nil {
		return append(checks, ok("repository", "Not inside a git worktree: no repository was checked"))
	}
	checks = append(checks, in.repository(ctx))
	checks = append(checks, in.parked(ctx)...)
	lock := filepath.Join(in.Repo.GitDir, "index.lock")
	if info, err := os.Lstat(lock); err == nil && info.Mode().IsRegular() && in.Now.Sub(info.ModTime()) > lockAge {
		checks = append(checks, warn(id, fmt.Sprintf("an interrupted git left %s: every commit will fail", lock),
			"If no git is running here: rm "+stream.ShellWord(lock)))
	}
	return checks
}

func (in Input) repository(ctx context.Context) preflight.Condition {
	const id = "repository"
	head, err := in.Repo.Head(ctx)
	op := in.Repo.InProgress()
	switch {
	case err != nil:
		return fail(id, fmt.Sprintf("The repository cannot be read: %v", err), "Run 'git status' to see why.")
	case op != "":
		return warn(id, fmt.Sprintf("A %s is in progress: no run can start", op), "Finish or abort it; 'git status' shows how.")
	case head.Branch == "":
		return warn(id, "Not on a branch (detached HEAD): no run can start", "Check out the feature's branch with 'git switch NAME', or create one with 'git switch -c NAME'.")
	case head.Commit == "":
		return warn(id, fmt.Sprintf("The branch %s has no commit yet", head.Branch), "Make the first commit, so that the agent's changes can be seen.")
	}
	return ok(id, fmt.Sprintf("Repository: %s, branch %s", in.Repo.Root, head.Branch))
}

// parked counts the references that keep work on parked stories. A run removes only those of
// stories that were accepted since.
func (in Input) parked(ctx context.Context) []preflight.Condition {
	refs, err := in.Repo.Refs(ctx, checkpoint.AllParked)
	if err != nil || len(refs) == 0 {
		return nil // a repository that cannot be read has a finding already
	}
	oldest := slices.MinFunc(refs, func(a, b git.Ref) int { return a.Time.Compare(b.Time) })
	return []preflight.Condition{ok("parked", fmt.Sprintf("git keeps work on parked stories: %s, the oldest of %s; "+
		"list with: git for-each-ref '%s'; delete with: git update-ref -d REFERENCE",
		words.Count(len(refs), "reference"), oldest.Time.Local().Format(time.DateOnly), checkpoint.AllParked))}
}

// tmux checks the program that shows loop and dashboard side by side.
func (in Input) tmux(ctx context.Context) preflight.Condition {
	const id = "tmux"
	a, err := in.Probe.ask(ctx, in.dir(), in.Env, "tmux", "-V")
	switch {
	case errors.Is(err, exec.ErrNotFound):
		return warn(id, "tmux not found: loops run without it, but not in a session to come back to", "Install tmux, if you want that.")
	case err != nil:
		return warn(id, fmt.Sprintf("tmux cannot be started: %v", err), "Run 'tmux -V' to see why.")
	case a.timedOut || a.exit != (proc.Exit{}):
		return warn(id, "tmux does not work: "+a.first(), "Run 'tmux -V' to see why.")
	}
	return ok(id, a.first())
}
