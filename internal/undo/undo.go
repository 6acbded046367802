// Package undo finds the saved state before an iteration, and determines which stories are
// accepted after a unit returns to it.
package undo

import (
	"context"
	"fmt"
	"maps"
	"slices"
	"time"

	"ralph/internal/checkpoint"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/run"
)

// Left is the prefix of the names that LeftAt returns. Such a name takes the place of a run's
// id, with 1 as its only iteration.
const Left = "undo-"

// LeftAt returns a name for the state that an undo replaces, made from the time of the undo.
func LeftAt(now time.Time) string { return Left + now.UTC().Format("20060102-150405.000") }

// Target is a saved state that an undo can restore.
type Target struct {
	Run    string
	N      int
	Story  *journal.Story // the story of the iteration; may be nil
	At     time.Time
	Branch string
	State  git.Saved
	// Moved is true if the reference and the journal name different states. The journal counts.
	Moved bool

	gate   run.Claims
	parked []journal.StoryParked
}

// NotKeptError is the error if a state is not saved, or the journal has no such iteration.
type NotKeptError struct {
	What string
	Hint string
}

// Error implements error.
func (e *NotKeptError) Error() string { return e.What }

// Find returns the state before iteration n of a run. If n is 0 it uses the last iteration,
// and if id is empty the last run with an iteration.
func Find(ctx context.Context, events []journal.Event, states checkpoint.Store, id string, n int) (Target, error) {
	t, err := At(events, id, n, states.Iteration(id, 1))
	if err != nil {
		return t, err
	}
	return t, t.read(ctx, states)
}

// At finds the state before iteration n of a run in the journal, without reading the
// repository. The parameters are those of Find. left is the reference of the replaced state,
// if id is a name from LeftAt.
func At(events []journal.Event, id string, n int, left string) (Target, error) {
	s := &run.State{}
	t, found := Target{}, false
	for _, e := range events {
		switch b := e.Body.(type) {
		case journal.IterationStarted:
			if (id == "" || e.Run == id) && (n == 0 || b.N == n || id == "" && e.Run != t.Run) {
				t, found = Target{Run: e.Run, N: b.N, Story: b.Story, At: e.Time, Branch: branchOf(s, e.Run), State: git.Saved{Commit: b.State},
					gate: snapshot(s.Claims), parked: s.Parking.Parked}, true
			}
		case journal.Undone:
			if id != "" && b.Kept == left {
				t, found = Target{Run: id, N: 1, At: e.Time, Branch: branchOf(s, e.Run), gate: snapshot(s.Claims), parked: s.Parking.Parked}, true
			}
		}
		s.Apply(e)
	}
	switch {
	case !found && id == "":
		return t, &NotKeptError{"no iteration is on record", "undo goes back to the state before an iteration"}
	case !found:
		return t, &NotKeptError{fmt.Sprintf("the journal has no such iteration of the run %s", id), "see the runs and their iterations with: ralph history"}
	case n != 0 && t.N != n:
		return t, &NotKeptError{fmt.Sprintf("the run %s has no iteration %d", t.Run, n), "see them with: ralph history"}
	}
	return t, nil
}

// read reads the state. The reference can be changed by anybody, the journal by ralph alone.
func (t *Target) read(ctx context.Context, states checkpoint.Store) error {
	commit, err := states.Repo.RefCommit(ctx, states.Iteration(t.Run, t.N))
	if err != nil {
		return err
	}
	t.Moved = t.State.Commit != "" && commit != "" && commit != t.State.Commit
	if t.State.Commit == "" {
		t.State.Commit = commit
	}
	if t.State.Commit != "" {
		t.State, err = states.Repo.ReadState(ctx, t.State.Commit)
	}
	if t.State.Commit != "" && err == nil {
		return nil
	}
	hint := "states are kept for two weeks"
	if points, err := states.Points(ctx, t.Run); err == nil && len(points) > 0 {
		hint = fmt.Sprintf("of this run the states before iterations %d to %d are kept", points[0].N, points[len(points)-1].N)
	}
	return &NotKeptError{fmt.Sprintf("the state before iteration %d of the run %s is not kept", t.N, t.Run), hint}
}

// Event returns the journal event of the undo. kept is the reference of the replaced state.
func (t *Target) Event(kept string) journal.Undone {
	seen := t.gate.Seen()
	return journal.Undone{Of: t.Run, N: t.N, State: t.State.Commit, Kept: kept, Head: t.State.Head,
		Accepted: accepted(t.gate), TakenOver: slices.Sorted(maps.Keys(t.gate.TakenOver)),
		Base: t.gate.Base.Commit, Work: t.gate.Base.Work, Known: t.gate.Known, Weakened: t.gate.Weakened,
		Seen: seen.Commit, SeenWork: seen.Work, Parked: t.parked, Message: "the user went back to " + t.String()}
}

// String describes the state: its iteration, its run and its story.
func (t *Target) String() string {
	if t.Story == nil {
		return fmt.Sprintf("the state before iteration %d of the run %s", t.N, t.Run)
	}
	return fmt.Sprintf("the state before iteration %d of the run %s (%s)", t.N, t.Run, t.Story.ID)
}

// Reopened lists the stories that are accepted now, but were not at the target.
func (t *Target) Reopened(events []journal.Event) []string {
	then := accepted(t.gate)
	return slices.DeleteFunc(accepted(run.Fold(events).Claims), func(id string) bool { return slices.Contains(then, id) })
}

func accepted(g run.Claims) []string {
	list := []string{}
	for _, id := range slices.Sorted(maps.Keys(g.Accepted)) {
		if g.Accepted[id] {
			list = append(list, id)
		}
	}
	return list
}

// snapshot copies what later events change.
func snapshot(g run.Claims) run.Claims {
	g.Accepted, g.TakenOver, g.Known = maps.Clone(g.Accepted), maps.Clone(g.TakenOver), slices.Clone(g.Known)
	return g
}

func branchOf(s *run.State, id string) string {
	if r := s.Run(id); r != nil {
		return r.Start.Branch
	}
	return ""
}
