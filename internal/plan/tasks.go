package plan

import (
	"fmt"
	"path/filepath"
	"strings"

	"ralph/internal/checklist"
	"ralph/internal/journal"
	"ralph/internal/preflight"
	"ralph/internal/words"
)

// Tasks is the plan of a tasks.md checklist. Its boxes record what is done.
type Tasks struct {
	Root string // the worktree
	File string // the tasks.md, absolute
	Text string // what the user asked for besides, may be empty

	base

	data []byte // what was read last
}

// findTasks finds the checklist of the worktree. A text replaces one without a task.
func findTasks(c Choice) (Plan, string, error) {
	if !c.by("tasks") {
		return nil, "", nil
	}
	file := checklist.Find(c.Root)
	if file == "" || c.Text != "" && boxless(file) {
		return nil, "", nil
	}
	return &Tasks{Root: c.Root, File: file, Text: c.Text}, "", nil
}

// boxless reports whether a checklist can be read and has no task.
func boxless(file string) bool {
	data, err := checklist.Read(file)
	return err == nil && len(checklist.Parse(data)) == 0
}

// tasksFiles is the checklist, by its name.
func tasksFiles() []File { return []File{{Path: "tasks.md", Source: true, agent: checklist.Merge}} }

// About implements Plan. A new tasks.md in the root would become the plan of the next run: it
// is not the agent's to make.
func (t *Tasks) About() About {
	file := relative(t.Root, t.File)
	files := in(filepath.Dir(file), tasksFiles())
	if file != "tasks.md" {
		files = append(files, File{Path: "tasks.md"})
	}
	return About{Root: t.Root, Kind: journal.PlanTasks, Criteria: "tasks", Allowed: tasksAllowed,
		Files: files, Template: "prompt-task.md", LargeSteps: true}
}

// Preflight implements Plan.
func (t *Tasks) Preflight(in preflight.Input) preflight.Report {
	return preflight.RunWithoutFeature(in, preflight.Own{
		Checks: []preflight.Condition{checkTasks(t.Root, relative(t.Root, t.File))}})
}

// Read implements Plan.
func (t *Tasks) Read() (State, error) {
	data, err := checklist.Read(t.File)
	if err != nil {
		return State{}, fmt.Errorf("the plan cannot be read: %w", err)
	}
	t.data = data
	s := State{Print: fingerprint(data)}.with(checklist.Parse(data))
	if len(s.Items) == 0 && t.Text == "" {
		return State{}, fmt.Errorf("%s has no task: write each as a line '- [ ] what to do', or say what to do with: ralph run \"what to do\"", t.File)
	}
	return s, nil
}

// with is the state with the tasks of a checklist.
func (s State) with(tasks []checklist.Task) State {
	for _, t := range tasks {
		if t.State != checklist.Shelved {
			s.Items = append(s.Items, Item{ID: t.ID, Title: t.Title, Done: t.State == checklist.Done, Question: t.State == checklist.Asked})
		}
	}
	return s
}

// Context implements Plan.
func (t *Tasks) Context(s State, next *Item) string {
	var b strings.Builder
	done, total := s.Counts()
	fmt.Fprintf(&b, "## Your task\n\nWork through the checklist `%s`: %d of %d boxes are ticked.\n", relative(t.Root, t.File), done, total)
	if t.Text != "" {
		fmt.Fprintf(&b, "\n%s\n", t.Text)
	}
	if next != nil {
		fmt.Fprintf(&b, "\nThe next open task: %s\n\nTick its box (`- [x]`) only when it is finished and committed.\n"+
			"Mark a task that only the user can decide with `- [?]` and continue with the next.\n", next.Title)
	}
	return b.String()
}

// Snapshot implements Plan. The agent may edit the checklist, but not remove open tasks.
func (t *Tasks) Snapshot(stateDir string) error {
	return t.snapshot(t.Root, stateDir, t.About().Files)
}

// Record implements Plan.
func (t *Tasks) Record() (path string, data []byte) { return relative(t.Root, t.File), t.data }

const tasksAllowed = "You may tick tasks (`[x]`), mark them as questions for the user (`[?]`), add to their text and add tasks; " +
	"do not remove an open task, and do not reopen a finished one."

// Left implements Plan.
func (*Tasks) Left(s State) string { return tasksLeft(s) }

func tasksLeft(s State) string {
	done, total := s.Counts()
	return fmt.Sprintf("%d of %s done", done, words.CountPlural(total, "task is", "tasks are"))
}

// Conclusion implements Plan.
func (*Tasks) Conclusion(s State, promised, trust bool) Conclusion {
	open := s.Open()
	switch {
	case promised && trust:
		return Conclusion{Done: true, Reason: "promise"}
	case open > 0 && promised:
		return Conclusion{Refused: fmt.Sprintf("%s still open in the checklist", words.CountPlural(open, "task is", "tasks are"))}
	case open > 0 || len(s.Items) == 0:
		return Conclusion{}
	case len(s.Questions()) > 0:
		return Conclusion{Waiting: true}
	}
	return Conclusion{Done: true, Reason: "tasks_complete"}
}

// Mark implements Plan: it ticks or unticks the boxes.
func (t *Tasks) Mark(ids []string, done bool) error { return markTasks(t.dir, t.File, ids, done) }

func markTasks(temp, file string, ids []string, done bool) error {
	data, err := checklist.Read(file)
	if err != nil {
		return err
	}
	return replace(temp, file, checklist.Mark(data, ids, done))
}

// checkTasks checks the checklist.
func checkTasks(root, file string) preflight.Condition {
	c := preflight.Condition{ID: "tasks", Severity: preflight.Warn}
	data, err := checklist.Read(filepath.Join(root, file))
	if err != nil {
		c.Severity, c.Message = preflight.Error, file+" cannot be read"
		c.Details = []preflight.Detail{{Text: strings.ReplaceAll(err.Error(), root+"/", "")}}
		c.Hint = fmt.Sprintf("Repair %s, or move it out of the way.", file)
		return c
	}
	var open, finished int
	var questions []preflight.Detail
	for _, t := range checklist.Parse(data) {
		switch t.State {
		case checklist.Open:
			open++
		case checklist.Done:
			finished++
		case checklist.Asked:
			questions = append(questions, preflight.Detail{Text: strings.TrimSpace(t.Title)})
		}
	}
	switch {
	case open == 0 && len(questions) > 0:
		c.Message, c.Details = file+" has only questions for you left", questions
		c.Hint = "Answer them, and tick their boxes."
	case open+finished == 0:
		c.Severity, c.Message = preflight.Error, file+" has no task"
		c.Hint = "A task is a line such as '- [ ] what to do', outside of code fences."
	default:
		c.Severity, c.Message = preflight.OK, fmt.Sprintf("Tasks found: %s, %d of %d finished", file, finished, open+finished+len(questions))
	}
	return c
}
