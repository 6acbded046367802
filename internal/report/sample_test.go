package report_test

import (
	"bytes"
	"cmp"
	"strings"
	"testing"
	"time"

	"ralph/internal/journal"
	"ralph/internal/report"
	"ralph/internal/run"
	"ralph/internal/stream"
)

var start = time.Date(2026, 11, 21, 14, 2, 3, 456_000_000, time.UTC)

func ptr[T any](v T) *T { return &v }

var used = stream.Tokens{Input: 1000, Output: 200, CacheRead: 30_000, CacheWrite: 40}

// tape records events of a run, minutes after its start.
type tape struct {
	run    string
	events []journal.Event
}

func (tp *tape) add(minutes float64, b journal.Body) {
	at := start.Add(time.Duration(minutes * float64(time.Minute)))
	tp.events = append(tp.events, journal.Event{Time: at, Run: tp.run, Body: b})
}

// session is an iteration's call that ended well.
func (tp *tape) session(minutes float64, n int, took float64) {
	tp.add(minutes, journal.AttemptStarted{N: n, Attempt: 1, Harness: "claude", LogFile: logOf(n), CallsUsed: n, CallsLimit: 100})
	tp.add(minutes, journal.AgentStarted{N: n, Attempt: 1, PID: 4720, PIDStart: "1"})
	tp.add(minutes+took, journal.AttemptEnded{N: n, Attempt: 1, Outcome: "ok", DurationSeconds: took * 60, Tokens: used, CostUSD: ptr(0.25), Model: "opus-4"})
}

func logOf(n int) string {
	return ".ralph/feature-x/logs/iteration-" + string(rune('0'+n)) + ".log"
}

func stories(done ...bool) []journal.Story {
	list := []journal.Story{{ID: "S-1", Title: "Log in"}, {ID: "S-2", Title: "Reset the password"}, {ID: "S-3", Title: "Log out"}}
	for i, d := range done {
		list[i].Done = d
	}
	return list
}

func opened(run string) journal.RunStarted {
	return journal.RunStarted{Schema: 1, Version: "1.0.0", Unit: "feature-x", Plan: "prd", Feature: "feature-x", DoneCriteria: "prd", Branch: "feature/x",
		Worktree: "/home/ada/shop", Head: "aaaaaaaaaaaa", Harness: "claude", MaxIterations: 20, TimeoutSeconds: 900, StallThreshold: 3, SameError: 5,
		PID: 1, PIDStart: "1", Stories: stories(), Checks: []string{"backend"}}
}

