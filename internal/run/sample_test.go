package run_test

import (
	"time"

	"ralph/internal/journal"
	"ralph/internal/stream"
)

var start = time.Date(2026, 11, 21, 14, 2, 3, 456_000_000, time.UTC)

func at(seconds int) time.Time { return start.Add(time.Duration(seconds) * time.Second) }

func ptr[T any](v T) *T { return &v }

var runStarted = journal.RunStarted{
	Schema: journal.SchemaVersion, Version: "1.0.0", Unit: "feature-x", Plan: "prd", Feature: "Feature X",
	DoneCriteria: "prd", Branch: "feature/x", Worktree: "/home/user/shop", Head: "aaa", Harness: "claude",
	MaxIterations: 20, TimeoutSeconds: 90, StallThreshold: 3, SameError: 5, RateLimit: 100, CallsUsed: 7,
	PID: 123, PIDStart: "9", Host: "box", Token: "t",
	Stories: []journal.Story{{ID: "S-1", Title: "One", Done: true}, {ID: "S-2", Title: "Two"}, {ID: "S-3", Title: "Three"}},
}

var used = stream.Tokens{Input: 100, Output: 20, CacheRead: 3000, CacheWrite: 40}

// event puts a body into the run "r1", seconds after its start.
func event(seconds int, b journal.Body) journal.Event {
	return journal.Event{Time: at(seconds), Run: "r1", Body: b}
}

// oneRun is a run of two iterations: the first times out after a try that
// the provider refused, the second completes the plan.
func oneRun() []journal.Event {
	second := &journal.Story{ID: "S-2", Title: "Two"}
	third := &journal.Story{ID: "S-3", Title: "Three"}
	return []journal.Event{
		event(0, runStarted),
		event(1, journal.IterationStarted{N: 1, Story: second, Head: "aaa"}),
		event(2, journal.AttemptStarted{N: 1, Attempt: 1, Harness: "claude", LogFile: ".ralph/feature-x/logs/iteration-1.log", CallsUsed: 8, CallsLimit: 100, CallsResetAt: ptr(at(3000))}),
		event(3, journal.AgentStarted{N: 1, Attempt: 1, PID: 200, PIDStart: "10"}),
		event(4, journal.AttemptEnded{N: 1, Attempt: 1, Outcome: "usage_limit", Tokens: stream.Tokens{Input: 5}, CostUSD: ptr(0.25), ResetsAt: ptr(at(60))}),
		event(4, journal.WaitStarted{Reason: "usage_limit", Until: ptr(at(60)), Message: "waiting for the usage limit"}),
		event(60, journal.WaitEnded{Reason: "usage_limit", Seconds: 56}),
		event(61, journal.AttemptStarted{N: 1, Attempt: 2, Harness: "claude", Model: "m-1", LogFile: ".ralph/feature-x/logs/iteration-1.log", CallsUsed: 9, CallsLimit: 100, CallsResetAt: ptr(at(3000))}),
		event(151, journal.AttemptEnded{N: 1, Attempt: 2, Outcome: "timeout", Tokens: used, CostUSD: ptr(0.5)}),
		event(152, journal.IterationEnded{N: 1, Outcome: "timeout", Error: "no end after 90s", ExitCode: 143, Commits: []string{"bbb"}, StoriesPassed: []string{"S-2"}, StoriesComplete: 2, StoriesTotal: 3, CurrentStory: third, Progress: true, Tokens: used, CostUSD: ptr(0.5), LogFile: ".ralph/feature-x/logs/iteration-1.log"}),
		event(154, journal.IterationStarted{N: 2, Story: third, Head: "bbb"}),
		event(155, journal.AttemptStarted{N: 2, Attempt: 1, Harness: "claude", LogFile: ".ralph/feature-x/logs/iteration-2.log", CallsUsed: 10, CallsLimit: 100, CallsResetAt: ptr(at(3000))}),
		event(160, journal.AttemptEnded{N: 2, Attempt: 1, Outcome: "ok", Tokens: used}),
		event(161, journal.IterationEnded{N: 2, Outcome: "ok", StoriesPassed: []string{"S-3"}, StoriesComplete: 3, StoriesTotal: 3, Progress: true, Done: true, Tokens: used, LogFile: ".ralph/feature-x/logs/iteration-2.log"}),
		event(162, journal.RunEnded{Status: "completed", Reason: "stories_complete", Message: "all 3 stories pass"}),
	}
}
