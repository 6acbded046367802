package run

import (
	"cmp"
	"slices"

	"ralph/internal/journal"
)

// Model returns the model for the next call of the run's own agent, or "" for the agent's
// default. It starts with the model of the story or else of the run. For each failed
// iteration it takes one step along the list of escalation.
func (p *Position) Model(r journal.RunRules) string {
	models := escalation(cmp.Or(p.Open.Model, r.Model), r.Escalate)
	if len(models) == 0 {
		return ""
	}
	return models[min(p.Open.Failures, len(models)-1)]
}

// escalation returns the models of a story in their order. A first one that is not in the
// list comes before it.
func escalation(first string, list []string) []string {
	switch at := slices.Index(list, first); {
	case at >= 0:
		return list[at:]
	case first == "":
		return list
	}
	return append([]string{first}, list...)
}

// tally counts an iteration that failed on its story: the story was not accepted in it. In
// a plan without stories, it made no progress. An overload, a limit, a missing login or an
// interruption says nothing about the model.
func (s *State) tally(story string, b journal.IterationEnded) {
	switch b.Outcome {
	case journal.OutcomeTransient, journal.OutcomeUsageLimit, journal.OutcomeAuth, journal.OutcomeInterrupted:
		return
	}
	switch {
	case story != "" && slices.Contains(b.StoriesPassed, story), story == "" && b.Progress:
		delete(s.Failures, story)
	case story != "" || b.NoProgress > s.Streak.NoProgress: // else the promise came too early
		put(&s.Failures, story, s.Failures[story]+1)
	}
}

// forgive forgets the failures on stories that were accepted.
func (s *State) forgive(stories []string) {
	for _, id := range stories {
		delete(s.Failures, id)
	}
}

// story returns the id of what the iteration is about, empty where the plan does not say.
func (it *Iteration) story() string {
	if it.Story == nil {
		return ""
	}
	return it.Story.ID
}
