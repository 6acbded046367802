package loop

import (
	"strings"
	"testing"

	"ralph/internal/journal"
	"ralph/internal/tamper"
)

// TestFoldRemembersWhatIsNotUndone: a new run goes on to hold the changes against
// the commit before weakened evidence, until that is undone or accepted.
func TestFoldRemembersWhatIsNotUndone(t *testing.T) {
	found := journal.TamperFound{N: 1, Base: "aaa", Findings: []journal.TamperFinding{{Rule: "test-removed"}}}
	accepted, undone := found, journal.TamperFound{N: 2, Base: "aaa", Accepted: true}
	accepted.Accepted = true
	for name, c := range map[string]struct {
		bodies []journal.Body
		want   string
	}{
		"nothing":         {nil, ""},
		"not accepted":    {[]journal.Body{found, journal.IterationEnded{N: 1}, journal.RunEnded{}, journal.RunStarted{}}, "aaa"},
		"undone":          {[]journal.Body{found, undone}, ""},
		"accepted":        {[]journal.Body{accepted}, ""},
		"found and again": {[]journal.Body{found, undone, found}, "aaa"},
	} {
		var events []journal.Event
		for _, b := range c.bodies {
			events = append(events, journal.Event{Run: "r", Body: b})
		}
		if got := fold(events).suspected; got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// TestFoldRemembersTheWork: at which commits and states stories were accepted.
func TestFoldRemembersTheWork(t *testing.T) {
	p := fold([]journal.Event{
		{Body: journal.RunStarted{Head: "a", Work: "w0"}}, {Body: journal.IterationEnded{Head: "b", Work: "w0"}},
		{Body: journal.IterationEnded{Head: "c", Work: "w1"}}, {Body: journal.RunStarted{Head: "d", Work: "w1"}},
	})
	if p.workHead != "c" || strings.Join(p.works, " ") != "w0 w1" || p.work != "w1" {
		t.Errorf("%q %q %q", p.workHead, p.works, p.work)
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
