package plan

import (
	"fmt"
	"strings"

	"ralph/internal/checklist"
	"ralph/internal/journal"
	"ralph/internal/words"
)

// Tasks is the plan of a tasks.md checklist. Its boxes record what is done.
type Tasks struct {
	Root string // the worktree
	File string // the tasks.md, absolute
	Text string // what the user asked for besides, may be empty

	guard guard
}

// Kind implements Plan.
func (*Tasks) Kind() journal.PlanKind { return journal.PlanTasks }

// Criteria implements Plan.
func (*Tasks) Criteria() string { return "tasks" }

// Read implements Plan.
func (t *Tasks) Read() (State, error) {
	data, err := checklist.Read(t.File)
	if err != nil {
		return State{}, fmt.Errorf("the plan cannot be read: %w", err)
	}
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

// Snapshot implements Plan. It also remembers whether the root has a tasks.md: a new one
// would become the plan of the next run.
func (t *Tasks) Snapshot(dir string) error {
	return t.guard.snapshot(t.Root, dir, "", relative(t.Root, t.File), "tasks.md", settingsFile)
}

// Guard implements Plan. The agent may edit the checklist, but not remove open tasks.
func (t *Tasks) Guard(label string) ([]Restored, error) {
	return t.guard.restore(label, map[string]rule{relative(t.Root, t.File): checklist.Merge})
}

// Allowed implements Plan.
func (*Tasks) Allowed() string { return tasksAllowed }

const tasksAllowed = "You may tick tasks (`[x]`), mark them as questions for the user (`[?]`), add to their text and add tasks; " +
	"do not remove an open task, and do not reopen a finished one."

// Left implements Plan.
func (*Tasks) Left(s State) string { return tasksLeft(s) }

func tasksLeft(s State) string {
	done, total := s.Counts()
	return fmt.Sprintf("%d of %s done", done, words.CountPlural(total, "task is", "tasks are"))
}

// Judge implements Plan.
func (*Tasks) Judge(s State, promised, trust bool) Verdict {
	open := s.Open()
	switch {
	case promised && trust:
		return Verdict{Done: true, Reason: "promise"}
	case open > 0 && promised:
		return Verdict{Refused: fmt.Sprintf("%s still open in the checklist", words.CountPlural(open, "task is", "tasks are"))}
	case open > 0 || len(s.Items) == 0:
		return Verdict{}
	case len(s.Questions()) > 0:
		return Verdict{Waiting: true}
	}
	return Verdict{Done: true, Reason: "tasks_complete"}
}

// Mark implements Plan: it ticks or unticks the boxes.
func (t *Tasks) Mark(ids []string, done bool) error { return markTasks(t.guard.dir, t.File, ids, done) }

func markTasks(temp, file string, ids []string, done bool) error {
	data, err := checklist.Read(file)
	if err != nil {
		return err
	}
	return replace(temp, file, checklist.Mark(data, ids, done))
}
