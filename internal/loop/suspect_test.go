package loop

import (
	"strings"
	"testing"

	"ralph/internal/journal"
	"ralph/internal/tamper"
)

// TestFoldRemembersWhatIsNotUndone: a new run knows of weakened evidence until that is undone
// or accepted.
func TestFoldRemembersWhatIsNotUndone(t *testing.T) {
	found := journal.TamperFound{N: 1, Base: "aaa", Findings: []journal.TamperFinding{{Rule: "test-removed"}}}
	accepted, undone := found, journal.TamperFound{N: 2, Base: "aaa", Accepted: true}
	accepted.Accepted = true
	for name, c := range map[string]struct {
		bodies []journal.Body
		want   bool
	}{
		"nothing":         {nil, false},
		"not accepted":    {[]journal.Body{found, journal.IterationEnded{N: 1}, journal.RunEnded{}, journal.RunStarted{}}, true},
		"undone":          {[]journal.Body{found, undone}, false},
		"accepted":        {[]journal.Body{accepted}, false},
		"found and again": {[]journal.Body{found, undone, found}, true},
	} {
		var events []journal.Event
		for _, b := range c.bodies {
			events = append(events, journal.Event{Run: "r", Body: b})
		}
		if got := fold(events).gate.Open; got != c.want {
			t.Errorf("%s: %t, want %t", name, got, c.want)
		}
	}
}

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
