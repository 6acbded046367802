// Package doctor checks everything around a loop that can prevent its work: the agent and
// its login, the environment, git, tmux, the disk, ralph's own files, the clock. It also
// explains how a run died, and repairs what it has left. Its findings are
// preflight's checks, each problem with its remedy.
package doctor

import (
	"context"
	"time"

	"ralph/internal/agent"
	"ralph/internal/git"
	"ralph/internal/preflight"
)

// Input is what the checks need to know.
type Input struct {
	Now       time.Time
	Home      string          // of ralph, such as ~/.ralph
	UserHome  string          // the user's home folder; empty without one
	Env       []string        // as the agents' parent has it
	Repo      *git.Repo       // nil outside of a worktree
	Harnesses []agent.Harness // the harnesses to check, the chosen one first
	// ApproveAll says that runs let the agent do everything without asking.
	ApproveAll bool
	Probe      *Probe
}

// Report is the outcome of all checks. Its JSON form is for programs.
type Report struct {
	OK     bool              `json:"ok"` // there is no error
	Checks []preflight.Check `json:"checks"`
}

// Add takes checks up.
func (r *Report) Add(checks ...preflight.Check) {
	if r.Checks == nil {
		r.OK, r.Checks = true, []preflight.Check{}
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

// Agents makes the checks of the agents: found, logged in, permitted to run, and
// nothing in the environment that bites them.
func Agents(ctx context.Context, in Input) []preflight.Check {
	var checks []preflight.Check
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

// Machine makes the checks of the machine: the programs that ralph uses, the disk,
// ralph's own folder.
func Machine(ctx context.Context, in Input) []preflight.Check {
	checks := in.git(ctx)
	checks = append(checks, in.tmux(ctx))
	checks = append(checks, in.disk()...)
	checks = append(checks, in.permissions()...)
	return append(checks, watches(in.Home)...)
}

func ok(id, message string) preflight.Check {
	return preflight.Check{ID: id, Severity: preflight.OK, Message: message}
}

func warn(id, message, hint string, details ...string) preflight.Check {
	return problem(preflight.Warn, id, message, hint, details)
}

func fail(id, message, hint string, details ...string) preflight.Check {
	return problem(preflight.Error, id, message, hint, details)
}

func problem(s preflight.Severity, id, message, hint string, details []string) preflight.Check {
	c := preflight.Check{ID: id, Severity: s, Message: message, Hint: hint}
	for _, d := range details {
		c.Details = append(c.Details, preflight.Detail{Text: d})
	}
	return c
}
