package calls

import (
	"context"
	"crypto/rand"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/ratelimit"
	"ralph/internal/recorder"
	"ralph/internal/run"
	"ralph/internal/stopwatch"
	"ralph/internal/stream"
)

// teamOf returns a team with agents of these names, which all exist, and its recorded
// events. Teams with the same folder share their ledgers.
func teamOf(t *testing.T, ledgers string, names ...string) (*Team, *[]journal.Body) {
	t.Helper()
	w, err := journal.OpenWriter(filepath.Join(t.TempDir(), journal.FileName))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.Close() })
	events := new([]journal.Body)
	bin := t.TempDir()
	team := &Team{Env: []string{"PATH=" + bin}, LogDir: "logs", Root: t.TempDir(),
		Recorder: &recorder.Recorder{Shared: &run.Shared{}, Journal: w, Run: "run", Observe: func(e journal.Event) { *events = append(*events, e.Body) }}}
	var agents []Caller
	for _, name := range names {
		h := agent.Custom(name)
		h.Command = []string{name}
		agents = append(agents, Caller{Harness: h})
		if err := os.WriteFile(filepath.Join(bin, name), nil, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	team.Assemble(agents, ratelimit.Open(ledgers, names[0], 0).For(rand.Text()))
	return team, events
}

func (t *Team) pick(tb *testing.T) Block {
	tb.Helper()
	b, err := t.Pick(tb.Context())
	if err != nil {
		tb.Fatal(err)
	}
	return b
}

// refuse is what becomes of a call that meets a limit.
func (t *Team) refuse(tb *testing.T, reset time.Time) {
	tb.Helper()
	o := agent.Outcome{Kind: journal.OutcomeUsageLimit, Message: "no more", ResetsAt: reset}
	if err := t.Refused(tb.Context(), o); err != nil {
		tb.Fatal(err)
	}
}

func waiting(b Block) journal.WaitStarted {
	return journal.WaitStarted{Reason: journal.ReasonUsageLimit, Until: journal.TimePtr(b.Until), Message: b.Note}
}

// stand waits at the current limit.
func (t *Team) stand(tb *testing.T) {
	tb.Helper()
	b := t.pick(tb)
	if err := t.WaitForLimit(tb.Context(), b, waiting(b)); err != nil {
		tb.Fatal(err)
	}
}

func switches(events []journal.Body) (list []string) {
	for _, b := range events {
		if s, ok := b.(journal.HarnessSwitched); ok {
			list = append(list, s.From+" > "+s.To+": "+s.Reason)
		}
	}
	return list
}

func TestTheNextAgentTakesOverAndTheFirstComesBack(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		l, events := teamOf(t, t.TempDir(), "a", "b", "c")
		now := time.Now()
		l.pick(t)
		l.refuse(t, now.Add(3*time.Hour))
		l.pick(t)
		l.refuse(t, now.Add(time.Hour))
		l.pick(t)
		l.refuse(t, time.Time{}) // the end is unknown: ralph guesses five minutes
		if b := l.pick(t); b.Agent != "c" || !b.Until.Equal(now.Add(firstGuess)) || !b.Reset.IsZero() {
			t.Errorf("the first to be free: %+v", b)
		}
		if err := l.members[2].ledger.SetLimited(t.Context(), now.Add(9*time.Hour), "another loop found it"); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Hour)
		l.pick(t)
		time.Sleep(2 * time.Hour)
		l.pick(t)
		want := []string{"a > b: usage limit", "b > c: usage limit", "c > b: its limit is over", "b > a: its limit is over"}
		if diff := cmp.Diff(want, switches(*events)); diff != "" {
			t.Error(diff)
		}
	})
}

// TestLimitOfAModelIsNotShared: loops with another model can continue.
func TestLimitOfAModelIsNotShared(t *testing.T) {
	ledgers := t.TempDir()
	l, _ := teamOf(t, ledgers, "a")
	other, _ := teamOf(t, ledgers, "a")
	reset := time.Now().Add(time.Hour)
	if err := l.Refused(t.Context(), agent.Outcome{Kind: journal.OutcomeUsageLimit, ResetsAt: reset, OfModel: true}); err != nil {
		t.Fatal(err)
	}
	if b := l.pick(t); !b.Reset.Equal(reset) {
		t.Errorf("this loop is not held: %+v", b)
	}
	if b := other.pick(t); b.Blocked() {
		t.Errorf("another loop is held: %+v", b)
	}
}

