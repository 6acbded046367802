package run

import (
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
)

// TestParking: what happens where a story is stuck, and after that.
func TestParking(t *testing.T) {
	a, b, c := Todo{ID: "A"}, Todo{ID: "B", DependsOn: []string{"A"}}, Todo{ID: "C"}
	ready := Seen{Time: noon, Ready: true, Print: "p0", Left: "0 of 3 stories pass", Open: []Todo{a, b, c}}
	with := func(change func(*Seen)) Seen { s := ready; change(&s); return s }
	settings := rules
	settings.OnStuck = StuckPark
	begin := func(n int, id string) journal.IterationStarted {
		return journal.IterationStarted{N: n, Story: &journal.Story{ID: id}, State: "before " + id}
	}
	first := journal.BaseMoved{Commit: "c0", Work: "w0"}
	stuck := []journal.Body{started, first, begin(1, "A"), ended(1, 1), begin(2, "A"), ended(2, 2), begin(3, "A"), ended(3, 3)}
	parkA := journal.StoryParked{Story: "A", Reason: journal.ReasonNoProgress, Ref: "refs/ralph/u/parked/A", Back: "before A"}
	parking := append(slices.Clone(stuck), parkA)
	parked := append(slices.Clone(parking), journal.BaseMoved{Commit: "c0", Work: "w0", Parked: "A"})
	mixed := slices.Clone(stuck)
	mixed[4] = journal.IterationStarted{N: 2, Story: &journal.Story{ID: "A"}, State: "later", Mixed: "someone else committed"}
	unkept := slices.Clone(stuck)
	unkept[2] = journal.IterationStarted{N: 1, Story: &journal.Story{ID: "A"}}
	dud := ended(3, 3)
	dud.InstantExits, dud.NoProgress = 3, 2
	crashed := journal.RunEnded{Reason: journal.ReasonCrashed}
	open := journal.BreakerOpened{Reason: journal.ReasonNoProgress, Count: 3, Print: "p0"}
	stopped := append(slices.Clone(stuck), open, journal.RunEnded{Reason: journal.ReasonNoProgress}, started)
	elsewhere := started
	elsewhere.Branch = "other"
	unpark := journal.Request{Kind: journal.RequestUnpark, Text: "A"}
	everything := with(func(s *Seen) { s.Open = []Todo{a, b} })
	for _, c := range []struct {
		name   string
		events []journal.Body
		seen   Seen
		want   Step // Message and Hint: a part of them
	}{
		{"stuck", stuck, ready, Step{Do: DoPark, Rule: RuleParked, Reason: journal.ReasonNoProgress, Story: "A", With: []string{"B"},
			Message: "3 iterations in a row without progress", Facts: []int{4, 6, 8}}},
		{"stuck when it died", append(slices.Clone(stuck), crashed, started), ready, Step{Do: DoPark, Rule: RuleParked, Reason: journal.ReasonNoProgress,
			Story: "A", With: []string{"B"}, Message: "3 iterations in a row without progress"}},
		{"the breaker is open since a run that stopped", stopped, ready, Step{Do: DoPark, Rule: RuleParked, Reason: journal.ReasonNoProgress,
			Story: "A", With: []string{"B"}, Message: "3 iterations in a row without progress"}},
		{"marked, and not judged yet", stopped, Seen{Print: "p0", Open: []Todo{c, b}}, Step{Do: DoPrepare, Rule: RuleGoOn}},
		{"it is no longer open", stopped, with(func(s *Seen) { s.Open = []Todo{c} }), Step{Do: DoResetBreaker, Rule: RuleParked, Message: "A is no longer open"}},
		{"someone else committed between", mixed, ready, Step{Do: DoEnd, Rule: RuleBreaker, Reason: journal.ReasonNoProgress, Opens: 3, Facts: []int{4, 6, 8},
			Message: "without progress; A cannot be parked: someone else committed; 0 of 3", Hint: "ralph undo"}},
		{"someone else edits now", stuck, with(func(s *Seen) { s.Mixed = "someone else edits" }), Step{Do: DoEnd, Rule: RuleBreaker, Reason: journal.ReasonNoProgress,
			Opens: 3, Facts: []int{4, 6, 8}, Message: "A cannot be parked: someone else edits;", Hint: "ralph undo"}},
		{"the state before was not kept", unkept, ready, Step{Do: DoEnd, Rule: RuleBreaker, Reason: journal.ReasonNoProgress, Opens: 3, Facts: []int{4, 6, 8},
			Message: "A cannot be parked: the last accepted state was not kept", Hint: "ralph undo"}},
		{"another branch", append(slices.Clone(stuck), crashed, elsewhere), ready, Step{Do: DoEnd, Rule: RuleBreaker, Reason: journal.ReasonNoProgress, Opens: 3,
			Message: "A cannot be parked: it was started on the branch b", Hint: "ralph undo"}},
		{"a broken agent is not the story's fault", []journal.Body{started, first, begin(1, "A"), dud}, ready,
			Step{Do: DoEnd, Rule: RuleBreaker, Reason: journal.ReasonSameError, Opens: 3, Message: "ended within seconds", Hint: "ralph logs", Facts: []int{4}}},
		{"decided and not carried out", parking, with(func(s *Seen) { s.Stop = journal.ReasonStopped }), Step{Do: DoRestore, Rule: RuleParked, Story: "A"}},
		{"the same after a death", append(slices.Clone(parking), crashed, started), Seen{}, Step{Do: DoRestore, Rule: RuleParked, Story: "A"}},
		{"the user keeps it as it is", append(slices.Clone(parking), unpark), ready, Step{Do: DoBegin, Rule: RuleGoOn, N: 4}},
		{"the next story", parked, ready, Step{Do: DoBegin, Rule: RuleGoOn, N: 4}},
		{"counts start again", append(slices.Clone(parked), begin(4, "C"), ended(4, 1)), ready, Step{Do: DoBegin, Rule: RuleGoOn, N: 5}},
		{"nothing is left", parked, everything, Step{Do: DoEnd, Rule: RuleParked, Reason: journal.ReasonParked,
			Message: "A parked, B waiting for that; 0 of 3 stories pass", Hint: "'git diff HEAD...refs/ralph/u/parked/A', take it up again with 'ralph unpark A'"}},
		{"not in the next run either", append(slices.Clone(parked), journal.RunEnded{Reason: journal.ReasonParked}, started), everything,
			Step{Do: DoEnd, Rule: RuleParked, Reason: journal.ReasonParked, Message: "A parked, B waiting", Hint: "unpark A"}},
		{"marks are judged before that", append(slices.Clone(parked), journal.RunEnded{Reason: journal.ReasonParked}, started),
			with(func(s *Seen) { s.Ready, s.Open = false, []Todo{a, b} }), Step{Do: DoPrepare, Rule: RuleGoOn}},
		{"the user takes it up again", append(slices.Clone(parked), journal.RunEnded{}, unpark, started), everything, Step{Do: DoBegin, Rule: RuleGoOn, N: 1}},
		{"it was accepted all the same", append(slices.Clone(parked), journal.ClaimAccepted{Stories: []string{"A"}, Commit: "c1"}), with(func(s *Seen) { s.Open = []Todo{b} }),
			Step{Do: DoBegin, Rule: RuleGoOn, N: 4}},
		{"undone", append(slices.Clone(parked), journal.Undone{}), everything, Step{Do: DoBegin, Rule: RuleGoOn, N: 4}},
		{"the undo is undone", append(slices.Clone(parked), journal.Undone{}, journal.Undone{Parked: []journal.StoryParked{parkA}}), everything,
			Step{Do: DoEnd, Rule: RuleParked, Reason: journal.ReasonParked, Message: "A parked, B waiting", Hint: "unpark A"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			c.seen.Time = noon
			got := Next(after(c.events...), c.seen, settings)
			for _, text := range []struct{ got, want *string }{{&got.Message, &c.want.Message}, {&got.Hint, &c.want.Hint}} {
				if *text.want != "" && strings.Contains(*text.got, *text.want) {
					*text.got = *text.want
				}
			}
			if len(got.Facts) == 0 {
				got.Facts = nil
			}
			if diff := cmp.Diff(c.want, got); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestPickLeavesOutWhatIsParked: with a parked story wait all that need it, however far.
func TestPickLeavesOutWhatIsParked(t *testing.T) {
	open := []Todo{{ID: "D", Priority: 1, DependsOn: []string{"B"}}, {ID: "B", Priority: 2, DependsOn: []string{"A"}}, {ID: "A", Priority: 3}, {ID: "C", Priority: 4}}
	p := after(started, journal.StoryParked{Story: "A"})
	if next := p.Pick(open); next == nil || next.ID != "C" {
		t.Errorf("%+v, want C", next)
	}
	if next := p.Pick(open[:3]); next != nil {
		t.Errorf("%+v, want none", next)
	}
}

// TestPending: the work since the last accepted state begins with its first iteration, and an
// acceptance that moves the base ends it.
func TestPending(t *testing.T) {
	begin := func(n int) journal.IterationStarted {
		return journal.IterationStarted{N: n, Story: &journal.Story{ID: "A"}, State: string(rune('0' + n))}
	}
	base := journal.BaseMoved{Commit: "c", Work: "w"}
	same := journal.ClaimAccepted{Stories: []string{"T"}, Commit: "c", Work: "w"}
	moved := journal.ClaimAccepted{Stories: []string{"A"}, Commit: "d", Work: "x"}
	for _, c := range []struct {
		name   string
		events []journal.Body
		since  string
	}{
		{"the first iteration", []journal.Body{started, base, begin(1), ended(1, 1), begin(2)}, "1"},
		{"over runs", []journal.Body{started, base, begin(1), journal.RunEnded{}, started, begin(2)}, "1"},
		{"after an acceptance", []journal.Body{started, base, begin(1), moved, ended(1, 0), begin(2)}, "2"},
		{"after an acceptance of marks alone", []journal.Body{started, base, begin(1), same, ended(1, 0), begin(2)}, "1"},
		{"after people moved the base", []journal.Body{started, base, begin(1), ended(1, 1), journal.BaseMoved{Commit: "e"}, begin(2)}, "2"},
		{"after an undo", []journal.Body{started, base, begin(1), ended(1, 1), journal.Undone{Base: "c", Work: "w"}, begin(2)}, "2"},
	} {
		if got := after(c.events...).Pending; got.Since != c.since || !got.Any {
			t.Errorf("%s: %+v, want since %s", c.name, got, c.since)
		}
	}
}
