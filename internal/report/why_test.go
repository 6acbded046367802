package report_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/report"
)

// textOf returns the text of decisions, with the evidence indented.
func textOf(decisions []report.Decision) string {
	var out strings.Builder
	for _, d := range decisions {
		sign := "-"
		if d.Good {
			sign = "+"
		}
		out.WriteString(sign + " " + d.Text + "\n")
		for _, b := range d.Because {
			out.WriteString("    " + b + "\n")
		}
	}
	return out.String()
}

func TestWhy(t *testing.T) {
	run := fold("", false, eventful().events).Run
	for n, want := range map[int]string{
		0: `+ the quality checks were green before the first iteration
    check backend passed after 4s: pytest tests/
`,
		1: `- call 1 of claude does not count as an iteration: usage limit
    it took 30s and ended with exit status 0
    You've hit your limit
+ the session of claude ended well
    it took 5m and ended with exit status 0
- the run waited 18m30s: usage limit
    You've hit your limit
+ the quality checks passed
    check backend passed after 12s, in a clean worktree: pytest tests/
+ accepted: S-1
    the agent marked S-1 in the plan
    1 commit: 9d8e7f60
    check backend passed
    S-1 was proved in a clean worktree at 9d8e7f60 by 1 check; the receipt is a git note too
- the plan is not done
    1 of 3 stories are done
+ the iteration made progress
    newly accepted: S-1
+ the run continued
    the plan was not done, and no limit was reached
`,
		2: `+ the session of claude ended well
    it took 4m and ended with exit status 0
- .ralph/feature-x/prd.json was restored
    story S-3 removed
    the replaced content is kept in /home/ada/shop/.git/ralph/feature-x/snapshot/replaced/1-prd.json
- tests or checks were weakened, so the stories of the iteration were not accepted
    auth/login_test.go:12: a test is skipped: t.Skip("later") (test-skipped)
    and 1 more
- quality checks failed: backend
    check backend failed with exit status 1 after 13s: pytest tests/
      collected 42
      1 failed, 41 passed
- not accepted: S-2; the mark was revoked
    check backend failed: exit status 1
    check backend failed with exit status 1
- not accepted: the promise that all is done
    2 stories are still open in prd.json
- the plan is not done
    1 of 3 stories are done
- the iteration made no progress: 1 iteration in a row, and at 3 the circuit breaker opens
    no story was accepted for the first time in this run
- context added: use argon2
- 1 story added
- a warning
- the clock went 1h forward
- codex takes over from claude: usage limit
+ the run continued
    the plan was not done, and no limit was reached
`,
		3: `- the session of codex counts as an error: timeout
    it took 15m and was ended by a signal: terminated
    no end after 15m
    it was not permitted 1 call: Bash
    it left processes that ralph had to end: 2
- the history changed
    the agent took 1 commit back
- S-2: marked without any work
    nothing outside the plan had changed since the last accepted story
- not accepted: S-2; the mark was revoked
    nothing outside of the plan was changed for it
- the plan is not done
    1 of 4 stories are done
- the iteration made no progress: 2 iterations in a row, and at 3 the circuit breaker opens
    no story was accepted for the first time in this run
- equal errors in a row: 1, and at 5 the circuit breaker opens
    no end after 15m
- circuit breaker open: no progress (2 in a row)
- Not done: 2 iterations in a row brought no progress
    the reason is no_progress: too many iterations in a row without progress
    1 of 4 stories are done
    3 of at most 20 iterations have ended
    circuit breaker open: no progress (2 in a row)
    not accepted in iteration 3: S-2: nothing outside of the plan was changed for it
    the error of iteration 3: no end after 15m
    'ralph run' ended with exit status 1
`,
	} {
		it := &run.Before
		if n > 0 {
			it = run.Iteration(n)
		}
		if diff := cmp.Diff(want, textOf(run.Decisions(it))); diff != "" {
			t.Errorf("iteration %d: %s", n, diff)
		}
	}
}

// TestWhyDone: a finished plan has its evidence, and an accepted promise is named.
func TestWhyDone(t *testing.T) {
	tp := &tape{run: "20261121-140203"}
	b := opened(tp.run)
	b.Plan, b.Stories = "prompt", nil
	tp.add(0, b)
	tp.add(1, journal.IterationStarted{N: 1})
	tp.session(1, 1, 1)
	tp.add(2, journal.IterationEnded{N: 1, Outcome: "ok", Commits: []string{"abc"}, Progress: true, Promised: true, Done: true})
	tp.add(3, journal.RunEnded{Status: "completed", Reason: "promise", Message: "the agent promised completion"})
	run := fold("", false, tp.events).Run
	want := `+ the session of claude ended well
    it took 1m and ended with exit status 0
+ the agent's promise that all is done was accepted
    it is in the final message, and no check speaks against it
+ the plan is done
    the plan has no items: the agent's promise decides
+ the iteration made progress
    1 commit
+ Done: the agent promised completion
    the reason is promise: the agent promised completion, and nothing speaks against it
    1 of at most 20 iterations have ended
    'ralph run' ended with exit status 0
`
	if diff := cmp.Diff(want, textOf(run.Decisions(run.Iteration(1)))); diff != "" {
		t.Error(diff)
	}
}

