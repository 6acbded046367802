package run

import (
	"fmt"
	"slices"
	"strings"

	"ralph/internal/journal"
)

// The settings of what to do where a story is stuck.
const (
	StuckStop = "stop"
	StuckPark = "park"
)

// Parking lists the parked stories, and the work that would be kept with the next one.
type Parking struct {
	Pending Pending
	Parked  []journal.StoryParked // of earlier runs too; never changed in place
	Leaving *journal.StoryParked  // the one of them with work that is still in the worktree
}

// Pending describes the work since the last accepted state.
type Pending struct {
	Any    bool
	Since  string // commit with that state, empty if it was not kept
	Branch string
	Story  *journal.Story // the story of the last iteration
	Mixed  string         // why changes of other people are mixed with it, empty if they are not
}

// begin takes the start of an iteration on a branch into account.
func (w *Pending) begin(branch string, b journal.IterationStarted) {
	if !w.Any {
		*w = Pending{Any: true, Since: b.State, Branch: branch}
	}
	w.Story = b.Story
	w.mix(b.Mixed)
}

// mix notes that changes of other people came into the work, where there is any.
func (w *Pending) mix(why string) {
	if w.Any && w.Mixed == "" {
		w.Mixed = why
	}
}

// moved takes a new base into account. Where it is the old one, only marks were accepted.
func (p *Parking) moved(from, to Base) {
	if from != to {
		p.Pending = Pending{}
	}
}

// park takes the decision to park a story into account.
func (p *Parking) park(b journal.StoryParked) {
	p.unpark(b.Story)
	p.Parked, p.Leaving = append(slices.Clip(p.Parked), b), &b
}

// restored: nothing of the parked story is left in the worktree.
func (p *Parking) restored() { p.Leaving, p.Pending = nil, Pending{} }

// unpark takes stories up again.
func (p *Parking) unpark(ids ...string) {
	is := func(b journal.StoryParked) bool { return slices.Contains(ids, b.Story) }
	if slices.ContainsFunc(p.Parked, is) {
		p.Parked = slices.DeleteFunc(slices.Clone(p.Parked), is)
	}
	if p.Leaving != nil && is(*p.Leaving) {
		p.Leaving = nil
	}
}

// Blocked returns the ids of the items that are blocked: the parked ones, those in also, and
// open items that depend on them.
func (p *Position) Blocked(open []Todo, also ...string) map[string]bool {
	blocked := map[string]bool{}
	for _, b := range p.Parked {
		blocked[b.Story] = true
	}
	for _, id := range also {
		blocked[id] = true
	}
	for more := len(blocked) > 0; more; {
		more = false
		for _, t := range open {
			if !blocked[t.ID] && slices.ContainsFunc(t.DependsOn, func(id string) bool { return blocked[id] }) {
				blocked[t.ID], more = true, true
			}
		}
	}
	return blocked
}

// restoring: a decision to park a story is carried out, whatever cut it off.
func restoring(p *Position, _ Seen, _ journal.RunRules) Step {
	if p.Leaving == nil || p.Left != "" {
		return Step{}
	}
	return Step{Do: DoRestore, Rule: RuleParked, Story: p.Leaving.Story}
}

// park replaces the end of a stuck run where the user wants its story parked. What is mixed
// with changes of other people stays, and the run ends.
func park(end Step, why string, p *Position, s Seen, r journal.RunRules) Step {
	w := &p.Pending
	if r.OnStuck != StuckPark || w.Story == nil {
		return end
	}
	id, obstacle := w.Story.ID, w.Mixed
	if obstacle == "" {
		obstacle = s.Mixed
	}
	switch open := slices.ContainsFunc(s.Open, func(t Todo) bool { return t.ID == id }); {
	case !open && !s.Ready:
		return Step{} // it is marked, and judged first
	case !open:
		return Step{Do: DoResetBreaker, Rule: RuleParked, Message: id + " is no longer open"}
	case obstacle != "":
	case w.Since == "":
		obstacle = "the last accepted state was not kept"
	case w.Branch != p.Branch:
		obstacle = "it was started on the branch " + w.Branch
	default:
		before, after, with := p.Blocked(s.Open), p.Blocked(s.Open, id), []string(nil)
		for _, t := range s.Open {
			if t.ID != id && after[t.ID] && !before[t.ID] {
				with = append(with, t.ID)
			}
		}
		return Step{Do: DoPark, Rule: RuleParked, Reason: end.Reason, Story: id, With: with, Message: why, Facts: end.Facts}
	}
	end.Message = fmt.Sprintf("%s; %s cannot be parked: %s; %s", why, id, obstacle, s.Left)
	end.Hint = "commit or remove what is there, or go back with 'ralph undo'; then start ralph again"
	return end
}

// parked: every open story is parked, or depends on one that is.
func parked(p *Position, s Seen, _ journal.RunRules) Step {
	if !s.Ready || len(s.Open) == 0 || len(p.Parked) == 0 || p.Pick(s.Open) != nil {
		return Step{}
	}
	var ids, waiting []string
	for _, t := range s.Open {
		if slices.ContainsFunc(p.Parked, func(b journal.StoryParked) bool { return b.Story == t.ID }) {
			ids = append(ids, t.ID)
		} else {
			waiting = append(waiting, t.ID)
		}
	}
	last := p.Parked[len(p.Parked)-1]
	text := "nothing is left to try: " + strings.Join(ids, ", ") + " parked"
	if len(waiting) > 0 {
		text += ", " + strings.Join(waiting, ", ") + " waiting for that"
	}
	return Step{Do: DoEnd, Rule: RuleParked, Reason: journal.ReasonParked, Message: text + "; " + s.Left,
		Hint: fmt.Sprintf("see the work on a story with 'git diff HEAD...%s', take it up again with 'ralph unpark %s'", last.Ref, quoted(last.Story))}
}
