package plan

import (
	"errors"

	"ralph/internal/checklist"
	"ralph/internal/journal"
	"ralph/internal/preflight"
)

// Prompt is a plan that is only a text. It is done when the agent promises, or when the user
// stops the run.
type Prompt struct {
	Root string // the worktree
	Text string // may be empty where a prompt template says it all

	base
}

// findPrompt finds the text of a run without another plan.
func findPrompt(c Choice) (p Plan, warning string, err error) {
	text, file := &Prompt{Root: c.Root, Text: c.Text}, checklist.Find(c.Root)
	switch {
	case c.Done == "manual" && c.Text == "" && !c.Template:
		return nil, "", errors.New("a run with manual done criteria needs to know what to do: ralph run --done manual \"what to do\"")
	case c.Done == "manual":
		return text, "", nil
	case c.Text != "" && file != "":
		return text, relative(c.Root, file) + " has no task, using manual done criteria", nil
	case c.Text != "":
		return text, NoTasks, nil
	case c.Done == "tasks":
		return nil, "", errors.New("there is no tasks.md: write one with a line '- [ ] what to do' for each task, or say what to do with: ralph run \"what to do\"")
	case c.Template:
		return nil, "", errors.New("there is no plan, and the prompt template alone does not say when it is done: add --done manual to end with the agent's promise")
	}
	return nil, "", nil
}

// About implements Plan.
func (p *Prompt) About() About {
	return About{Root: p.Root, Kind: journal.PlanPrompt, Criteria: "manual",
		Allowed:  "The settings are not yours to change.",
		Template: "prompt-task.md", LargeSteps: true, Promise: true}
}

// Preflight implements Plan.
func (*Prompt) Preflight(in preflight.Input) preflight.Report {
	return preflight.RunWithoutFeature(in, preflight.Own{})
}

// Read implements Plan: a text has no items.
func (p *Prompt) Read() (State, error) { return State{Print: fingerprint([]byte(p.Text))}, nil }

// Context implements Plan.
func (p *Prompt) Context(State, *Item) string {
	if p.Text == "" {
		return ""
	}
	return "## Your task\n\n" + p.Text + "\n"
}

// Snapshot implements Plan. A text has no files: it protects only the settings.
func (p *Prompt) Snapshot(stateDir string) error {
	return p.snapshot(p.Root, stateDir, nil)
}

// Left implements Plan.
func (*Prompt) Left(State) string { return "the agent has not promised completion" }

// Conclusion implements Plan.
func (*Prompt) Conclusion(_ State, promised, _ bool) Conclusion {
	return Conclusion{Done: promised, Reason: "promise"}
}

// Mark implements Plan: there are no marks.
func (*Prompt) Mark([]string, bool) error { return nil }
