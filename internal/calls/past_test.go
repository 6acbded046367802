package calls

import (
	"testing"
	"time"

	"ralph/internal/journal"
)

// TestLimitsOutliveADeadRun: what the next run takes over of limits that only the dead
// one knew, and what it does not.
func TestLimitsOutliveADeadRun(t *testing.T) {
	now := time.Now()
	reset, died, ended := now.Add(2*time.Hour), journal.RunEnded{Reason: "crashed"}, journal.RunEnded{Reason: "interrupted"}
	call := func(model string) journal.AttemptStarted { return journal.AttemptStarted{Harness: "a", Model: model} }
	came := func(outcome journal.Outcome) journal.AttemptEnded { return journal.AttemptEnded{Outcome: outcome} }
	refused := came("usage_limit")
	ofModel, ofAccount := refused, refused
	ofModel.ResetsAt, ofModel.ModelLimit, ofAccount.ResetsAt = &reset, true, &reset
	for _, c := range []struct {
		name   string
		bodies []journal.Body
		until  time.Time
		times  int
	}{
		{"nothing", nil, time.Time{}, 0},
		{"an end that nobody told", []journal.Body{call("m"), refused, died}, now.Add(firstGuess), 1},
		{"for the third time", []journal.Body{call("m"), refused, call("m"), refused, call("m"), came("transient"), call("m"), refused, died}, now.Add(4 * firstGuess), 3},
		{"of a model", []journal.Body{call("m"), ofModel, died}, reset, 1},
		{"of the account, which the ledger knows", []journal.Body{call("m"), ofAccount, died}, time.Time{}, 1},
		{"of another model", []journal.Body{call("x"), ofModel, died}, time.Time{}, 0},
		{"of another agent", []journal.Body{journal.AttemptStarted{Harness: "b", Model: "m"}, ofModel, died}, time.Time{}, 0},
		{"a limit that was over", []journal.Body{call("m"), refused, call("m"), came("error"), died}, time.Time{}, 0},
		{"a run that ended in order", []journal.Body{call("m"), ofModel, ended}, time.Time{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, _ := teamOf(t, t.TempDir(), "a")
			l.at.Options.Model = "m"
			var p Past
			for _, b := range c.bodies {
				p.Follow(journal.Event{Time: now, Run: "r", Body: b})
			}
			l.Resume(p)
			if b := l.pick(t); !b.Until.Equal(c.until) || l.at.refusals != c.times {
				t.Errorf("held until %v after %d refusals, want %v after %d", b.Until, l.at.refusals, c.until, c.times)
			}
		})
	}
}

// TestAStandstillOutlivesADeath: a run that goes on after ralph was killed goes on
// with the wait; one that a person starts anew does not.
func TestAStandstillOutlivesADeath(t *testing.T) {
	hour := func(h float64) time.Time { return time.Unix(0, 0).Add(time.Duration(h * float64(time.Hour))) }
	at := func(h float64, b journal.Body) journal.Event { return journal.Event{Time: hour(h), Body: b} }
	wait := func(h, until float64, reason journal.Reason) journal.Event {
		end := hour(until)
		return at(h, journal.WaitStarted{Reason: reason, Until: &end})
	}
	waited := func(h, hours float64, reason journal.Reason) journal.Event {
		return at(h, journal.WaitEnded{Reason: reason, Seconds: hours * 3600})
	}
	refused, died := journal.AttemptEnded{Outcome: "usage_limit"}, journal.RunEnded{Reason: "crashed"}
	for _, c := range []struct {
		name   string
		events []journal.Event
		want   time.Duration
	}{
		{"two waits, and a third that was cut off", []journal.Event{wait(0, 1, LimitWait), waited(1, 1, LimitWait), at(1, refused),
			wait(1, 3, LimitWait), waited(3, 2, LimitWait), at(3, refused), wait(3, 9, LimitWait), at(4, died)}, 4 * time.Hour},
		{"a death that was found days later", []journal.Event{wait(0, 2, LimitWait), at(90, died)}, 2 * time.Hour},
		{"a clock that was set back", []journal.Event{wait(5, 7, LimitWait), at(1, died)}, 0},
		{"other waits", []journal.Event{wait(0, 1, "rate_limit"), waited(1, 1, "rate_limit"), wait(1, 3, "paused"), at(2, died)}, 0},
		{"a call that went through", []journal.Event{wait(0, 1, LimitWait), waited(1, 1, LimitWait), at(1, journal.AttemptEnded{Outcome: "ok"}), at(2, died)}, 0},
		{"an end in order", []journal.Event{wait(0, 1, LimitWait), waited(1, 1, LimitWait), at(1, journal.RunEnded{Reason: "usage_limit"})}, 0},
		{"a person's Ctrl-C in the wait", []journal.Event{wait(0, 9, LimitWait), at(4, journal.RunEnded{Reason: "interrupted"}), at(5, died)}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			var p Past
			for _, e := range c.events {
				p.Follow(e)
			}
			if p.Stood != c.want {
				t.Errorf("%s, want %s", p.Stood, c.want)
			}
		})
	}
}
