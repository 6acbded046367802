// Package doctor checks everything that a loop needs: the agent and its login, the environment,
// git, tmux, the disk, ralph's own files and the clock. It also explains how a run died, and
// repairs what that run left. Each finding is a preflight.Condition, and each problem has a hint.
package doctor

import (
	"context"
	"time"

	"ralph/internal/agent"
	"ralph/internal/git"
	"ralph/internal/preflight"
)

// Input holds the facts and settings that the checks need.
type Input struct {
	Now       time.Time
	Home      string          // of ralph, such as ~/.ralph
	UserHome  string          // the user's home folder; empty without one
	Env       []string        // the environment in which agents start
	Repo      *git.Repo       // nil outside of a worktree
	Harnesses []agent.Harness // the harnesses to check, the chosen one first
	// ApproveAll says that runs let the agent do everything without asking.
	ApproveAll bool
	Probe      *Probe
}

// Report collects the findings of all checks. Its JSON form is for programs.
type Report struct {
	OK     bool                  `json:"ok"` // no check found an error
	Checks []preflight.Condition `json:"checks"`
}

// Add appends checks to the report. An error among them sets OK to false.
func (r *Report) Add(checks ...preflight.Condition) {
	if r.Checks == nil {
		r.OK, r.Checks = true, []preflight.Condition{}
	}
	for _, c := range checks {
		if c.Severity == preflight.Error {
			r.OK = false
		}
		if c.Details == nil {
			c.Details = []preflight.Detail{} // an empty list in JSON, not null
		}
		r.Checks = append(r.Checks, c)
	}
}

// Agents checks whether the agents are installed, logged in and allowed to run. It also warns
// of variables that disturb them.
func Agents(ctx context.Context, in Input) []preflight.Condition {
	var checks []preflight.Condition
	for _, h := range in.Harnesses {
		found := in.found(ctx, h)
		checks = append(checks, found)
		if found.Severity == preflight.Error {
			continue
		}
		checks = append(checks, in.login(ctx, h)...)
		checks = append(checks, in.root(h)...)
		checks = append(checks, in.bites(h)...)
	}
	return append(checks, in.environment()...)
}

// Machine checks the programs that ralph uses, the disk and ralph's own folder.
func Machine(ctx context.Context, in Input) []preflight.Condition {
	checks := in.git(ctx)
	checks = append(checks, in.tmux(ctx))
	checks = append(checks, in.disk()...)
	checks = append(checks, in.permissions()...)
	return append(checks, watches(in.Home)...)
}

func ok(id, message string) preflight.Condition {
	return preflight.Condition{ID: id, Severity: preflight.OK, Message: message}
}

func warn(id, message, hint string, details ...string) preflight.Condition {
	return problem(preflight.Warn, id, message, hint, details)
}

func fail(id, message, hint string, details ...string) preflight.Condition {
	return problem(preflight.Error, id, message, hint, details)
}

func problem(s preflight.Severity, id, message, hint string, details []string) preflight.Condition {
	c := preflight.Condition{ID: id, Severity: s, Message: message, Hint: hint}
	for _, d := range details {
		c.Details = append(c.Details, preflight.Detail{Text: d})
	}
	return c
}
