package evidence

import (
	"strings"
	"testing"

	"ralph/internal/tamper"
)

// TestFindingsAreBounded: an event has the first findings, and how many more there are.
func TestFindingsAreBounded(t *testing.T) {
	var found []tamper.Finding
	for range 1000 {
		found = append(found, tamper.Finding{Path: strings.Repeat("p", 100), Line: 3, Message: strings.Repeat("m", 100), Text: strings.Repeat("t", tamper.MaxText)})
	}
	if e := findingsEvent(1, "a", found, true); len(e.Findings) != maxListed || e.More != 950 {
		t.Errorf("%d findings and %d more", len(e.Findings), e.More)
	}
}
