package loop

import (
	"os"
	"path/filepath"

	"ralph/internal/journal"
	"ralph/internal/plan"
)

// handedOver reports whether what the guard took out of spec.md is a new plan
// that waits in the inbox: then it is no edit of the agent's, and comes back
// when the plan is taken over.
func (l *Loop) handedOver(r plan.Restored) bool {
	if filepath.Base(r.Path) != "spec.md" || r.Kept == "" {
		return false
	}
	text, err := os.ReadFile(r.Kept)
	if err != nil {
		return false
	}
	mail, _, _ := l.Inbox.Take() // without those that cannot be read
	for _, m := range mail {
		if m.Request.Kind == journal.RequestPlan && m.Request.Text == string(text) {
			return true
		}
	}
	return false
}
