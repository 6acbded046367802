package main

import (
	"strconv"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/undo"
)

// change is one change to the project. The last one and all before it are the worktree.
type change struct {
	before *change
	id     int
	person bool // made by the user; else by an agent
}

// has reports whether a change is in the worktree with the last change c.
func (c *change) has(one *change) bool {
	for ; c != nil; c = c.before {
		if c == one {
			return true
		}
	}
	return one == nil
}

// without calls each for the changes of c that are not in other, the newest first.
func (c *change) without(other *change, each func(*change)) {
	for ; c != nil; c = c.before {
		if !other.has(c) {
			each(c)
		}
	}
}

// edit changes the project.
func (w *world) edit(person bool) {
	w.changes++
	w.tree = &change{w.tree, w.changes, person}
}

// work is the fingerprint of the worktree.
func (w *world) work() int {
	if w.tree == nil {
		return 0
	}
	return w.tree.id
}

// saved is a state of the worktree that a reference keeps, with the marks of the plan.
type saved struct {
	tree         *change
	weak, broken bool
	marks        []bool
}

// save keeps the worktree as it is and returns the name of the state.
func (w *world) save() string {
	marks := make([]bool, len(w.stories))
	for i, s := range w.stories {
		marks[i] = s.marked
	}
	w.states = append(w.states, saved{w.tree, w.weak, w.broken, marks})
	return strconv.Itoa(len(w.states) - 1)
}

func (w *world) saved(name string) saved {
	i, err := strconv.Atoi(name)
	if err != nil || i >= len(w.states) {
		w.fail("the state %q is not kept", name)
	}
	return w.states[i]
}

// watches reports whether there is work that may be parked, as parking.Parker does.
func (w *world) watches() bool {
	return w.rules.OnStuck == run.StuckPark && w.state.Parking.Pending.Any
}

// look notes the worktree as it is, as parking.Parker.Look does.
func (w *world) look() {
	if w.watches() {
		w.process.seen, w.process.looked = w.work(), true
	}
}

// compare finds out whether other people changed the worktree, as parking.Parker.Compare does.
func (w *world) compare() {
	switch {
	case !w.watches():
		w.process.mixed = ""
		return
	case w.process.mixed != "":
	case !w.process.looked:
		w.process.mixed = "ralph died"
	case w.process.seen != w.work():
		w.process.mixed = "someone else changed files"
	}
	w.process.seen, w.process.looked = w.work(), true
}

// watch compares the worktree with what the last run saw at its end, and moves the base over
// what people did, as loop.begin does. on is what was on record before the run.
func (w *world) watch(on run.Claims) {
	seen, here := on.Seen(), run.Base{Commit: "c", Work: strconv.Itoa(w.work())}
	switch {
	case on.Base == run.Base{}:
		w.record(journal.BaseMoved{Commit: here.Commit, Work: here.Work, Reason: "first sight"})
	case seen == on.Base && here != seen:
		w.record(journal.BaseMoved{Commit: here.Commit, Work: here.Work, Reason: "people's changes"})
	}
	w.process.seen, _ = strconv.Atoi(seen.Work)
	w.process.looked = seen.Work != ""
	w.compare()
}

// park keeps the work on a story, as parking.Parker.Park does.
func (w *world) park(s run.Step) {
	if w.compare(); w.process.mixed != "" {
		return
	}
	since := w.state.Parking.Pending.Since
	w.record(journal.StoryParked{Story: s.Story, With: s.With, Reason: s.Reason, Message: s.Message, Ref: "r", State: w.save(), Back: since,
		Rule: string(s.Rule), Facts: s.Facts})
}

