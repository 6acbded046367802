package journal_test

import (
	"bytes"
	"errors"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/run"
)

func TestReadGoesOnBehindDamage(t *testing.T) {
	first := string(lines(t, event(0, journal.Warning{Message: `quotes {"time":"x"} in a text`})))
	last := string(lines(t, event(1, journal.Warning{Message: "last"})))
	for _, tt := range []struct {
		name, middle string
		lines        int // reported as broken
		found        int // events, first and last included
	}{
		{"nothing", "", 0, 2},
		{"blank lines", "\n \r\n", 0, 2},
		{"an unknown type", `{"time":"2026-11-21T14:02:03Z","type":"later","run":"r1","x":[1]}` + "\n", 0, 2},
		{"no JSON", "garbage\n", 1, 2},
		{"another program's JSON", `{"level":"info"}` + "\n[1]\nnull\n", 3, 2},
		{"a wrong type in a key", `{"time":"2026-11-21T14:02:03Z","type":"warning","run":"r1","message":1}` + "\n", 1, 2},
		{"a time that is none", `{"time":"yesterday","type":"warning","run":"r1","message":"m"}` + "\n", 1, 2},
		{"a torn line and the next one behind it", last[:len(last)/2] + last, 1, 3},
		{"a torn unknown line", `{"time":"2026-11-21T14:02:03Z","type":"later","run":"r1","x":` + "\n", 1, 2},
		{"a line beyond all measure", strings.Repeat("x", 17<<20) + "\n", 1, 2},
	} {
		t.Run(tt.name, func(t *testing.T) {
			var damage journal.Damage
			found := 0
			for _, err := range journal.Read(strings.NewReader(first + tt.middle + last)) {
				if err == nil {
					found++
				} else if !damage.Note(err) {
					t.Fatal(err)
				}
			}
			if found != tt.found || damage.Lines != tt.lines {
				t.Errorf("%d events, %d broken lines (%v)", found, damage.Lines, damage.First)
			}
			if tt.lines > 0 && damage.First.Line != 2 {
				t.Errorf("the first broken line is said to be %d", damage.First.Line)
			}
		})
	}
}

func TestAnUnfinishedLastLineIsNoDamage(t *testing.T) {
	line := lines(t, event(0, journal.Warning{Message: "m"}))
	for end := range line {
		n := 0
		for _, err := range journal.Read(bytes.NewReader(line[:end])) {
			if err != nil {
				t.Fatalf("cut at %d: %v", end, err)
			}
			n++
		}
		if whole := end == len(line)-1; (n == 1) != whole {
			t.Errorf("cut at %d: %d events", end, n)
		}
	}
}

func TestANewerSchemaIsReported(t *testing.T) {
	newer := runStarted
	newer.Schema = journal.SchemaVersion + 1
	var damage journal.Damage
	var events []journal.Event
	for e, err := range journal.Read(bytes.NewReader(lines(t, event(0, newer)))) {
		if err != nil {
			damage.Note(err)
			continue
		}
		events = append(events, e)
	}
	if len(events) != 1 || damage.Schema == nil || damage.Schema.Schema != newer.Schema {
		t.Fatalf("%d events, %+v", len(events), damage)
	}
	if got := damage.Warnings("j"); len(got) != 1 || !strings.Contains(got[0], "update ralph") {
		t.Errorf("warnings: %q", got)
	}
}

func TestAMissingJournalIsAnErrorOfItsOwn(t *testing.T) {
	if _, _, err := journal.ReadFile(filepath.Join(t.TempDir(), "none")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestNewRunID(t *testing.T) {
	taken := map[string]bool{}
	var got []string
	for range 3 {
		id := journal.NewRunID(start, func(id string) bool { return taken[id] })
		taken[id] = true
		got = append(got, id)
	}
	if diff := cmp.Diff([]string{"20261121-140203", "20261121-140203-2", "20261121-140203-3"}, got); diff != "" {
		t.Error(diff)
	}
}

// TestTheRunOfALine: an otherwise unreadable line still names its run.
func TestTheRunOfALine(t *testing.T) {
	for text, want := range map[string]string{
		`{"time":"2026-11-21T14:02:04.456Z","type":"run_ended","run":"r1","status":"torn`: "r1",
		`{"type":"warning","time":"yesterday","run":"r2"}`:                                "r2",
		`{"time":"2026-11-21T14:02:07.456Z","type":"warning","ru`:                         "",
		"no event": "",
	} {
		var damage journal.Damage
		for _, err := range journal.Read(strings.NewReader(text + "\nno event\n")) {
			damage.Note(err)
		}
		if damage.Run != want {
			t.Errorf("%s: %q", text, damage.Run)
		}
	}
}

// FuzzRead puts any bytes between two events: both must be read.
func FuzzRead(f *testing.F) {
	for _, e := range oneRun() {
		f.Add(lines(f, e))
	}
	f.Add([]byte(`{"time":"2026-11-21T14:02:03.456Z","type":"warning","run":"r1","mess`))
	f.Add([]byte("\x00\x00{\"time\":\"\n{}"))
	before, after := event(-1, journal.Warning{Message: "before"}), event(-2, journal.Warning{Message: "after"})
	f.Fuzz(func(t *testing.T, torn []byte) {
		data := append(lines(t, before), torn...)
		data = append(data, lines(t, after)...)
		var events []journal.Event
		var damage journal.Damage
		for e, err := range journal.Read(bytes.NewReader(data)) {
			if err != nil && !damage.Note(err) {
				t.Fatal(err)
			}
			if err == nil {
				events = append(events, e)
			}
		}
		if n := len(events); n < 2 || !cmp.Equal(events[0], before) || !cmp.Equal(events[n-1], after) {
			t.Fatalf("read %+v", events)
		}
		run.Fold(events).History(true)
	})
}

func TestKeysMayStandInAnyOrder(t *testing.T) {
	line := `{ "message": "m", "run": "r\u0031", "later": {"type": "x"}, "type": "warning", "time": "2026-11-21T15:02:03.456+01:00" }`
	for e, err := range journal.Read(strings.NewReader(line)) {
		if diff := cmp.Diff(event(0, journal.Warning{Message: "m"}), e); err != nil || diff != "" {
			t.Errorf("%v %s", err, diff)
		}
	}
}

func TestIsRunID(t *testing.T) {
	taken := map[string]bool{"20261121-140203": true}
	for id, want := range map[string]bool{
		journal.NewRunID(start, func(string) bool { return false }): true, journal.NewRunID(start, func(id string) bool { return taken[id] }): true,
		"": false, "20261121": false, "20261321-140203": false, "20261121-140203-": false, "20261121-140203-1": false, "20261121-140203-x": false,
		"20261121-140203-feature-x": false, "20261121-1402031": false, "feature-20261121-140203": false,
	} {
		if journal.IsRunID(id) != want {
			t.Errorf("%q: %v", id, !want)
		}
	}
}