// eventful is a run with one of everything: a wait at the usage limit, a claim
// that a check speaks against, tampering, a file that was restored, a proof, an
// error, a promise that was not accepted, a new plan, and an end by the breaker.
func eventful() *tape {
	tp := &tape{run: "20261121-140203"}
	tp.add(0, opened(tp.run))
	tp.add(0.1, journal.CheckEnded{Phase: "baseline", Name: "backend", Command: "pytest tests/", Outcome: "passed", DurationSeconds: 4})

	tp.add(1, journal.IterationStarted{N: 1, Story: &journal.Story{ID: "S-1", Title: "Log in"}, Head: "aaaaaaaaaaaa"})
	tp.add(1, journal.AttemptStarted{N: 1, Attempt: 1, Harness: "claude", LogFile: logOf(1), CallsUsed: 1, CallsLimit: 100})
	tp.add(1.5, journal.AttemptEnded{N: 1, Attempt: 1, Outcome: "usage_limit", Message: "You've hit your limit", DurationSeconds: 30, Tokens: stream.Tokens{Input: 5}})
	tp.add(1.5, journal.WaitStarted{Reason: "usage_limit", Until: ptr(start.Add(20 * time.Minute)), Message: "You've hit your limit"})
	tp.add(20, journal.WaitEnded{Reason: "usage_limit", Seconds: 1110})
	tp.session(20, 1, 5)
	tp.add(25, journal.CheckEnded{N: 1, Phase: "claim", Name: "backend", Command: "pytest tests/", Outcome: "passed", DurationSeconds: 12, Clean: true})
	tp.add(25, journal.StoryProved{N: 1, Story: "S-1", Title: "Log in", Commit: "9d8e7f60aabbccdd", Tree: "4b825dc6", Mode: "clean", Harness: "claude", Noted: true,
		Checks: []journal.CheckReceipt{{Name: "backend", Command: "pytest tests/", Outcome: "passed", DurationSeconds: 12}}})
	tp.add(25.1, journal.IterationEnded{N: 1, Outcome: "ok", Commits: []string{"9d8e7f60aabbccdd"}, StoriesPassed: []string{"S-1"}, StoriesComplete: 1, StoriesTotal: 3,
		Progress: true, Tokens: used, CostUSD: ptr(0.25), LogFile: logOf(1)})

	tp.add(26, journal.IterationStarted{N: 2, Story: &journal.Story{ID: "S-2", Title: "Reset the password"}, Head: "9d8e7f60aabbccdd"})
	tp.session(26, 2, 4)
	tp.add(30, journal.PlanRestored{N: 2, Path: ".ralph/feature-x/prd.json", What: "story S-3 removed", Kept: "/home/ada/shop/.git/ralph/feature-x/snapshot/replaced/1-prd.json"})
	tp.add(30, journal.TamperFound{N: 2, Accepted: false, More: 1, Findings: []journal.TamperFinding{
		{Path: "auth/login_test.go", Line: 12, Rule: "test-skipped", Message: "a test is skipped", Text: `t.Skip("later")`}}})
	tp.add(30, journal.CheckEnded{N: 2, Phase: "claim", Name: "backend", Command: "pytest tests/", Outcome: "failed", ExitCode: 1, DurationSeconds: 12.8, Tail: "collected 42\n1 failed, 41 passed"})
	tp.add(30, journal.ClaimRejected{N: 2, Claim: "story", Stories: []string{"S-2"}, Reason: "check backend failed: exit status 1"})
	tp.add(30, journal.ClaimRejected{N: 2, Claim: "promise", Reason: "2 stories are still open in prd.json"})
	tp.add(30.2, journal.IterationEnded{N: 2, Outcome: "ok", Commits: []string{}, StoriesComplete: 1, StoriesTotal: 3, NoProgress: 1, Promised: true, Tokens: used, CostUSD: ptr(0.25), LogFile: logOf(2)})

	tp.add(30.3, journal.Request{Kind: "context", Text: "use argon2", PID: 1})
	tp.add(30.3, journal.PlanChanged{Stories: append(stories(true), journal.Story{ID: "S-4", Title: "Lock out"}), Message: "1 story added"})
	tp.add(30.4, journal.Warning{Message: "a warning"})
	tp.add(30.5, journal.ClockJumped{Seconds: 3600, Message: "the clock went 1h forward"})
	tp.add(30.6, journal.HarnessSwitched{From: "claude", To: "codex", Reason: "usage limit"})

	tp.add(31, journal.IterationStarted{N: 3, Story: &journal.Story{ID: "S-2", Title: "Reset the password"}, Head: "9d8e7f60aabbccdd"})
	tp.add(31, journal.AttemptStarted{N: 3, Attempt: 1, Harness: "codex", LogFile: logOf(3), CallsUsed: 4, CallsLimit: 100})
	tp.add(46, journal.AttemptEnded{N: 3, Attempt: 1, Outcome: "timeout", Message: "no end after 15m", ExitCode: 143, Signal: "terminated", DurationSeconds: 900,
		Tokens: used, TokensEstimated: true, Denied: []string{"Bash"}, Strays: 2})
	tp.add(46, journal.NoWork{N: 3, Stories: []string{"S-2"}, Accepted: false})
	tp.add(46, journal.ClaimRejected{N: 3, Claim: "story", Stories: []string{"S-2"}, Reason: "nothing outside of the plan was changed for it"})
	tp.add(46, journal.HeadMoved{N: 3, From: "9d8e7f60", To: "aaaaaaaa", Branch: "feature/x", Message: "the agent took 1 commit back"})
	tp.add(46, journal.IterationEnded{N: 3, Outcome: "timeout", Error: "no end after 15m", ExitCode: 143, Commits: []string{}, StoriesComplete: 1, StoriesTotal: 4,
		NoProgress: 2, SameError: 1, Tokens: used, TokensEstimated: true, LogFile: logOf(3)})
	tp.add(46, journal.BreakerOpened{Reason: "no_progress", Count: 2})
	tp.add(46.1, journal.RunEnded{Status: "failed", Reason: "no_progress", ExitCode: 1, Message: "2 iterations in a row brought no progress", Tokens: used, CostUSD: ptr(0.5)})
	return tp
}

// fold makes a report about the run, or about the last one.
func fold(id string, dead bool, events ...[]journal.Event) report.Report {
	s := &run.State{Keep: cmp.Or(id, run.KeepLast)}
	for _, list := range events {
		for _, e := range list {
			s.Apply(e)
		}
	}
	return report.New(s, id, dead)
}

// html is the page about a run.
func html(t testing.TB, r report.Report) string {
	t.Helper()
	var page bytes.Buffer
	if err := r.HTML(&page, report.PageOptions{Now: start.Add(time.Hour), Log: func(logFile string) string {
		return "logs/" + logFile[strings.LastIndex(logFile, "/")+1:]
	}}); err != nil {
		t.Fatal(err)
	}
	return page.String()
}