// restore takes the work on a parked story out of the worktree, as parking.Parker.Restore does.
// It reports whether that can be done: people may have changed the same files.
func (w *world) restore() bool {
	b := w.state.Parking.Leaving
	from, to := w.saved(b.State), w.saved(b.Back)
	if w.tree.has(from.tree) && from.tree != to.tree {
		var people []*change
		w.tree.without(from.tree, func(c *change) { people = append(people, c) })
		if len(people) > 0 && people[0].id%2 == 0 {
			return false
		}
		w.tree, w.weak, w.broken = to.tree, to.weak, to.broken
		for i := len(people) - 1; i >= 0; i-- {
			w.tree = &change{w.tree, people[i].id, true}
		}
	}
	w.record(journal.BaseMoved{Commit: "c", Work: strconv.Itoa(w.work()), Reason: "a story was parked", Parked: b.Story})
	return true
}

// undo goes back to the state before an iteration of the last run, as "ralph undo" does.
func (w *world) undo(n int) {
	to, err := undo.At(w.events, "", n, "")
	if err != nil {
		return
	}
	left := w.save()
	w.record(to.Event(left))
	state := w.saved(to.State.Commit)
	w.tree, w.weak, w.broken = state.tree, state.weak, state.broken
	for i := range w.stories {
		w.stories[i].marked = state.marks[i]
	}
}

// held returns the stories that no agent may be called for: parked ones, and what depends on them.
func (w *world) held() map[int]bool {
	held := map[int]bool{}
	for i, s := range w.stories { // a story depends on earlier ones alone
		held[i] = w.parked[i]
		for _, d := range s.dependsOn {
			held[i] = held[i] || held[d] && !w.stories[d].marked
		}
	}
	return held
}

// checkBegin: an iteration is about the story that comes next.
func (w *world) checkBegin(b journal.IterationStarted) {
	if w.leaving {
		w.fail("an iteration while the work on a parked story is in the worktree")
	}
	held, want := w.held(), -1
	ready := func(s story) bool {
		for _, d := range s.dependsOn {
			if !w.stories[d].marked {
				return false
			}
		}
		return true
	}
	open := 0
	for i, s := range w.stories {
		if s.marked {
			continue
		}
		open++
		if !held[i] && ready(s) && (want < 0 || s.priority < w.stories[want].priority) {
			want = i
		}
	}
	switch {
	case open == 0: // a check is red, or marks have to be judged
	case b.Story == nil:
		w.fail("an iteration about no story, %d are open", open)
	case b.Story.ID != strconv.Itoa(want):
		w.fail("an iteration about story %s, it is the turn of %d", b.Story.ID, want)
	}
}

// checkParked: only a stuck story is parked, and only with the work of agents. Nothing is lost.
func (w *world) checkParked(b journal.StoryParked) {
	t, i := &w.truth, -1
	i, _ = strconv.Atoi(b.Story)
	state, back := w.saved(b.State), w.saved(b.Back)
	switch {
	case w.parked[i]:
		w.fail("story %d is parked twice", i)
	case w.stories[i].marked:
		w.fail("story %d is marked, and parked", i)
	case w.rules.SameError == 0 && t.row < w.rules.NoProgress && !t.open:
		w.fail("story %d is parked after %d iterations without progress", i, t.row)
	case state.tree != w.tree:
		w.fail("the state of the parked story %d is another one", i)
	case !w.tree.has(back.tree):
		w.fail("what was accepted before story %d is not in the worktree", i)
	}
	w.tree.without(back.tree, func(c *change) {
		if c.person {
			w.fail("story %d is parked with a change of the user", i)
		}
	})
	w.parked[i], w.leaving, t.row, t.open = true, true, 0, false
}

// checkRestored: the worktree is the last accepted state, with what people did since.
func (w *world) checkRestored(b journal.BaseMoved) {
	for i := len(w.events) - 1; i >= 0; i-- {
		parked, ok := w.events[i].Body.(journal.StoryParked)
		if !ok {
			continue
		}
		back := w.saved(parked.Back)
		w.tree.without(back.tree, func(c *change) {
			if !c.person {
				w.fail("change %d of an agent is still there after story %s was parked", c.id, b.Parked)
			}
		})
		back.tree.without(w.tree, func(c *change) { w.fail("change %d is lost", c.id) })
		break
	}
	w.leaving, w.trueBase = false, w.work()
}
