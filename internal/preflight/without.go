package preflight

// Own is what a plan without a feature folder says of itself.
type Own struct {
	Unit   string // what the run is about; empty for the branch
	Folder string // of the plan, from the root; may be empty
	Kind   string // of the folder, for people
	Checks []Condition
}

// RunWithoutFeature makes the checks for a plan without a feature folder: the branch, those of
// the plan, the worktree, the agent.
func RunWithoutFeature(in Input, own Own) Report {
	r := runner{in: in, own: own, report: Report{Branch: in.Branch, OK: true}}
	r.branch()
	if own.Unit != "" {
		r.report.Unit = own.Unit
	}
	r.report.Folder, r.report.kind = own.Folder, own.Kind
	for _, c := range own.Checks {
		r.add(c)
	}
	return r.rest()
}
