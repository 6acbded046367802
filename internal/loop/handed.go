package loop

import (
	"os"
	"path/filepath"

	"ralph/internal/journal"
	"ralph/internal/plan"
)

// handedOver reports whether the guard replaced a spec.md that is a new plan in the inbox. It is
// not an edit of the agent then, and comes back when the plan is taken over.
func handedOver(inbox *journal.Inbox, r plan.Restored) bool {
	if filepath.Base(r.Path) != "spec.md" || r.Kept == "" {
		return false
	}
	text, err := os.ReadFile(r.Kept)
	if err != nil {
		return false
	}
	mail, _, _ := inbox.Take() // without those that cannot be read
	for _, m := range mail {
		if m.Request.Kind == journal.RequestPlan && m.Request.Text == string(text) {
			return true
		}
	}
	return false
}
