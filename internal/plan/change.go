package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strings"

	"ralph/internal/change"
	"ralph/internal/checklist"
	"ralph/internal/journal"
	"ralph/internal/words"
)

// Change is a plan in the change folder of Ito or OpenSpec: a proposal and, if they exist,
// tasks, a design and specifications. It is done when the agent promises and no task is open.
type Change struct {
	Root string // the worktree
	Of   change.Change
	Text string // what the user asked for besides, may be empty

	guard    guard
	hasTasks bool // as of the last look
	statuses bool // the tasks are in Ito's form
}

// Kind implements Plan.
func (*Change) Kind() journal.PlanKind { return journal.PlanChange }

// Criteria implements Plan.
func (c *Change) Criteria() string {
	if exists(c.path("tasks.md")) {
		return "tasks"
	}
	return "manual"
}

func (c *Change) rel(name string) string { return filepath.Join(filepath.FromSlash(c.Of.Folder), name) }

func (c *Change) path(name string) string { return filepath.Join(c.Root, c.rel(name)) }

// Read implements Plan.
func (c *Change) Read() (State, error) {
	proposal, err := readRegular(c.path("proposal.md"))
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return State{}, fmt.Errorf("the change %s has no proposal: %s does not exist", c.Of.ID, c.rel("proposal.md"))
	case err != nil:
		return State{}, fmt.Errorf("the plan cannot be read: %w", err)
	}
	tasks, err := checklist.Read(c.path("tasks.md"))
	if c.hasTasks = !errors.Is(err, fs.ErrNotExist); c.hasTasks && err != nil {
		return State{}, fmt.Errorf("the plan cannot be read: %w", err)
	}
	c.statuses = checklist.HasStatuses(tasks)
	parts := [][]byte{proposal, tasks}
	for _, name := range append([]string{c.rel("design.md")}, filesBelow(c.Root, c.rel("specs"))...) {
		data, _ := readRegular(filepath.Join(c.Root, name)) // what cannot be read is as if it were not there
		parts = append(parts, data)
	}
	return State{Print: fingerprint(parts...)}.with(checklist.Parse(tasks)), nil
}

// Context implements Plan. It refers to the files that every iteration needs, so that the
// agent gets their text, and lists the paths of the others.
func (c *Change) Context(s State, next *Item) string {
	var b strings.Builder
	fmt.Fprintf(&b, "## The change %s\n\nImplement this change. Its purpose is in %s.\n", c.Of.ID, c.refer("proposal.md"))
	done, total := s.Counts()
	if c.hasTasks {
		fmt.Fprintf(&b, "\n- Its tasks, %d of %d finished: %s\n", done, total, c.refer("tasks.md"))
	}
	if exists(c.path("design.md")) {
		fmt.Fprintf(&b, "- Its design: %s\n", c.refer("design.md"))
	}
	specs := filesBelow(c.Root, c.rel("specs"))
	for i, rel := range specs {
		if i == 0 {
			b.WriteString("- Its specifications, which you have to fulfil; read them:\n")
		}
		fmt.Fprintf(&b, "  - `%s`\n", rel)
	}
	if c.Text != "" {
		fmt.Fprintf(&b, "\n%s\n", c.Text)
	}
	if next != nil {
		b.WriteString(c.task(next))
	} else if c.hasTasks {
		b.WriteString("\nNo task is open. Check that the change is finished as its proposal says.\n")
	}
	return b.String()
}

// task describes the next open task, and how to mark a finished one.
func (c *Change) task(next *Item) string {
	title, mark, ask := next.Title, "tick its box (`- [x]`)", "`- [?]`"
	if next.ID != next.Title {
		title = next.ID + ": " + title
	}
	if c.statuses {
		mark, ask = "set its status line to `- **Status**: [x] complete`", "the status `[?] pending`"
	}
	return fmt.Sprintf("\nThe next open task: %s\n\nWhen it is finished and committed, and only then, %s.\n"+
		"Mark a task that only the user can decide with %s and continue with the next.\n", title, mark, ask)
}

// referable matches the paths that agents recognise after an @.
var referable = regexp.MustCompile(`^[\pL\pN._/-]*[\pL\pN_/-]$`)

// refer names a file so that its text gets into the prompt, where its path allows it.
func (c *Change) refer(name string) string {
	if rel := c.rel(name); referable.MatchString(rel) {
		return "@" + rel
	}
	return "`" + c.rel(name) + "`"
}

// Snapshot implements Plan. It protects tasks.md only if the file exists: otherwise the agent
// may create one.
func (c *Change) Snapshot(dir string) error {
	names := []string{c.rel("proposal.md"), c.rel("design.md"), settingsFile}
	if exists(c.path("tasks.md")) {
		names = append(names, c.rel("tasks.md"))
	}
	return c.guard.snapshot(c.Root, dir, c.rel("specs"), names...)
}

// Guard implements Plan. The agent may change the tasks, but not the description of the
// change.
func (c *Change) Guard(label string) ([]Restored, error) {
	return c.guard.restore(label, map[string]rule{c.rel("tasks.md"): checklist.Merge})
}

// Allowed implements Plan.
func (*Change) Allowed() string {
	return "The proposal, the design and the specifications of the change are not yours to change. In tasks.md: " + tasksAllowed
}

// Left implements Plan.
func (c *Change) Left(s State) string {
	if len(s.Items) == 0 {
		return "the agent has not promised completion"
	}
	return tasksLeft(s)
}

// Judge implements Plan.
func (*Change) Judge(s State, promised, trust bool) Verdict {
	open := s.Open()
	switch {
	case promised && trust:
		return Verdict{Done: true, Reason: "promise"}
	case open > 0 && promised:
		return Verdict{Refused: words.CountPlural(open, "task is", "tasks are") + " still open in tasks.md"}
	case open == 0 && len(s.Questions()) > 0:
		return Verdict{Waiting: true}
	}
	return Verdict{Done: promised, Reason: "promise"}
}

// Mark implements Plan.
func (c *Change) Mark(ids []string, done bool) error {
	return markTasks(c.guard.dir, c.path("tasks.md"), ids, done)
}
