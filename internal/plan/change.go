package plan

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"

	"ralph/internal/change"
	"ralph/internal/checklist"
	"ralph/internal/journal"
	"ralph/internal/preflight"
	"ralph/internal/words"
)

// Change is a plan in the change folder of Ito or OpenSpec: a proposal and, if they exist,
// tasks, a design and specifications. It is done when the agent promises and no task is open.
type Change struct {
	Root string // the worktree
	Of   change.Change
	Text string // what the user asked for besides, may be empty

	base

	tasks    []byte // what was read last
	hasTasks bool   // as of the last look
	statuses bool   // the tasks are in Ito's form
}

// WhichChangeError reports that the user must name a change: the worktree has changes, and
// nothing else decides the plan.
type WhichChangeError struct{ Changes []change.Change }

func (e *WhichChangeError) Error() string {
	return fmt.Sprintf("which change? There is no feature folder and no tasks.md, and there are changes: %s", change.Names(e.Changes))
}

// findChange finds the change that the user named. It asks the user to name one if nothing
// else decides the plan.
func findChange(c Choice) (Plan, string, error) {
	switch {
	case c.Change != nil:
		return &Change{Root: c.Root, Of: *c.Change, Text: c.Text}, "", nil
	case c.Done == "" && len(c.Changes) > 0:
		return nil, "", &WhichChangeError{c.Changes}
	}
	return nil, "", nil
}

// changeFiles lists the files of a change, by their names.
func changeFiles() []File {
	return []File{{Path: "proposal.md", Source: true}, {Path: "design.md"}, {Path: "specs", Folder: true},
		{Path: "tasks.md", agent: checklist.Merge}}
}

// About implements Plan.
func (c *Change) About() About {
	about := About{Root: c.Root, Kind: journal.PlanChange, Criteria: "manual", Change: c.Of,
		Files: in(c.rel(""), changeFiles()),
		Allowed: "The proposal, the design and the specifications of the change are not yours to change. " +
			"In tasks.md: " + tasksAllowed,
		Template: "prompt-task.md", Promise: true}
	if exists(c.path("tasks.md")) {
		about.Criteria = "tasks"
	}
	return about
}

// Preflight implements Plan.
func (c *Change) Preflight(in preflight.Input) preflight.Report {
	own := preflight.Own{Unit: c.Of.ID, Folder: c.Of.Folder + "/", Kind: "Change",
		Checks: []preflight.Condition{checkProposal(c.Root, c.rel("proposal.md"))}}
	if exists(c.path("tasks.md")) {
		own.Checks = append(own.Checks, checkTasks(c.Root, c.rel("tasks.md")))
	}
	return preflight.RunWithoutFeature(in, own)
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
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return State{}, fmt.Errorf("the plan cannot be read: %w", err)
	}
	c.hasTasks, c.tasks = err == nil, tasks
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

// Snapshot implements Plan. The agent may change the tasks, but not the description of the
// change.
func (c *Change) Snapshot(stateDir string) error {
	return c.snapshot(c.Root, stateDir, c.About().Files)
}

// Record implements Plan.
func (c *Change) Record() (path string, data []byte) { return c.rel("tasks.md"), c.tasks }

// Left implements Plan.
func (c *Change) Left(s State) string {
	if len(s.Items) == 0 {
		return "the agent has not promised completion"
	}
	return tasksLeft(s)
}

// Conclusion implements Plan.
func (*Change) Conclusion(s State, promised, trust bool) Conclusion {
	open := s.Open()
	switch {
	case promised && trust:
		return Conclusion{Done: true, Reason: "promise"}
	case open > 0 && promised:
		return Conclusion{Refused: words.CountPlural(open, "task is", "tasks are") + " still open in tasks.md"}
	case open == 0 && len(s.Questions()) > 0:
		return Conclusion{Waiting: true}
	}
	return Conclusion{Done: promised, Reason: "promise"}
}

// Mark implements Plan.
func (c *Change) Mark(ids []string, done bool) error {
	return markTasks(c.dir, c.path("tasks.md"), ids, done)
}

// checkProposal checks that the change says what it is for.
func checkProposal(root, file string) preflight.Condition {
	info, err := os.Lstat(filepath.Join(root, file))
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	c := preflight.Condition{ID: "proposal", Severity: preflight.Error,
		Hint: "Describe there what the change is for, and what it changes."}
	switch {
	case errors.Is(err, fs.ErrNotExist):
		c.Message = "Proposal missing: " + file
	case err != nil:
		c.Message = fmt.Sprintf("%s cannot be read: %s", file, err)
	case !info.Mode().IsRegular():
		c.Message, c.Hint = file+" is not a regular file", "Replace it with a regular file."
	case info.Size() == 0:
		c.Message = file + " is empty"
	default:
		c = preflight.Condition{ID: "proposal", Severity: preflight.OK, Message: "Proposal found: " + file}
	}
	return c
}
