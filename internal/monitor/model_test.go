package monitor

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"testing"

	"ralph/internal/journal"
)

func writeJournal(t testing.TB, path string, events ...journal.Event) {
	t.Helper()
	var text strings.Builder
	for _, e := range events {
		data, err := e.MarshalJSON()
		if err != nil {
			t.Fatal(err)
		}
		text.Write(append(data, '\n'))
	}
	writeFile(t, path, text.String())
}

func snapshot(t testing.TB, opts Options) string {
	t.Helper()
	text, err := Snapshot(at(200), opts, 80)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestSnapshot(t *testing.T) {
	opts := options(t)
	if _, err := Snapshot(at(200), opts, 80); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no journal: %v", err)
	}
	writeJournal(t, opts.Journal, working()...)
	writeFile(t, opts.Root+"/"+logFile, said("I begin with a test.")+called("make test"))
	text := snapshot(t, opts)
	for _, want := range []string{"Iteration: 2/20", "Status: Running  LIVE", "Progress: 1/3 stories", "> S-2: Reset", "I begin with a test.\n", ") make test\n"} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
}

// TestSnapshotOfAnArchive finds the log that was moved along with the journal.
func TestSnapshotOfAnArchive(t *testing.T) {
	opts := options(t)
	opts.Root = t.TempDir()
	writeJournal(t, opts.Journal, append(working(), event(150, journal.RunEnded{Status: "completed", Reason: "stories_complete", Message: "all 3 stories pass"}))...)
	writeFile(t, strings.TrimSuffix(opts.Journal, journal.FileName)+"logs/iteration-2.log", said("That is all."))
	if text := snapshot(t, opts); !strings.Contains(text, "ENDED (stories complete)") || !strings.Contains(text, "That is all.") {
		t.Error(text)
	}
}

func TestDamagedJournal(t *testing.T) {
	opts := options(t)
	writeJournal(t, opts.Journal, working()...)
	whole := snapshot(t, opts)
	data, err := os.ReadFile(opts.Journal)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct{ text, want string }{
		"a torn end":          {string(data) + `{"time":"2026-11-21T12:00:00Z","ty`, whole},
		"a torn line":         {string(data) + "{\"time\":\"2026-\n", "1 line of its journal cannot be read"},
		"a newer ralph":       {strings.ReplaceAll(string(data), `"schema":1`, `"schema":99`), "newer ralph"},
		"only the middle":     {string(data[strings.Index(string(data), "\n")+1:]), "Iteration: 2/0"},
		"nothing but garbage": {strings.Repeat("\x00\x1b[2J\xff\n", 10), "10 lines of its journal"},
	} {
		writeFile(t, opts.Journal, c.text)
		text := snapshot(t, opts)
		if !strings.Contains(text, c.want) || strings.Contains(text, "\x1b") {
			t.Errorf("%s: there is no %q in\n%s", name, c.want, text)
		}
	}
}

func TestANewRunBeginsAnew(t *testing.T) {
	m := modelOf(t, options(t), working()...)
	m.addNews(news{log: m.logName(), lines: []line{{at(150), "of the old run"}}, tool: &tool{name: "Bash"}})
	for _, e := range working()[:1] {
		e.Run = "r2"
		m.event(e)
	}
	text := frameAt(m, 200, 80, 24)
	if strings.Contains(text, "old run") || strings.Contains(text, "Bash") || !strings.Contains(text, "Progress: 0/3") {
		t.Errorf("something of the old run is left:\n%s", text)
	}
	m.addNews(news{log: "r1 " + logFile, lines: []line{{at(150), "late"}}})
	if strings.Contains(frameAt(m, 200, 80, 24), "late") {
		t.Error("the log of the old run is heard")
	}
}

// TestMemoryStaysFlat takes up far more than can be shown.
func TestMemoryStaysFlat(t *testing.T) {
	m := modelOf(t, options(t), working()...)
	for n := range 3 * maxSpans {
		m.event(event(100, journal.IterationEnded{N: n, Outcome: "ok"}))
		m.addNews(news{log: m.logName(), lines: split(strings.Repeat("text\n", 10), at(100))})
	}
	if len(m.state.ended()) > maxSpans || len(m.lines) > 2*maxLines {
		t.Errorf("%d iterations and %d lines are shown", len(m.state.ended()), len(m.lines))
	}
}

func TestUnitThatIsGone(t *testing.T) {
	opts := options(t)
	writeJournal(t, opts.Journal, working()...)
	m := modelOf(t, opts, working()...)
	m.poll()
	if text := frameAt(m, 200, 80, 24); strings.Contains(text, "gone") {
		t.Errorf("it is there:\n%s", text)
	}
	if err := os.RemoveAll(opts.Root); err != nil {
		t.Fatal(err)
	}
	m.poll()
	if text := frameAt(m, 200, 80, 24); !strings.Contains(text, "its journal is gone") {
		t.Errorf("it is gone, and nothing is said:\n%s", text)
	}
}

// TestFromStatusAlone: without a journal, status.json has the values of the headline.
func TestFromStatusAlone(t *testing.T) {
	opts := options(t)
	opts.Status = opts.Root + "/status.json"
	writeJournal(t, opts.Journal, working()...)
	whole := strings.Split(snapshot(t, opts), "\n")
	status, err := modelOf(t, opts, working()...).state.JSON(nil)
	if err != nil || os.Remove(opts.Journal) != nil {
		t.Fatal(err)
	}
	writeFile(t, opts.Status, string(status))
	text := snapshot(t, opts)
	for _, line := range whole {
		if name, _, _ := strings.Cut(line, " "); name == "API:" || name == "Progress:" {
			if !strings.Contains(text, "\n"+line+"\n") {
				t.Errorf("there is no %q in\n%s", line, text)
			}
		}
	}
	for _, want := range []string{
		"feature-x - prd plan - claude (opus)\nIteration: 2/20\nStatus: Running  as of ",
		"from status.json alone", "\nStory: S-2\n", "\nTokens: 15.0k, $0.25\n",
	} {
		if !strings.Contains(text, want) {
			t.Errorf("there is no %q in\n%s", want, text)
		}
	}
	m := newModel(opts)
	m.poll()
	m.event(working()[0])
	if m.state.alone {
		t.Error("there is a journal now, and it is not read")
	}
}
