// Package plan knows what is to be done and how done is recognised. A Plan is
// read from the worktree, shown to the agent as context, guarded against
// changes that are not the agent's to make, and judged by its own record. The
// agent's promise alone is enough for a plan without items, or where the user
// trusts it.
package plan

import (
	"errors"

	"ralph/internal/change"
	"ralph/internal/journal"
	"ralph/internal/preflight"
	"ralph/internal/run"
)

// Plan is one kind of plan in one worktree. The loop calls its methods in the
// order Read, Snapshot, Context, (the agent works), Guard, Read, Conclusion.
type Plan interface {
	// About describes the plan, without reading it.
	About() About

	// Preflight makes the checks before a run.
	Preflight(in preflight.Input) preflight.Report

	// Read reads the plan from disk.
	Read() (State, error)

	// Context returns the part of the prompt that says what to read and what to do
	// next. next is nil if no item is open.
	Context(s State, next *Item) string

	// Snapshot remembers every file that Guard protects, in memory and in the state directory
	// of the unit, where a later process finds it.
	Snapshot(stateDir string) error

	// Guard compares the plan's files with the snapshot and restores what the agent
	// may not change. It keeps the replaced content in the snapshot's folder, under a
	// name that starts with label. Permitted changes stay.
	Guard(label string) ([]Restored, error)

	// Left says in words how far the plan is.
	Left(s State) string

	// Conclusion says whether the plan is done. promised is true if the agent's final
	// message had the promise, trust if that alone is enough.
	Conclusion(s State, promised, trust bool) Conclusion

	// Mark marks items as done, or revokes their marks.
	Mark(ids []string, done bool) error

	// Record returns the path of the file with the marks, from the worktree's root, and its
	// content when it was read last. The path is empty for a plan without marks.
	Record() (path string, data []byte)

	// Note adds a line to the notes of an item, where the plan has notes, unless the notes
	// already contain it.
	Note(id, line string) error

	// Renew takes over the text of a new plan that the user wrote while the loop was running,
	// and returns what has changed. With dropFinished, finished items may be missing in it.
	// After an error the plan is as before.
	Renew(text string, dropFinished bool) (what string, err error)
}

// About describes a plan: everything that other packages ask of its kind.
type About struct {
	Root       string // where the paths start: the worktree, or the folder of the archives
	Kind       journal.PlanKind
	Criteria   string        // the word for how done is recognised: prd, tasks or manual
	Change     change.Change // that the plan works on; zero for another kind
	Files      []File
	Allowed    string // a sentence for the agent: what it may change in the files
	Template   string // the name of the built-in prompt template
	Prompt     string // where a template of the plan's own is, from the root; may be empty
	LargeSteps bool   // an iteration is for more than a story: other limits are the default
	Promise    bool   // the plan is never done without the agent's promise
}

// File is a file of a plan, or a folder of them.
type File struct {
	Path   string // from the worktree's root
	Folder bool   // no file below it is the agent's to make, change or remove
	Source bool   // its text says what is to be done

	agent  rule                   // what the agent may change; nil: nothing
	starts func(path string) bool // whether a run can start with it; nil: also without it
}

// Writable reports whether the agent may change the file.
func (f File) Writable() bool { return f.agent != nil }

// kind is a kind of plan before one is chosen.
type kind struct {
	// find returns the plan of this kind that the choice is for, or nil. warning is empty or a
	// line for the user.
	find func(Choice) (p Plan, warning string, err error)

	files []File // by their names alone
}

// kinds lists the kinds of plans in the order in which Choose looks for them.
func kinds() []kind {
	return []kind{
		{findPRD, prdFiles()},
		{findTasks, tasksFiles()},
		{findChange, changeFiles()},
		{findPrompt, nil},
	}
}

// base is what a kind has unless it has its own: no record, no notes, no renewal.
type base struct{ guard }

// Record implements Plan.
func (base) Record() (string, []byte) { return "", nil }

// Note implements Plan.
func (base) Note(string, string) error { return nil }

// Renew implements Plan.
func (base) Renew(string, bool) (string, error) {
	return "", errors.New("this kind of plan cannot be renewed")
}

// Item describes a story or a task.
type Item struct {
	ID        string
	Title     string
	Done      bool
	Question  bool // for the user to answer; it blocks nothing else
	Notes     string
	About     string   // what it is, in words
	Criteria  []string // of its acceptance
	Priority  float64  // the lowest number comes first
	DependsOn []string // ids of the items that come first
	Model     string   // that it asks for; empty for the run's
}

// State holds the items of a plan as they were when it was read.
type State struct {
	Items []Item
	Print string // a fingerprint of the plan's files: equal means unchanged
}

// Done returns the ids of the finished items, in the plan's order.
func (s State) Done() []string {
	var ids []string
	for _, it := range s.Items {
		if it.Done {
			ids = append(ids, it.ID)
		}
	}
	return ids
}

// Item returns the item with that id, or nil if the plan does not have it.
func (s State) Item(id string) *Item {
	for i := range s.Items {
		if s.Items[i].ID == id {
			return &s.Items[i]
		}
	}
	return nil
}

// Counts returns how many items are finished, and how many there are.
func (s State) Counts() (done, total int) { return len(s.Done()), len(s.Items) }

// Todo returns the items that are left for the agent.
func (s State) Todo() []run.Todo {
	var open []run.Todo
	for _, it := range s.Items {
		if !it.Done && !it.Question {
			open = append(open, run.Todo{ID: it.ID, Title: it.Title, Priority: it.Priority, DependsOn: it.DependsOn})
		}
	}
	return open
}

// Next returns the item to work on next, or nil if no item is left for the agent.
func (s State) Next(p *run.Position) *Item {
	if next := p.Pick(s.Todo()); next != nil {
		return s.Item(next.ID)
	}
	return nil
}

// Open returns the number of items that are left for the agent.
func (s State) Open() int { return len(s.Todo()) }

// Questions returns the titles of the items that wait for the user.
func (s State) Questions() []string {
	var titles []string
	for _, it := range s.Items {
		if it.Question && !it.Done {
			titles = append(titles, it.Title)
		}
	}
	return titles
}

// Conclusion says whether the plan is done, and why.
type Conclusion struct {
	Done    bool
	Waiting bool   // only questions for the user are left
	Reason  string // why it is done: stories_complete, tasks_complete or promise
	Refused string // why a promise was refused; empty without a refused promise
}

// Restored describes a file that the guard restored.
type Restored struct {
	Path string // from the worktree's root
	What string // what had been done to it
	Kept string // where the replaced content is now; empty if nothing was replaced
}
