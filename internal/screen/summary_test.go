package screen

import (
	"bytes"
	"fmt"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/stopwatch"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// TestSummaryFitsOneScreen: the summary of a run in which everything happened fits into 24
// lines of 80 characters.
func TestSummaryFitsOneScreen(t *testing.T) {
	t.Setenv("COLUMNS", "")
	synctest.Test(t, func(t *testing.T) {
		var stories []journal.Story
		for i := range 30 {
			stories = append(stories, journal.Story{ID: fmt.Sprintf("STORY-%03d", i+1), Title: "A title that is " + strings.Repeat("very, very ", 10) + "long", Done: i < 10})
		}
		cost := 1.5
		reset := time.Now().Add(time.Hour)
		var screen bytes.Buffer
		term := &terminal.Terminal{Out: &screen, Err: &screen}
		o := &Output{t: term, Files: &unit.Files{State: &run.Shared{}, Warned: map[string]bool{}}, Screen: New(term, &screen, "/w/repo", false), watch: stopwatch.Start()}
		tell := func(after time.Duration, b journal.Body) {
			time.Sleep(after)
			e := journal.Event{Time: time.Now(), Run: "r", Body: b}
			o.Files.State.Apply(e)
		}
		tell(0, journal.RunStarted{Unit: "feature-x", Plan: "prd", Head: "0123456789abcdef", MaxIterations: 20, Stories: stories})
		tell(0, journal.IterationStarted{N: 7})
		tell(10*time.Minute, journal.AttemptEnded{N: 7, Tokens: stream.Tokens{Input: 1_200_000, Output: 34_000}, CostUSD: &cost})
		tell(0, journal.ClockJumped{Seconds: 480, Slept: true})
		for _, outcome := range []string{"passed", "failed", "passed", "failed"} {
			tell(0, journal.CheckEnded{Name: "unit", Outcome: journal.CheckOutcome(outcome)})
		}
		tell(0, journal.CheckEnded{Name: "lint", Outcome: "timeout"})
		tell(0, journal.CheckEnded{Name: "lint", Outcome: "passed"})
		tell(0, journal.ClaimRejected{N: 7, Claim: "story", Stories: []string{"STORY-012"}, Reason: "check unit failed with exit code 1 " + strings.Repeat("and so on ", 20)})
		tell(0, journal.IterationEnded{N: 7, StoriesPassed: []string{"STORY-011"}, Commits: []string{"c1", "c2"}, StoriesComplete: 11, StoriesTotal: 30})
		tell(0, journal.WaitStarted{Reason: "usage_limit", Until: &reset})
		tell(time.Hour, journal.RunEnded{Status: "stopped", Reason: "usage_limit", ResumesAt: &reset})
		o.Summary(run.End{Reason: journal.ReasonUsageLimit, Message: "the provider's usage limit is reached", Hint: "continue after it with 'ralph run'", ResumesAt: reset}, "", "", "")

		story := func(mark string, n int) string {
			return terminal.Shortened(fmt.Sprintf("%s STORY-%03d: %s", mark, n, stories[0].Title), 78)
		}
		var want []string
		want = append(want, "", "✗ usage limit: the provider's usage limit is reached", "  "+story("✓", 11))
		for n := 12; n <= 17; n++ {
			want = append(want, "  "+story("·", n))
		}
		want = append(want, "    and 23 more", "  Iteration: 7/20", "  Progress:  11/30 stories", "  Time:      2m working, 1h00m waiting, 8m asleep",
			"  Tokens:    1.2M, $1.50", "  Checks:    3 passed, 3 failed; still red: unit",
			"  Rejected:  1 claim, the last because: check unit failed with exit code 1 and …",
			"  Limit:     resumes at "+words.Local(reset), "  Next:      continue after it with 'ralph run'", "")
		got := strings.Split(screen.String(), "\n")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Error(diff)
		}
		for _, line := range got {
			if len([]rune(line)) > 80 {
				t.Errorf("too wide: %q", line)
			}
		}
		if len(got) > 22 {
			t.Errorf("%d lines leave no room for a prompt", len(got))
		}
	})
}

