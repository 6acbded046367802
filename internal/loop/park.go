package loop

import (
	"context"
	"fmt"
	"strings"

	"ralph/internal/run"
)

// maxParkedNotes bounds what the record of a parked story has of the agent's notes, in bytes.
const maxParkedNotes = 4 << 10

// park keeps the work on a story, which is given up for now.
func (l *Loop) park(ctx context.Context, s run.Step) error {
	title, notes := "", ""
	if it := l.marks.state.Item(s.Story); it != nil {
		title, notes = it.Title, it.Notes
	}
	if len(notes) > maxParkedNotes {
		notes = strings.ToValidUTF8(notes[:maxParkedNotes], "") + "…"
	}
	return l.parker.Park(context.WithoutCancel(ctx), s, title, notes)
}

// restore takes the work on a parked story out of the worktree.
func (l *Loop) restore(ctx context.Context) error {
	ctx = context.WithoutCancel(ctx)
	p := l.Recorder.Position()
	b := p.Leaving
	if err := l.parker.Restore(ctx, l.branch, b); err != nil {
		return err
	}
	note := fmt.Sprintf("Parked by ralph: %s. The work so far is in %s.", b.Message, b.Ref)
	if err := l.Plan.Note(b.Story, note); err != nil {
		return err
	}
	why, err := l.gate.BaseOnRestored(ctx)
	if err != nil {
		return err
	}
	l.head = l.gate.Base().Commit
	l.notes.Forget()
	if err := l.marks.read(); err != nil {
		return err
	}
	return l.gate.RecordBase(p.Iterations(), why, b.Story)
}

// parkedNote names the stories that the agent must not work on.
func parkedNote(p *run.Position, open []run.Todo) string {
	blocked := p.Blocked(open)
	var ids []string
	for _, t := range open {
		if blocked[t.ID] {
			ids = append(ids, t.ID)
		}
	}
	if len(ids) == 0 {
		return ""
	}
	return "\n## Parked\n\nDo not work on these, and do not mark them; the user decides about them: " + strings.Join(ids, ", ") + ".\n"
}
