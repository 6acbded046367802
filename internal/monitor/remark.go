package monitor

import (
	"fmt"
	"strings"

	"ralph/internal/journal"
	"ralph/internal/words"
)

// remark describes an event of the journal in one line; empty if the dashboard shows the
// event in another way.
func remark(body journal.Body) string {
	switch b := body.(type) {
	case journal.RunStarted:
		return "the run began"
	case journal.IterationStarted:
		if b.Story != nil {
			return fmt.Sprintf("iteration %d began: %s", b.N, b.Story.Name())
		}
		return fmt.Sprintf("iteration %d began", b.N)
	case journal.IterationEnded:
		return iterationRemark(b)
	case journal.CheckEnded:
		text := fmt.Sprintf("check %s: %s", b.Name, b.Outcome)
		if b.Compares() {
			text += " on the commit before"
		}
		return text
	case journal.WaitStarted:
		return "waiting: " + b.Message
	case journal.RunEnded:
		return "the run ended: " + b.Message
	}
	return oddity(body)
}

// oddity describes events that the user should notice.
func oddity(body journal.Body) string {
	switch b := body.(type) {
	case journal.ClaimRejected:
		return fmt.Sprintf("not accepted: %s: %s", strings.Join(append([]string{string(b.Claim)}, b.Stories...), " "), b.Reason)
	case journal.PlanRestored:
		return fmt.Sprintf("restored %s: %s", b.Path, b.What)
	case journal.TamperFound:
		return fmt.Sprintf("tests or checks were weakened in %d places", len(b.Findings)+b.More)
	case journal.NoWork:
		return strings.Join(b.Stories, ", ") + ": marked as done, but nothing was changed"
	case journal.HeadMoved:
		return b.Message
	case journal.BreakerOpened:
		return fmt.Sprintf("circuit breaker open: %s (%d in a row)", words.WithSpaces(string(b.Reason)), b.Count)
	case journal.StoryParked:
		return b.Text()
	case journal.PlanChanged:
		return b.Message
	case journal.Request:
		if b.Text == "" {
			return "asked to " + words.WithSpaces(string(b.Kind))
		}
		return "new request: " + string(b.Kind)
	case journal.ClockJumped:
		return b.Message
	case journal.HarnessSwitched:
		return fmt.Sprintf("%s takes over from %s: %s", b.To, b.From, words.WithSpaces(b.Reason))
	case journal.Warning:
		return b.Message
	case journal.Archived:
		return "archived as " + b.Path
	}
	return ""
}

func iterationRemark(b journal.IterationEnded) string {
	parts := []string{fmt.Sprintf("iteration %d ended: %s", b.N, words.WithSpaces(string(b.Outcome)))}
	if b.Error != "" {
		parts = append(parts, b.Error)
	}
	if len(b.StoriesPassed) > 0 {
		parts = append(parts, strings.Join(b.StoriesPassed, ", ")+" done")
	}
	if n := len(b.Commits); n > 0 {
		parts = append(parts, words.Count(n, "commit"))
	}
	if !b.Progress {
		parts = append(parts, "no progress")
	}
	return strings.Join(parts, ", ")
}