// TestFooter names what takes long, and nothing that does not.
func TestFooter(t *testing.T) {
	t.Setenv("COLUMNS", "")
	passed := journal.Event{Body: journal.CheckEnded{Name: "unit", Outcome: "passed", DurationSeconds: 3}}
	run := func(tty bool, took time.Duration) string {
		var shown bytes.Buffer
		synctest.Test(t, func(t *testing.T) {
			term := &terminal.Terminal{Out: &shown, Err: &shown, IsTTY: tty, Redraws: tty}
			s := New(term, &shown, "/w/repo", false)
			s.Working("running check unit")
			time.Sleep(took)
			s.Event(passed)
			time.Sleep(time.Hour) // nothing comes back
			synctest.Wait()
		})
		return shown.String()
	}
	const done = "✓ check unit: passed (3s)\n"
	for _, c := range []struct {
		name string
		tty  bool
		took time.Duration
		want string
	}{
		{"quick", true, 900 * time.Millisecond, done},
		{"slow", true, 2500 * time.Millisecond, "\r\x1b[K  running check unit, 1s \r\x1b[K  running check unit, 2s \r\x1b[K" + done},
		{"quick, into a file", false, 900 * time.Millisecond, done},
		{"slow, into a file", false, 2500 * time.Millisecond, "… running check unit\n" + done},
	} {
		if diff := cmp.Diff(c.want, run(c.tty, c.took)); diff != "" {
			t.Errorf("%s: %s", c.name, diff)
		}
	}
}

// TestFooterMakesRoom: other output during a footer has lines of its own.
func TestFooterMakesRoom(t *testing.T) {
	var shown bytes.Buffer
	synctest.Test(t, func(t *testing.T) {
		s := New(&terminal.Terminal{Out: &shown, Err: &shown, IsTTY: true, Redraws: true}, &shown, "/w/repo", false)
		until := time.Now().Add(90 * time.Second)
		s.Event(journal.Event{Body: journal.WaitStarted{Reason: "usage_limit", Until: &until, Message: "no more"}})
		time.Sleep(2500 * time.Millisecond)
		s.Event(journal.Event{Body: journal.ClockJumped{Seconds: -60, Message: "the clock was set back by 1m"}})
		s.aside("⚠", "something else")
		time.Sleep(time.Second)
		s.Event(journal.Event{Body: journal.WaitEnded{Reason: "usage_limit"}})
		synctest.Wait()
	})
	lines := regexp.MustCompile(`(?:\r\x1b\[K  [0-9ms]+ left )*\r\x1b\[K|[^\r\n]+\n`).FindAllString(shown.String(), -1)
	want := []string{"the head", "\r\x1b[K  1m29s left \r\x1b[K  1m28s left \r\x1b[K", "⚠ the clock was set back by 1m\n", "⚠ something else\n", "\r\x1b[K  1m27s left \r\x1b[K"}
	if !strings.Contains(lines[0], "waiting until") {
		t.Errorf("the wait is not announced: %q", lines[0])
	}
	if diff := cmp.Diff(want[1:], lines[1:]); diff != "" {
		t.Error(diff)
	}
}

// TestTimeOfAQuestionIsWaiting: nothing worked while the user was asked.
func TestTimeOfAQuestionIsWaiting(t *testing.T) {
	if worked, waited, _ := times(&run.Run{}, time.Minute, 50*time.Second); worked != 10*time.Second || waited != 50*time.Second {
		t.Errorf("worked %s, waited %s", worked, waited)
	}
}

// TestMarkOfAnIteration: a commit is progress in a checklist, and the mark says so.
func TestMarkOfAnIteration(t *testing.T) {
	for want, it := range map[string]run.Row{
		"✓": {Outcome: "ok", Progress: true},
		"●": {Outcome: "ok"},
		"✗": {Outcome: "timeout", Progress: true},
	} {
		var out bytes.Buffer
		ShowIteration(&terminal.Terminal{Out: &out}, it)
		if !strings.HasPrefix(out.String(), "  "+want) {
			t.Errorf("%+v: %q, want %s", it, out.String(), want)
		}
	}
}
