package host

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"ralph/fleet/internal/feature"
	"ralph/fleet/internal/repo"
)

// endPatience is how long a host tries to reach the remote at the end of a turn that it was asked
// to end. What it cannot push in time it delivers later.
const endPatience = 5 * time.Minute

// handBack puts what the feature has become on the remote, and the worktree away.
// err is what the runs met; the feature is handed back all the same.
func (t *turn) handBack(ctx context.Context, back feature.Handback, err error) (feature.Handback, error) {
	t.pulse.change(func(p *feature.Progress) { p.Status = "pushing" })
	refused := t.push.stop()
	last, snapErr := t.lastSnapshot(ctx, back, err)
	if snapErr != nil {
		return back, &repo.TroubleError{Err: fmt.Errorf("the state of %s cannot be kept on %s: %w", t.Submission.Branch, t.host.Name, snapErr)}
	}
	if refused == nil {
		refused = t.pushLast(ctx, last)
	}
	switch {
	case repo.IsRefusal(refused):
		return t.keep(ctx, last, refused)
	case refused != nil:
		return back, refused
	}
	t.putAway(ctx)
	back.Progress = t.atLast()
	return back, err
}

// lastSnapshot commits the plan, and takes the feature as it is.
func (t *turn) lastSnapshot(ctx context.Context, back feature.Handback, err error) (repo.Snapshot, error) {
	if t.record.Unit != "" && err == nil {
		if err := t.tree.CommitPlan(ctx, t.record.Unit, t.change); err != nil {
			t.host.trouble(err.Error()) // the record has it all the same
		}
	}
	if err == nil && (back.Outcome == feature.Done || back.Outcome == feature.Failed) {
		t.record.Ended = &back
	}
	return t.tree.Take(ctx, t.record)
}

// pushLast pushes until it works, the remote refuses, or patience is at an end. A
// worker that goes down does not wait for a remote.
func (t *turn) pushLast(ctx context.Context, s repo.Snapshot) error {
	began := time.Now()
	for {
		err := t.tree.Push(ctx, s)
		if err == nil {
			t.pushed(ctx)
			return nil
		}
		if repo.IsRefusal(err) || time.Since(began) > t.patience() || t.host.going.Err() != nil {
			return err
		}
		t.troubled(err.Error())
		select {
		case <-t.host.going.Done():
		case <-time.After(pushAgain):
		}
	}
}

func (t *turn) patience() time.Duration {
	if t.isOver() {
		return min(t.Submission.Patience, endPatience)
	}
	return t.Submission.Patience
}

// isOver reports whether the turn was asked to end.
func (t *turn) isOver() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.over
}

func (t *turn) isOusted() bool {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.ousted
}

// keep puts what the remote does not take where it is in no one's way.
func (t *turn) keep(ctx context.Context, s repo.Snapshot, refused error) (feature.Handback, error) {
	ref, err := t.tree.Keep(ctx, s)
	where := "under " + ref
	var trouble *repo.TroubleError
	switch {
	case errors.As(err, &trouble):
		t.host.trouble(err.Error())
		where += ", as soon as the remote can be reached"
	case err != nil:
		return feature.Handback{}, fmt.Errorf("%w; it stays in %s until the next turn", err, t.tree.Dir)
	}
	t.putAway(ctx)
	if errors.Is(refused, repo.ErrOusted) {
		return feature.Handback{}, fmt.Errorf("%w; what %s did is %s%s", refused, t.host.Name, where, t.whatOusted())
	}
	message := fmt.Sprintf("%v; what %s did is %s; merge it and submit the branch again", refused, t.host.Name, where)
	return t.back(feature.Failed, "branch_moved", message), nil
}

// whatOusted says what to do where it was not this feature's own next turn.
func (t *turn) whatOusted() string {
	if t.isOusted() {
		return ""
	}
	return "; look whether the branch was submitted a second time, under another address or to another server, merge what is missing and submit it again"
}

// putAway removes the worktree. The remote has, or will have, all of it but the logs.
func (t *turn) putAway(ctx context.Context) {
	t.keepLogs()
	if err := t.tree.Remove(ctx); err != nil {
		t.host.trouble(fmt.Sprintf("the worktree %s cannot be removed: %v", t.tree.Dir, err))
	}
}

// keepLogs moves the logs of the iterations out of the worktree: they are the one
// thing that is not on the remote. Those of the feature's turn before go.
func (t *turn) keepLogs() {
	if t.record.Unit == "" {
		return
	}
	from := filepath.Join(t.tree.Dir, ".ralph", t.record.Unit, "logs")
	to := filepath.Join(t.host.Workspace, "logs", feature.RepoName(t.Submission.Repo), feature.BranchWord(t.Submission.Branch))
	if _, err := os.Stat(from); err != nil {
		return
	}
	err := os.RemoveAll(to)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(to), 0o700)
	}
	if err == nil {
		err = os.Rename(from, to)
	}
	if err != nil {
		t.host.trouble(fmt.Sprintf("the logs of %s are not kept: %v", t.Submission.Branch, err))
	}
}
