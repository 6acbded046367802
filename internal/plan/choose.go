package plan

import (
	"path/filepath"

	"ralph/internal/change"
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

// by reports whether the choice is for a plan with this criterion: the user asked for it, or
// for no other plan.
func (c Choice) by(criteria string) bool {
	return c.Change == nil && (c.Done == "" || c.Done == criteria)
}

// Choose picks the plan of a run. The order is: what the user named, a feature folder, a
// tasks.md, a change (a *WhichChangeError asks the user to name it), the text alone. If there
// is nothing, it picks the feature folder, and preflight reports that it is missing. warning
// is empty or a line for the user.
func Choose(c Choice) (p Plan, warning string, err error) {
	for _, k := range kinds() {
		if p, warning, err = k.find(c); p != nil || err != nil {
			return p, warning, err
		}
	}
	return Feature(c.Root, c.Folder, c.Text), "", nil
}

// in returns the files in a folder, which is named from the root.
func in(folder string, files []File) []File {
	for i := range files {
		files[i].Path = filepath.Join(folder, files[i].Path)
	}
	return files
}

func relative(root, path string) string {
	rel, err := filepath.Rel(root, path)
	if err != nil {
		return path
	}
	return rel
}
