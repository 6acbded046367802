package repo

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"time"
)

// MovedError says that someone else has pushed to the branch meanwhile, or removed it:
// Commit is empty then.
type MovedError struct{ Branch, Commit string }

func (e *MovedError) Error() string {
	if e.Commit == "" {
		return fmt.Sprintf("someone removed %s from the remote while ralph-fleet worked on it", e.Branch)
	}
	return fmt.Sprintf("someone pushed to %s while ralph-fleet worked on it (it is at %.12s now)", e.Branch, e.Commit)
}

// errLate says that an earlier push of this host has reached the remote without a confirmation:
// it was ended while it was under way.
var errLate = errors.New("an earlier push went through after all")

// push puts a record on the remote, and the branch where head is not empty: both or
// neither, and only over what this host has put there itself.
func (t *Tree) push(ctx context.Context, record, head string) error {
	state, tip := t.known()
	args := append(slices.Clone(overHTTP), "push", "--quiet", "--atomic", "--no-verify", "--force-with-lease="+stateRef(t.branch)+":"+state)
	refs := []string{record + ":" + stateRef(t.branch)}
	if head != "" && head != tip {
		args = append(args, "--force-with-lease="+headRef(t.branch)+":"+tip)
		refs = append(refs, head+":"+headRef(t.branch))
		tip = head
	}
	t.try(record, tip)
	_, err := call{dir: t.mirror, limit: pushLimit}.run(ctx, append(append(args, "origin"), refs...)...)
	if err != nil {
		if err := t.whyRefused(ctx, record, err); err != nil {
			return err
		}
	}
	t.accept(record, tip)
	// For salvage, which asks no one else.
	_, _ = call{dir: t.mirror}.run(context.WithoutCancel(ctx), "update-ref", stateRef(t.branch), record)
	return nil
}

// try notes that a push of this record is under way, and where it puts the branch.
func (t *Tree) try(record, tip string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.tried == nil {
		t.tried = map[string]string{}
	}
	t.tried[record] = tip
}

// accept notes that the remote has this record.
func (t *Tree) accept(record, tip string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.state, t.tip, t.pushedAt = record, tip, time.Now()
	clear(t.tried) // whatever of it comes now comes too late
}

// known is what this host accepts to be on the remote.
func (t *Tree) known() (state, tip string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.state, t.tip
}

// whyRefused finds out what a push that failed has met. It returns nil where the
// push went through, and only its answer was lost.
func (t *Tree) whyRefused(ctx context.Context, tried string, err error) error {
	refs, lookErr := remoteRefs(context.WithoutCancel(ctx), t.mirror, "origin", stateRef(t.branch), headRef(t.branch))
	if lookErr != nil {
		return &TroubleError{fmt.Errorf("the remote cannot be reached: %w", err)}
	}
	knownState, knownTip := t.known()
	state, tip := refs[stateRef(t.branch)], refs[headRef(t.branch)]
	t.mu.Lock()
	lateTip, late := t.tried[state]
	t.mu.Unlock()
	switch {
	case state == tried:
		return nil
	case late:
		t.accept(state, lateTip)
		return errLate
	case state == "" && knownState != "":
		return fmt.Errorf("%w: its record was removed from the remote while %s worked on it", ErrOusted, t.host)
	case state != knownState:
		return fmt.Errorf("%w: its record on the remote is not the one that %s pushed", ErrOusted, t.host)
	case tip != knownTip:
		return &MovedError{t.branch, tip}
	}
	return &TroubleError{fmt.Errorf("the remote refused the push: %w", err)}
}

// Push puts a snapshot of the feature on the remote.
func (t *Tree) Push(ctx context.Context, s Snapshot) error {
	for {
		if state, _ := t.known(); s.behind != state { // made before the last push went through
			commit, err := s.parts.commit(ctx, t.mirror, s.Record, state, s.Record.Head)
			if err != nil {
				return err
			}
			s.commit, s.behind = commit, state
		}
		err := t.push(ctx, s.commit, s.Record.Head)
		if err == nil {
			t.settled(ctx, s)
		}
		if !errors.Is(err, errLate) {
			return err
		}
	}
}

// settled forgets a snapshot that the remote has; a later one stays.
func (t *Tree) settled(ctx context.Context, s Snapshot) {
	_, _ = call{dir: t.mirror}.run(ctx, "update-ref", "-d", localRef(t.branch), s.taken)
}

// Keep puts a snapshot that the remote refused under a reference of its own, where it
// is in no one's way. It returns the reference. With an error that is a TroubleError it
// waits for Deliver.
func (t *Tree) Keep(ctx context.Context, s Snapshot) (string, error) {
	ref := keptRef(t.branch, t.host, s.Record.Ordinal)
	if err := t.keep(ctx, ref, s.commit); err != nil {
		return ref, fmt.Errorf("what %s has done on %s cannot be kept: %w", t.host, t.branch, err)
	}
	t.settled(ctx, s)
	return ref, deliver(ctx, t.mirror)
}

// PushedAt is when the remote had everything last.
func (t *Tree) PushedAt() time.Time {
	t.mu.Lock()
	defer t.mu.Unlock()
	return t.pushedAt
}

// IsRefusal reports whether an error is one that no further try will repair.
func IsRefusal(err error) bool {
	var moved *MovedError
	return errors.Is(err, ErrOusted) || errors.As(err, &moved)
}