// TestOneLoopTriesForTheOthers: one of two loops that wait for a reset calls the agent, and
// the other continues when the model has answered there.
func TestOneLoopTriesForTheOthers(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledgers := t.TempDir()
		one, _ := teamOf(t, ledgers, "a")
		two, events := teamOf(t, ledgers, "a")
		one.refuse(t, time.Now().Add(time.Hour))
		if b := two.pick(t); !b.Blocked() || b.Probed {
			t.Fatalf("the other loop does not know: %+v", b)
		}
		time.Sleep(time.Hour)
		if b := one.pick(t); b.Blocked() || !one.at.probing {
			t.Fatalf("nobody may try: %+v", b)
		}
		b := two.pick(t)
		if !b.Probed {
			t.Fatalf("both may try: %+v", b)
		}
		began := time.Now()
		time.AfterFunc(30*time.Second, func() {
			heard := one.listening(t.Context(), func(stream.Event) {})
			heard(stream.Event{Kind: stream.KindStart})
			heard(stream.Event{Kind: stream.KindText})
		})
		if err := two.WaitForLimit(t.Context(), b, waiting(b)); err != nil {
			t.Fatal(err)
		}
		if took := time.Since(began); took < 30*time.Second || took > 32*time.Second {
			t.Errorf("the other loop waited for %s", took)
		}
		if b := two.pick(t); b.Blocked() || two.at.probing {
			t.Errorf("the limit is not over for the other loop: %+v", b)
		}
		if _, ok := (*events)[0].(journal.WaitStarted); !ok {
			t.Errorf("events: %+v", (*events)[0])
		}
	})
}

// TestProbeThatIsRefused: the others hear of the new reset, and wait for that.
func TestProbeThatIsRefused(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		ledgers := t.TempDir()
		one, _ := teamOf(t, ledgers, "a")
		two, _ := teamOf(t, ledgers, "a")
		one.refuse(t, time.Now().Add(time.Hour))
		time.Sleep(time.Hour)
		one.pick(t)
		again := time.Now().Add(2 * time.Hour)
		one.refuse(t, again)
		if b := two.pick(t); !b.Until.Equal(again) || b.Probed {
			t.Errorf("%+v, want until %s", b, again)
		}
		time.Sleep(2 * time.Hour)
		one.pick(t)
		if err := one.settleProbe(t.Context(), agent.Outcome{Kind: journal.OutcomeInterrupted}); err != nil {
			t.Fatal(err)
		}
		if two.pick(t); !two.at.probing {
			t.Error("nobody tries after a loop that was stopped while it did")
		}
	})
}

// TestAWaitEndsSoonerWhereALimitIsForgotten: 'ralph limits --clear' ends a wait, and after
// the reset it lasts no longer than the jitter.
func TestAWaitEndsSoonerWhereALimitIsForgotten(t *testing.T) {
	for _, cleared := range []bool{true, false} {
		synctest.Test(t, func(t *testing.T) {
			l, _ := teamOf(t, t.TempDir(), "a")
			began := time.Now()
			reset := began.Add(5 * time.Hour)
			l.refuse(t, reset)
			if cleared {
				time.AfterFunc(time.Hour, func() { _ = l.members[0].ledger.SetLimited(context.Background(), time.Time{}, "") })
			}
			l.stand(t)
			least, most := 5*time.Hour, 5*time.Hour+longestJitter+stopwatch.Tick
			if cleared {
				least, most = time.Hour, time.Hour+2*stopwatch.Tick
			}
			if took := time.Since(began); took < least || took > most {
				t.Errorf("cleared %v: the wait took %s", cleared, took)
			}
		})
	}
}

// TestAnAgentThatCannotTakeOver is left out of the run; the run's own never is.
func TestAnAgentThatCannotTakeOver(t *testing.T) {
	l, events := teamOf(t, t.TempDir(), "a", "gone", "b", "c")
	if err := os.Remove(filepath.Join(strings.TrimPrefix(l.Env[0], "PATH="), "gone")); err != nil {
		t.Fatal(err)
	}
	auth := agent.Outcome{Kind: journal.OutcomeAuth, Message: "no key", Hint: "log in"}
	if unfit, err := l.DropUnfit(auth, nil); unfit || err != nil {
		t.Errorf("the run's own agent: %v, %v", unfit, err)
	}
	l.refuse(t, time.Now().Add(time.Hour))
	l.pick(t)
	if l.at.Harness.Name != "b" {
		t.Errorf("%s took over", l.at.Harness.Name)
	}
	if unfit, err := l.DropUnfit(auth, nil); !unfit || err != nil {
		t.Errorf("an agent without a login: %v, %v", unfit, err)
	}
	l.pick(t)
	if diff := cmp.Diff([]string{"a > b: usage limit", "b > c: b cannot be called"}, switches(*events)); diff != "" {
		t.Error(diff)
	}
	if unfit, err := l.DropUnfit(agent.Outcome{}, &agent.MissingError{Harness: "c", Program: "c", Err: os.ErrPermission}); !unfit || err != nil {
		t.Errorf("an agent that cannot be started: %v, %v", unfit, err)
	}
	if b := l.pick(t); b.Agent != "a" {
		t.Errorf("waiting for %+v", b)
	}
	text := ""
	for _, b := range *events {
		if w, ok := b.(journal.Warning); ok {
			text += w.Message + "\n"
		}
	}
	for _, want := range []string{"gone cannot take over in this run: the agent", "b cannot take over in this run: no key; log in", "c cannot take over in this run: the agent \"c\" of harness c may not be executed"} {
		if !strings.Contains(text, want) {
			t.Errorf("%q is not said in\n%s", want, text)
		}
	}
}
