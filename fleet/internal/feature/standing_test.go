package feature

import (
	"encoding/json"
	"strings"
	"testing"
)

// Temporal Cloud takes no memo of more than 32 kB.
func TestForLists(t *testing.T) {
	long := strings.Repeat("é", 50_000)
	s := Standing{Submission: Submission{Branch: "x", Flags: Flags{Text: long}}, Message: long, Last: &Handback{Message: long}}
	text, err := json.Marshal(s.ForLists())
	if err != nil || len(text) > 8<<10 || !strings.Contains(string(text), `"branch":"x"`) {
		t.Errorf("%d bytes, %v", len(text), err)
	}
	if s.Last.Message != long || s.Submission.Flags.Text != long {
		t.Error("the standing itself has changed")
	}
}
