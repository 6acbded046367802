package run

import (
	"testing"
	"time"

	"ralph/internal/journal"
)

func TestReplay(t *testing.T) {
	events := func(bodies ...journal.Body) []journal.Event {
		var list []journal.Event
		for i, b := range bodies {
			list = append(list, journal.Event{Time: noon.Add(time.Duration(i) * time.Second), Run: "r", Body: b})
		}
		return list
	}
	resets := noon.Add(5 * time.Hour)
	stuck := events(started, ended(1, 1), ended(2, 2), ended(3, 3), journal.RunEnded{Reason: journal.ReasonNoProgress})
	waited := events(started, opened, calling, agent, came(journal.OutcomeUsageLimit), journal.WaitStarted{Reason: journal.ReasonUsageLimit, Until: &resets})
	story := journal.Story{ID: "A"}
	begin := started
	begin.Stories = []journal.Story{story}
	about := func(n int) journal.IterationStarted {
		return journal.IterationStarted{N: n, Story: &story, State: "before A"}
	}
	onStory := events(begin, journal.BaseMoved{Commit: "c0"}, about(1), ended(1, 1), about(2), ended(2, 2), about(3), ended(3, 3))
	park := func(r *journal.RunRules) { r.OnStuck = StuckPark }
	early := func(n int) []journal.Body {
		return []journal.Body{journal.ClaimRejected{N: n, Claim: journal.ClaimPromise}, ended(n, 0)}
	}
	minimum := events(append(append([]journal.Body{started}, early(1)...), early(2)...)...)
	for _, c := range []struct {
		name        string
		events      []journal.Event
		was         func(*journal.RunRules)
		change      func(*journal.RunRules)
		after       int
		from, would Do
		reason      journal.Reason
	}{
		{"nothing changes", stuck, nil, func(r *journal.RunRules) { r.MaxIterations = 30 }, 0, "", "", ""},
		{"a breaker that opens earlier", stuck, nil, func(r *journal.RunRules) { r.NoProgress = 2 }, 2, DoBegin, DoEnd, journal.ReasonNoProgress},
		{"a breaker that opens later", stuck, nil, func(r *journal.RunRules) { r.NoProgress = 5 }, 3, DoEnd, DoBegin, ""},
		{"a stuck story that would be parked", onStory, nil, park, 3, DoEnd, DoPark, journal.ReasonNoProgress},
		{"a story that is parked later", onStory, park, func(r *journal.RunRules) { r.NoProgress = 5 }, 3, DoPark, DoBegin, ""},
		{"fewer iterations", stuck, nil, func(r *journal.RunRules) { r.MaxIterations = 1 }, 1, DoBegin, DoEnd, journal.ReasonMaxIterations},
		{"a limit that is not waited for", waited, nil, func(r *journal.RunRules) { r.OnLimit = LimitExit }, 0, DoWait, DoEnd, journal.ReasonUsageLimit},
		{"a limit that is too far away", waited, nil, func(r *journal.RunRules) { r.MaxWaitHours = 2 }, 0, DoWait, DoEnd, journal.ReasonUsageLimit},
		{"a promise that counts earlier", minimum, func(r *journal.RunRules) { r.MinIterations = 5 }, func(r *journal.RunRules) { r.MinIterations = 2 }, 2, DoBegin, DoEnd, journal.ReasonPromise},
	} {
		t.Run(c.name, func(t *testing.T) {
			was := rules
			if c.was != nil {
				c.was(&was)
			}
			would := was
			c.change(&would)
			d := Replay(c.events, "r", was, would)
			if d == nil {
				d = &Difference{}
			}
			if d.After != c.after || d.Was.Do != c.from || d.Would.Do != c.would || d.Would.Reason != c.reason {
				t.Errorf("after %d: %q, and would be %q for %q", d.After, d.Was.Do, d.Would.Do, d.Would.Reason)
			}
		})
	}
}
