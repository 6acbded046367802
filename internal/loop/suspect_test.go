package loop

import (
	"strings"
	"testing"

	"ralph/internal/tamper"
)

// TestTamperNoteIsBounded: the agent is told the first places, and how many more.
func TestTamperNoteIsBounded(t *testing.T) {
	var found []tamper.Finding
	for range 1000 {
		found = append(found, tamper.Finding{Path: strings.Repeat("p", 100), Line: 3, Message: strings.Repeat("m", 100), Text: strings.Repeat("t", tamper.MaxText)})
	}
	note := tamperNote(found)
	if len(note) > maxNotes/2 || !strings.HasSuffix(note, "and 992 more") {
		t.Errorf("%d bytes that end with %q", len(note), note[len(note)-40:])
	}
	if e := tamperEvent(1, "a", found, true); len(e.Findings) != maxFindings || e.More != 950 {
		t.Errorf("%d findings and %d more", len(e.Findings), e.More)
	}
}
