package journal

import (
	"fmt"
	"strings"

	"ralph/internal/words"
)

// Sentence describes an event in one line. It is empty for an event that is no news by itself.
// The screen, the dashboard and the reports show this text; each adds times in its own form.
func Sentence(body Body) string {
	switch b := body.(type) {
	case RunStarted:
		return "the run began"
	case IterationStarted:
		return strings.TrimSuffix(fmt.Sprintf("iteration %d began: %s", b.N, b.about()), ": ")
	case IterationEnded:
		return b.sentence()
	case CheckEnded:
		return fmt.Sprintf("check %s: %s%s", b.Name, b.Outcome, b.Place())
	case WaitStarted:
		return "waiting: " + b.Message
	case RunEnded:
		return "the run ended: " + b.Message
	case HarnessSwitched:
		return fmt.Sprintf("%s takes over from %s: %s", b.To, b.From, b.Reason)
	case StoryParked:
		return b.sentence()
	case BreakerOpened:
		return fmt.Sprintf("circuit breaker open: %s (%d in a row)", words.WithSpaces(b.Reason), b.Count)
	case BreakerReset:
		return "circuit breaker closed: " + b.Message
	case Request:
		return b.sentence()
	case ClockJumped:
		return b.Message
	case HeadMoved:
		return b.Message
	case PlanChanged:
		return b.Message
	case Warning:
		return b.Message
	case Archived:
		return "archived as " + b.Path
	}
	return verdict(body)
}

// verdict describes what ralph found out about a claim or about the work.
func verdict(body Body) string {
	switch b := body.(type) {
	case ClaimRejected:
		what := strings.Join(b.Stories, ", ")
		if what == "" {
			what = string(b.Claim)
		}
		return fmt.Sprintf("not accepted: %s: %s", what, b.Reason)
	case StoryProved:
		return b.sentence()
	case ReviewEnded:
		return b.String()
	case NoWork:
		return strings.Join(b.Stories, ", ") + ": marked as done, but nothing outside of the plan was changed"
	case PlanRestored:
		text := fmt.Sprintf("restored %s: %s", b.Path, b.What)
		if b.Kept != "" {
			text += "; the replaced content is kept in " + b.Kept
		}
		return text
	case TamperFound:
		return b.sentence()
	}
	return ""
}

func (b IterationStarted) about() string {
	if b.Story == nil {
		return ""
	}
	return b.Story.Name()
}

func (b IterationEnded) sentence() string {
	parts := []string{fmt.Sprintf("iteration %d ended: %s", b.N, words.WithSpaces(b.Outcome))}
	if b.Error != "" {
		parts = append(parts, b.Error)
	}
	parts = append(parts, b.Results()...)
	if !b.Progress {
		parts = append(parts, "no progress")
	}
	return strings.Join(parts, ", ")
}

// Results returns what the iteration achieved, as short texts.
func (b IterationEnded) Results() []string {
	var results []string
	if len(b.StoriesPassed) > 0 {
		results = append(results, strings.Join(b.StoriesPassed, ", ")+" done")
	}
	if n := len(b.Commits); n > 0 {
		results = append(results, words.Count(n, "commit"))
	}
	return results
}

// Place says where the check ran if that is not the user's worktree, or that it did not run.
func (b CheckEnded) Place() string {
	switch {
	case b.Same:
		return ", as before on the same files"
	case b.Compares():
		return " in a clean worktree of the commit before"
	case b.Clean:
		return " in a clean worktree"
	}
	return ""
}

func (b StoryProved) sentence() string {
	if len(b.Checks) == 0 {
		return b.Story + ": " + b.Line()
	}
	text := b.Story + ": proved in place"
	if b.Mode == ProvedClean {
		text = fmt.Sprintf("%s: proved in a clean worktree of %.12s", b.Story, b.Commit)
	}
	if b.Proof != nil {
		text += ": " + b.Proof.Line
	}
	if unsealed := Unsealed(b.Checks); len(unsealed) > 0 {
		text += "; unsealed: " + strings.Join(unsealed, ", ")
	}
	return text
}

func (b TamperFound) sentence() string {
	if len(b.Findings) == 0 {
		return "what was weakened is as it was before"
	}
	text := "tests, checks or CI were weakened in " + words.Count(len(b.Findings)+b.More, "place")
	if !b.Accepted {
		text += "; nothing is accepted until that is undone (tamper: warn would accept it)"
	}
	return text
}

// String returns the finding with its place and its rule.
func (f TamperFinding) String() string {
	text := f.Message
	switch {
	case f.Line > 0:
		text = fmt.Sprintf("%s:%d: %s", f.Path, f.Line, text)
	case f.Path != "":
		text = f.Path + ": " + text
	}
	if f.Text != "" {
		text += ": " + strings.TrimSpace(f.Text)
	}
	return text + " (" + f.Rule + ")"
}

func (b StoryParked) sentence() string {
	text := b.Story + " is parked: " + b.Message
	if len(b.With) > 0 {
		text += "; waiting for it: " + strings.Join(b.With, ", ")
	}
	return text + "; its work is in " + b.Ref
}

func (b Request) sentence() string {
	switch b.Kind {
	case RequestPlan:
		return "a new plan was submitted" // the request's text is the whole spec.md
	case RequestAllow:
		return strings.TrimSpace(b.Who + " allowed " + b.Text + " " + b.Finding)
	case RequestContext:
		return "context added: " + b.Text
	case RequestClearContext:
		return "added context cleared"
	}
	return strings.TrimSpace("asked to " + string(b.Kind) + " " + b.Text)
}
