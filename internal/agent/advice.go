package agent

import (
	"fmt"
	"syscall"

	"ralph/internal/journal"
	"ralph/internal/stream"
)

// advice returns what the user can do about a failure of this class; empty where only
// the log helps.
func (o *Outcome) advice(h Harness, class stream.Class) string {
	model := fmt.Sprintf("choose another model with --model, or with %s.model in the settings", setting(h.Name))
	switch {
	case len(o.Summary.Denied) > 0 && o.Kind != journal.OutcomeUsageLimit && o.Kind != journal.OutcomeAuth:
		return h.Permission
	case o.Kind == journal.OutcomeUsageLimit && o.OfModel:
		return "it is the limit of one model: " + model
	case class == stream.ClassAuth:
		return fmt.Sprintf("log in with the agent itself (%s), or check its key and credit, then start ralph again", h.DisplayName())
	case class == stream.ClassBilling, class == stream.ClassCredit:
		return "waiting does not help: check the account's credit and the limits set by its administrator, or use another agent (--harness NAME)"
	case class == stream.ClassModel:
		return model
	case class == stream.ClassContext:
		return "the prompt and the files that the agent read are too long for its model: split the story, or shorten the prompt ('ralph run --dry-run' shows it)"
	case class == stream.ClassRefusal:
		return "the model or its provider declined: rephrase the story, or " + model
	case o.Kind == journal.OutcomeCrash && o.Exit.Signal == syscall.SIGKILL:
		return "ralph did not do that: the system may have run out of memory"
	}
	return ""
}
