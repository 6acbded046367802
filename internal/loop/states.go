package loop

import (
	"context"
	"fmt"
	"strings"
	"time"

	"ralph/internal/plan"
)

// keepStates is how long the states before iterations are kept, and the work on stories that
// were parked and are accepted now.
const keepStates = 14 * 24 * time.Hour

// keepState keeps the worktree and the plan as they are before an iteration, and returns the
// commit, empty where they cannot be kept: the run continues without.
func (l *Loop) keepState(ctx context.Context, it *iteration) (string, error) {
	what := fmt.Sprintf("before iteration %d", it.n)
	if next := l.marks.next(l.Recorder.Position()); next != nil {
		title, _, _ := strings.Cut(next.Title, "\n")
		what += fmt.Sprintf(" (%s: %s)", next.ID, title)
	}
	files := plan.SnapshotFiles(l.StateDir)
	kept, err := l.States.Save(ctx, l.States.Iteration(l.Identity.Run, it.n), l.Recorder.Secrets.Text(what), time.Now(), l.kept, files...)
	l.kept = kept
	if err == nil || ctx.Err() != nil || l.unkept {
		return kept.Commit, context.Cause(ctx)
	}
	l.unkept = true
	return "", l.Recorder.Warn("'ralph undo' cannot go back to iteration %d: %v", it.n, err)
}
