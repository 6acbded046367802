package recorder

import (
	"slices"

	"ralph/internal/journal"
)

// discreet is an event without the secrets of the environment in its free texts.
// Names, paths and ids stay as they are: others find things by them.
func (r *Recorder) discreet(body journal.Body) journal.Body {
	hide := r.Secrets.Text
	switch b := body.(type) {
	case journal.RunStarted:
		b.Task = hide(b.Task)
		return b
	case journal.AttemptEnded:
		b.Message, b.Hint = hide(b.Message), hide(b.Hint)
		return b
	case journal.IterationEnded:
		b.Error = hide(b.Error)
		return b
	case journal.WaitStarted:
		b.Message = hide(b.Message)
		return b
	case journal.HarnessSwitched:
		b.Reason = hide(b.Reason)
		return b
	case journal.CheckEnded:
		b.Command, b.Tail, b.Unsealed = hide(b.Command), hide(b.Tail), hide(b.Unsealed)
		return b
	case journal.StoryProved:
		b.Why, b.Checks = hide(b.Why), each(b.Checks, func(c *journal.CheckReceipt) {
			c.Command, c.Unsealed = hide(c.Command), hide(c.Unsealed)
		})
		return b
	case journal.WorkProved:
		b.Proof.Line = hide(b.Proof.Line)
		return b
	case journal.ReviewEnded:
		b.Message, b.Reasons = hide(b.Message), each(b.Reasons, func(why *journal.ReviewReason) {
			why.Criterion, why.Reason = hide(why.Criterion), hide(why.Reason)
		})
		return b
	case journal.TamperFound:
		b.Findings = each(b.Findings, func(f *journal.TamperFinding) {
			f.Message, f.Text = hide(f.Message), hide(f.Text)
		})
		return b
	case journal.ClaimRejected:
		b.Reason = hide(b.Reason)
		return b
	case journal.PlanRestored:
		b.What = hide(b.What)
		return b
	case journal.PlanChanged:
		b.Message = hide(b.Message)
		return b
	case journal.StoryParked:
		b.Message, b.Notes = hide(b.Message), hide(b.Notes)
		return b
	case journal.HeadMoved:
		b.Message = hide(b.Message)
		return b
	case journal.Request:
		b.Text, b.Message, b.Finding, b.Who = hide(b.Text), hide(b.Message), hide(b.Finding), hide(b.Who)
		return b
	case journal.Warning:
		b.Message = hide(b.Message)
		return b
	case journal.RunEnded:
		b.Message = hide(b.Message)
		return b
	}
	return body
}

// each returns a copy of a list with all elements changed.
func each[T any](list []T, change func(*T)) []T {
	list = slices.Clone(list)
	for i := range list {
		change(&list[i])
	}
	return list
}
