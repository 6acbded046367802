package preflight

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ralph/internal/checklist"
)

// RunWithoutFeature makes the checks for a plan without a feature folder: the branch, the
// parts of the plan, the worktree, the agent.
func RunWithoutFeature(in Input) Report {
	r := runner{in: in, report: Report{Branch: in.Branch, OK: true}}
	r.branch()
	r.report.Folder = "" // only a change has a folder
	if c := in.Change; c != nil {
		r.report.Unit, r.report.Folder, r.report.kind = c.ID, c.Folder+"/", "Change"
		r.proposal()
	}
	if in.Tasks != "" {
		r.tasks()
	}
	return r.rest()
}

// proposal checks that the change says what it is for.
func (r *runner) proposal() {
	file := path.Join(r.in.Change.Folder, "proposal.md")
	info, err := os.Lstat(filepath.Join(r.in.Root, file))
	c := Condition{ID: "proposal", Severity: Error, Hint: "Describe there what the change is for, and what it changes."}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.Message = "Proposal missing: " + file
	case err != nil:
		c.Message = fmt.Sprintf("%s cannot be read: %s", file, cause(err))
	case !info.Mode().IsRegular():
		c.Message, c.Hint = file+" is not a regular file", "Replace it with a regular file."
	case info.Size() == 0:
		c.Message = file + " is empty"
	default:
		c = Condition{ID: "proposal", Severity: OK, Message: "Proposal found: " + file}
	}
	r.add(c)
}

// tasks checks the checklist.
func (r *runner) tasks() {
	c := Condition{ID: "tasks", Severity: Warn}
	data, err := checklist.Read(filepath.Join(r.in.Root, r.in.Tasks))
	if err != nil {
		c.Severity, c.Message = Error, r.in.Tasks+" cannot be read"
		c.Details = []Detail{{Text: r.worded(err)}}
		c.Hint = fmt.Sprintf("Repair %s, or move it out of the way.", r.in.Tasks)
		r.add(c)
		return
	}
	var open, finished int
	var questions []Detail
	for _, t := range checklist.Parse(data) {
		switch t.State {
		case checklist.Open:
			open++
		case checklist.Done:
			finished++
		case checklist.Asked:
			questions = append(questions, Detail{Text: strings.TrimSpace(t.Title)})
		}
	}
	switch {
	case open == 0 && len(questions) > 0:
		c.Message, c.Details = r.in.Tasks+" has only questions for you left", questions
		c.Hint = "Answer them, and tick their boxes."
	case open+finished == 0:
		c.Severity, c.Message = Error, r.in.Tasks+" has no task"
		c.Hint = "A task is a line such as '- [ ] what to do', outside of code fences."
	default:
		c.Severity, c.Message = OK, fmt.Sprintf("Tasks found: %s, %d of %d finished", r.in.Tasks, finished, open+finished+len(questions))
	}
	r.add(c)
}
