package plan

import "ralph/internal/journal"

// Prompt is a plan that is only a text. It is done when the agent promises, or when the user
// stops the run.
type Prompt struct {
	Root string // the worktree
	Text string // may be empty where a prompt template says it all

	guard guard
}

// Kind implements Plan.
func (*Prompt) Kind() journal.PlanKind { return journal.PlanPrompt }

// Criteria implements Plan.
func (*Prompt) Criteria() string { return "manual" }

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
func (p *Prompt) Snapshot(dir string) error { return p.guard.snapshot(p.Root, dir, "", settingsFile) }

// Guard implements Plan.
func (p *Prompt) Guard(label string) ([]Restored, error) { return p.guard.restore(label, nil) }

// Allowed implements Plan.
func (*Prompt) Allowed() string { return "The settings are not yours to change." }

// Left implements Plan.
func (*Prompt) Left(State) string { return "the agent has not promised completion" }

// Judge implements Plan.
func (*Prompt) Judge(_ State, promised, _ bool) Verdict {
	return Verdict{Done: promised, Reason: "promise"}
}

// Mark implements Plan: there are no marks.
func (*Prompt) Mark([]string, bool) error { return nil }
