package screen

import (
	"fmt"
	"strings"

	"ralph/internal/journal"
	"ralph/internal/terminal"
	"ralph/internal/words"
)

// shownFindings is how many findings the screen lists; the journal has them all.
const shownFindings = 10

// proved shows for what a story was accepted.
func (s *Screen) proved(b journal.StoryProved) {
	if len(b.Checks) == 0 {
		s.line(terminal.Yellow, "⚠", b.Story+": marked, not proved: no check is configured")
		return
	}
	text, unsealed := fmt.Sprintf("%s: proved in place", b.Story), journal.Unsealed(b.Checks)
	if b.Mode == journal.ProvedClean {
		text = fmt.Sprintf("%s: proved in a clean worktree of %.12s", b.Story, b.Commit)
	} else if b.Proof == nil && len(unsealed) == 0 {
		return
	}
	if b.Proof != nil {
		text += ": " + b.Proof.Line
	}
	if len(unsealed) > 0 {
		text += "; unsealed: " + strings.Join(unsealed, ", ")
	}
	s.line(terminal.Green, "✓", text)
}

// tampered shows what an iteration did to tests, checks and CI.
func (s *Screen) tampered(b journal.TamperFound) {
	if len(b.Findings) == 0 {
		s.line(terminal.Green, "✓", "what was weakened is as it was before")
		return
	}
	head := fmt.Sprintf("tests, checks or CI were weakened in %s", words.Count(len(b.Findings)+b.More, "place"))
	if !b.Accepted {
		head += "; nothing is accepted until that is undone (tamper: warn would accept it)"
	}
	s.line(terminal.Yellow, "⚠", head)
	for i, f := range b.Findings {
		if i == shownFindings {
			s.line(terminal.Dim, " ", fmt.Sprintf("  and %d more, in the journal", len(b.Findings)-i+b.More))
			break
		}
		text := "  " + f.Message
		if f.Path != "" {
			text = fmt.Sprintf("  %s: %s", f.Path, f.Message)
			if f.Line > 0 {
				text = fmt.Sprintf("  %s:%d: %s", f.Path, f.Line, f.Message)
			}
		}
		if f.Text != "" {
			text += ": " + f.Text
		}
		s.line(terminal.Dim, " ", text)
	}
}

// asked says in a line what the loop was asked for.
func asked(q journal.Request) string {
	switch q.Kind {
	case journal.RequestPlan:
		return "a new plan was submitted" // the request's text is the whole spec.md
	case journal.RequestAllow:
		return strings.TrimSpace(q.Who + " allowed " + q.Text + " " + q.Finding)
	case journal.RequestContext:
		return "context added: " + q.Text
	case journal.RequestClearContext:
		return "added context cleared"
	}
	return strings.TrimSpace("asked to " + string(q.Kind) + " " + q.Text)
}
