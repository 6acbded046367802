package launch

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"os/exec"

	"ralph/internal/calls"
	"ralph/internal/importer"
	"ralph/internal/preflight"
)

// Preflight gathers the input of preflight and runs it. It checks the agent only if one was
// chosen.
func (r *Run) Preflight(ctx context.Context) (preflight.Report, error) {
	in, err := preflight.ReadRepository(ctx, r.Place.Repo)
	if err != nil {
		return preflight.Report{}, err
	}
	r.Changes = &in.Changes
	in.Protected = r.Settings().ProtectedBranches
	in.OwnerFile = r.Place.OwnerFile()
	in.Checked = len(r.Settings().QualityChecks) > 0
	if e, err := r.Place.Archive().Find(r.Place.Unit); err == nil {
		in.Archived = e.Path
	}
	for i, c := range r.Agents {
		if facts := r.facts(c); i == 0 {
			in.Agent = facts
		} else {
			in.Fallback = append(in.Fallback, facts)
		}
	}
	if r.Reviewer != nil {
		facts := r.facts(*r.Reviewer)
		in.Reviewer = &facts
	}
	if len(r.Agents) == 0 {
		in.Nameless = false // no one commits here
	}
	if r.Plan.About().Kind.Feature() {
		in.Foreign = r.foreign()
	}
	return r.Plan.Preflight(in), nil
}

// foreign returns the plan of another tool in the worktree, which the user may import.
func (r *Run) foreign() string {
	found, err := importer.Find(r.Place.Repo.Root, r.Place.Unit)
	var several *importer.NoSourceError
	if errors.As(err, &several) && len(several.Found) > 0 {
		found = several.Found[0]
	}
	if found == "TODO.md" {
		return "" // most are no plan
	}
	return found
}

// facts returns what is known of an agent without starting it.
func (r *Run) facts(c calls.Caller) preflight.Agent {
	h := c.Harness
	facts := preflight.Agent{Name: h.Name, Command: h.Command[0],
		RootAndApproveAll: h.RootRefuses && c.Options.ApproveAll && os.Geteuid() == 0 && os.Getenv("IS_SANDBOX") == ""}
	path, err := exec.LookPath(h.Command[0])
	if err == nil {
		facts.Path = path
	}
	facts.Blocked = errors.Is(err, fs.ErrPermission)
	facts.Fault, facts.Remedy = r.Unmeasured(h)
	if err := r.ScriptFault(h); err != nil {
		facts.Fault, facts.Remedy = err.Error(), "Correct the script, or choose another agent with --harness NAME."
	}
	home, _ := os.UserHomeDir() // without one, the environment decides
	facts.LoginSign = len(h.LoginEnv)+len(h.LoginFiles) == 0 || len(h.Logins(os.Environ(), home)) > 0
	return facts
}