// TestWhyComparedWithTheCommitBefore: a check that fails in the clean worktree of
// the work is run in the one of the commit before it. That is no word on the work.
func TestWhyComparedWithTheCommitBefore(t *testing.T) {
	for _, c := range []struct {
		name   string
		checks []journal.CheckEnded
		want   []string // among the evidence for what the checks said
		red    string
		brief  string
	}{
		{"the work's fault", []journal.CheckEnded{
			{Phase: "claim", Outcome: "failed", ExitCode: 1, Clean: true}, {Phase: "baseline", Outcome: "passed", Clean: true}},
			[]string{"check unit failed with exit status 1 after 0s, in a clean worktree: make test",
				"check unit passed after 0s, in a clean worktree of the commit before the work: make test"},
			"quality checks failed: unit", "check unit failed with exit status 1"},
		{"a dependency is missing", []journal.CheckEnded{
			{Phase: "claim", Outcome: "failed", ExitCode: 1, Clean: true}, {Phase: "baseline", Outcome: "failed", ExitCode: 1, Clean: true, Same: true},
			{Phase: "claim", Outcome: "passed"}},
			[]string{"check unit failed with exit status 1 after 0s, in a clean worktree: make test",
				"check unit failed with exit status 1 on the same files before and was not run again, in a clean worktree of the commit before the work: make test",
				"check unit passed after 0s: make test"},
			"the quality checks passed", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			tp := &tape{run: "20261121-140203"}
			tp.add(0, opened(tp.run))
			tp.add(1, journal.IterationStarted{N: 1})
			tp.session(1, 1, 1)
			for _, one := range c.checks {
				one.N, one.Name, one.Command = 1, "unit", "make test"
				tp.add(2, one)
			}
			tp.add(3, journal.IterationEnded{N: 1, Outcome: "ok", Progress: true})
			folded := fold("", false, tp.events)
			it := folded.Run.Iteration(1)
			for _, d := range folded.Run.Decisions(it) {
				if d.Kind != report.Checked {
					continue
				}
				if diff := cmp.Diff(c.want, d.Because); diff != "" || d.Text != c.red {
					t.Errorf("%q, want %q\n%s", d.Text, c.red, diff)
				}
			}
			if got := it.Brief(); got != c.brief {
				t.Errorf("in brief %q, want %q", got, c.brief)
			}
			for _, table := range folded.Tables() {
				if good := table.Rows[0].Mark == report.Good; table.Title == "Quality checks" && good != (c.brief == "") {
					t.Errorf("the table says %+v", table.Rows[0])
				}
			}
		})
	}
}

// TestEveryReasonIsExplained: a reason that the loop knows reads as words.
func TestEveryReasonIsExplained(t *testing.T) {
	for _, reason := range []journal.Reason{journal.ReasonStoriesComplete, journal.ReasonTasksComplete, journal.ReasonPromise, journal.ReasonMaxIterations, journal.ReasonNoProgress, journal.ReasonSameError, journal.ReasonBudget,
		journal.ReasonAuth, journal.ReasonAgentMissing, journal.ReasonBranchChanged, journal.ReasonError, journal.ReasonWaitingForPerson, journal.ReasonUsageLimit, journal.ReasonInterrupted, journal.ReasonStopped, journal.ReasonCrashed} {
		tp := &tape{run: "20261121-140203"}
		tp.add(0, opened(tp.run))
		tp.add(1, journal.RunEnded{Status: reason.Status(), Reason: reason})
		said := fold("", false, tp.events).Run.Outcome()
		if plain := strings.ReplaceAll(string(reason), "_", " "); strings.HasSuffix(said, ": "+plain+".") && reason != journal.ReasonStopped {
			t.Errorf("%s is only repeated: %s", reason, said)
		}
	}
}

// TestWhatAProofSays of a repository in which no commit could be made, and without a check.
func TestWhatAProofSays(t *testing.T) {
	proof := report.Receipt{Story: "STORY-001", Mode: "inplace", Why: journal.NoChecks}
	if got, want := proof.String(), "STORY-001 was marked, not proved: no check is configured"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	proof.Why = "none is due"
	if got, want := proof.String(), "STORY-001 was marked, not proved: no check ran (none is due)"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	proof.Why = ""
	proof.Checks = make([]report.Check, 1)
	if got, want := proof.String(), "STORY-001 was proved in place without a commit by 1 check"; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

// TestTheRuleOfAClaim: decisions on claims name their rule and its events. Journals of older
// versions have neither.
func TestTheRuleOfAClaim(t *testing.T) {
	r := report.Run{Iterations: []report.Iteration{{N: 1, Accepted: []string{"A"},
		Decided:  []report.Acceptance{{Stories: []string{"A"}, Rule: "proved", Facts: []int{4, 5}}},
		Rejected: []report.Rejection{{Claim: "story", Stories: []string{"B"}, Reason: "why", Rule: "no_work", Facts: []int{4}}, {Claim: "promise", Reason: "open"}},
	}}, Before: report.Iteration{Decided: []report.Acceptance{{Stories: []string{"C"}, Rule: "unproved"}}}}
	got := textOf(r.Decisions(&r.Before)) + textOf(r.Decisions(&r.Iterations[0]))
	for _, want := range []string{
		"+ accepted: C\n    decided by the rule unproved\n",
		"no quality check was due\n    decided by the rule proved, from events 4, 5 of the run\n",
		"    why\n    decided by the rule no_work, from event 4 of the run\n",
		"    open\n- Not done",
	} {
		if !strings.Contains(got, want) {
			t.Errorf("no %q in\n%s", want, got)
		}
	}
}
