// Package plan knows what is to be done and how done is recognised. A Plan is
// read from the worktree, shown to the agent as context, guarded against
// changes that are not the agent's to make, and judged by its own record. The
// agent's promise alone is enough for a plan without items, or where the user
// trusts it.
package plan

import (
	"ralph/internal/journal"
	"ralph/internal/run"
)

// Plan is one kind of plan in one worktree. The loop calls its methods in the
// order Read, Snapshot, Context, (the agent works), Guard, Read, Judge.
type Plan interface {
	// Kind names the kind of plan.
	Kind() journal.PlanKind

	// Criteria is the word for how done is recognised: prd, tasks or manual.
	Criteria() string

	// Read reads the plan from disk.
	Read() (State, error)

	// Context returns the part of the prompt that says what to read and what to do
	// next. next is nil if no item is open.
	Context(s State, next *Item) string

	// Snapshot remembers every file that Guard protects, in memory and in the
	// folder dir, where a later process finds it.
	Snapshot(dir string) error

	// Guard compares the plan's files with the snapshot and restores what the agent
	// may not change. It keeps the replaced content in the snapshot's folder, under a
	// name that starts with label. Permitted changes stay.
	Guard(label string) ([]Restored, error)

	// Allowed returns a sentence for the agent: what it may change in the plan's files.
	Allowed() string

	// Left says in words how far the plan is.
	Left(s State) string

	// Judge decides whether the plan is done. promised is true if the agent's final
	// message had the promise, trust if that alone is enough.
	Judge(s State, promised, trust bool) Verdict

	// Mark marks items as done, or revokes their marks.
	Mark(ids []string, done bool) error
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

// Verdict says whether the plan is done, and why.
type Verdict struct {
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
