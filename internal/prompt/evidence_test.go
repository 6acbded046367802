package prompt

import (
	"strings"
	"testing"

	"ralph/internal/tamper"
)

// TestWeakenedIsBounded: the note has the first places, and how many more there are.
func TestWeakenedIsBounded(t *testing.T) {
	var found []tamper.Finding
	for range 1000 {
		found = append(found, tamper.Finding{Path: strings.Repeat("p", 100), Line: 3, Message: strings.Repeat("m", 100), Text: strings.Repeat("t", tamper.MaxText)})
	}
	note := weakened(found)
	if len(note) > maxNotes/2 || !strings.HasSuffix(note, "and 992 more") {
		t.Errorf("%d bytes that end with %q", len(note), note[len(note)-40:])
	}
}
