package calls

import (
	"testing"
	"time"

	"ralph/internal/journal"
	"ralph/internal/run"
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
		{"an end that is not known", []journal.Body{call("m"), refused, died}, now.Add(firstGuess), 1},
		{"for the third time", []journal.Body{call("m"), refused, call("m"), refused, call("m"), came("transient"), call("m"), refused, died}, now.Add(4 * firstGuess), 3},
		{"of a model", []journal.Body{call("m"), ofModel, died}, reset, 1},
		{"of the account, which the ledger knows", []journal.Body{call("m"), ofAccount, died}, time.Time{}, 1},
		{"of another model", []journal.Body{call("x"), ofModel, died}, time.Time{}, 1},
		{"of another agent", []journal.Body{journal.AttemptStarted{Harness: "b", Model: "m"}, ofModel, died}, time.Time{}, 0},
		{"a limit that was over", []journal.Body{call("m"), refused, call("m"), came("error"), died}, time.Time{}, 0},
		{"a run that ended in order", []journal.Body{call("m"), ofModel, ended}, time.Time{}, 0},
	} {
		t.Run(c.name, func(t *testing.T) {
			l, _ := teamOf(t, t.TempDir(), "a")
			l.at.Options.Model = "m"
			var s run.State
			for _, b := range c.bodies {
				s.Apply(journal.Event{Time: now, Run: "r", Body: b})
			}
			l.Resume(s.Limits)
			if b := l.pick(t); !b.Until.Equal(c.until) || l.at.refusals != c.times {
				t.Errorf("held until %v after %d refusals, want %v after %d", b.Until, l.at.refusals, c.until, c.times)
			}
		})
	}
}
