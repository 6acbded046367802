package plan

import (
	"errors"
	"fmt"
	"path/filepath"

	"ralph/internal/change"
	"ralph/internal/checklist"
)

// Choice holds the inputs that decide which plan a run works on.
type Choice struct {
	Root     string          // the worktree
	Folder   string          // the feature folder, from the root
	Done     string          // prd, tasks or manual where the user said so, else empty
	Text     string          // what the user asked for, may be empty
	Template bool            // the user named a prompt template, which may say it all
	Change   *change.Change  // the change that the user named, else nil
	Changes  []change.Change // the changes that the worktree has
}

// NoTasks is the warning for a run without a tasks.md.
const NoTasks = "No tasks.md found, using manual done criteria"

// WhichChangeError reports that the user must name a change: the worktree has changes, and
// nothing else decides the plan.
type WhichChangeError struct{ Changes []change.Change }

func (e *WhichChangeError) Error() string {
	return fmt.Sprintf("which change? There is no feature folder and no tasks.md, and there are changes: %s", change.Names(e.Changes))
}

// Choose picks the plan of a run. The order is: what the user named, a feature folder, a
// tasks.md, a change (a *WhichChangeError asks the user to name it), the text alone. If there
// is nothing, it picks the feature folder, and preflight reports that it is missing. warning
// is empty or a line for the user.
func Choose(c Choice) (p Plan, warning string, err error) {
	feature := &PRD{Root: c.Root, Folder: c.Folder, Text: c.Text}
	switch {
	case c.Change != nil:
		return &Change{Root: c.Root, Of: *c.Change, Text: c.Text}, "", nil
	case c.Done == "prd":
		return feature, "", nil
	case c.Done == "manual":
		if c.Text == "" && !c.Template {
			return nil, "", errors.New("a run with manual done criteria needs to know what to do: ralph run --done manual \"what to do\"")
		}
		return &Prompt{Root: c.Root, Text: c.Text}, "", nil
	}
	if c.Done == "" && (exists(filepath.Join(c.Root, c.Folder, "spec.md")) || exists(filepath.Join(c.Root, c.Folder, "prd.json"))) {
		return feature, "", nil
	}
	file := checklist.Find(c.Root)
	if file != "" && (c.Text == "" || !boxless(file)) {
		return &Tasks{Root: c.Root, File: file, Text: c.Text}, "", nil
	}
	if c.Done == "" && len(c.Changes) > 0 {
		return nil, "", &WhichChangeError{c.Changes}
	}
	switch {
	case file != "":
		return &Prompt{Root: c.Root, Text: c.Text}, relative(c.Root, file) + " has no task, using manual done criteria", nil
	case c.Text != "":
		return &Prompt{Root: c.Root, Text: c.Text}, NoTasks, nil
	case c.Done == "tasks":
		return nil, "", errors.New("there is no tasks.md: write one with a line '- [ ] what to do' for each task, or say what to do with: ralph run \"what to do\"")
	case c.Template:
		return nil, "", errors.New("there is no plan, and the prompt template alone does not say when it is done: add --done manual to end with the agent's promise")
	}
	return feature, "", nil
}

// boxless reports whether a checklist can be read and has no task.
func boxless(file string) bool {
	data, err := checklist.Read(file)
	return err == nil && len(checklist.Parse(data)) == 0
}

func relative(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return path
	}
	return rel
}
