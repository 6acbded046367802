package run

import (
	"testing"

	"ralph/internal/journal"
)

// TestModel: each failed iteration on a story moves it to the next model, and nothing else
// does.
func TestModel(t *testing.T) {
	list := []string{"haiku", "sonnet", "opus"}
	start := func(id, model string) journal.IterationStarted {
		return journal.IterationStarted{N: 1, Story: &journal.Story{ID: id, Model: model}}
	}
	end := func(o journal.Outcome, passed ...string) journal.IterationEnded {
		return journal.IterationEnded{N: 1, Outcome: o, StoriesPassed: passed, Progress: len(passed) > 0, NoProgress: 1, Print: "p"}
	}
	a, failed := start("A", ""), end(journal.OutcomeOK)
	early := failed
	early.NoProgress = 0
	died := journal.IterationEnded{N: 1, Outcome: journal.OutcomeCrash}
	for _, c := range []struct {
		name   string
		own    string
		list   []string
		events []journal.Body
		want   string
	}{
		{"nothing is set", "", nil, []journal.Body{a, failed, a}, ""},
		{"the run's own", "x", nil, []journal.Body{a, failed, a}, "x"},
		{"the story's", "x", nil, []journal.Body{start("A", "y")}, "y"},
		{"the weakest first", "", list, []journal.Body{a}, "haiku"},
		{"the next one", "", list, []journal.Body{a, failed, a}, "sonnet"},
		{"the last one stays", "", list, []journal.Body{a, failed, a, failed, a, failed, a}, "opus"},
		{"over runs", "", list, []journal.Body{a, failed, journal.RunEnded{}, started, a, end(journal.OutcomeTimeout), a}, "opus"},
		{"from the story's on", "", list, []journal.Body{start("A", "sonnet"), failed, start("A", "sonnet")}, "opus"},
		{"from the run's on", "sonnet", list, []journal.Body{a}, "sonnet"},
		{"a first one that the list lacks", "x", list, []journal.Body{a}, "x"},
		{"and the one after it", "x", list, []journal.Body{a, failed, a}, "haiku"},
		{"another story", "", list, []journal.Body{a, failed, start("B", "")}, "haiku"},
		{"another story was accepted", "", list, []journal.Body{a, end(journal.OutcomeOK, "B"), a}, "sonnet"},
		{"accepted, and open again", "", list, []journal.Body{a, failed, a, end(journal.OutcomeOK, "A"), a}, "haiku"},
		{"accepted at the start of a run", "", list, []journal.Body{a, failed, journal.ClaimAccepted{Stories: []string{"A"}}, a}, "haiku"},
		{"a limit", "", list, []journal.Body{a, end(journal.OutcomeUsageLimit), a}, "haiku"},
		{"an overload", "", list, []journal.Body{a, end(journal.OutcomeTransient), a}, "haiku"},
		{"a stop", "", list, []journal.Body{a, end(journal.OutcomeInterrupted), a}, "haiku"},
		{"ralph's own death", "", list, []journal.Body{a, died, a}, "haiku"},
		{"the agent's crash", "", list, []journal.Body{a, end(journal.OutcomeCrash), a}, "sonnet"},
		{"no story, no progress", "", list, []journal.Body{opened, failed, opened}, "sonnet"},
		{"no story, and progress after it", "", list, []journal.Body{opened, failed, opened, end(journal.OutcomeOK, "x"), opened}, "haiku"},
		{"no story, promised too early", "", list, []journal.Body{opened, early, opened}, "haiku"},
		{"no story, and another run", "", list, []journal.Body{opened, failed, journal.RunEnded{}, started, opened}, "haiku"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := after(append([]journal.Body{started}, c.events...)...)
			if got := p.Model(journal.RunRules{Model: c.own, Escalate: c.list}); got != c.want {
				t.Errorf("the model is %q, want %q (%d failures)", got, c.want, p.Open.Failures)
			}
		})
	}
}
