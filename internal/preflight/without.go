package preflight

// RunWithoutFeature makes the checks that make sense for a plan that is no
// feature folder: the branch, the worktree, the agent.
func RunWithoutFeature(in Input) Report {
	r := runner{in: in, report: Report{Branch: in.Branch, OK: true}}
	r.branch()
	r.report.Folder = "" // there is none to speak of
	r.workingTree()
	r.agent()
	return r.report
}
