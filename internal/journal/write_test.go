package journal_test

import (
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sys/unix"

	"ralph/internal/journal"
)

func TestAppendedEventsAreReadBack(t *testing.T) {
	path := newJournal(t)
	want := oneRun()
	appendAll(t, path, want...)
	if diff := cmp.Diff(want, readAll(t, path), cmpopts.EquateEmpty()); diff != "" {
		t.Error(diff)
	}
	for name, mode := range map[string]os.FileMode{path: 0o600, filepath.Dir(path): 0o700 | os.ModeDir} {
		if info, err := os.Stat(name); err != nil || info.Mode() != mode {
			t.Errorf("%s: %v, %v", name, info.Mode(), err)
		}
	}
}

func TestALineIsFlatAndReadable(t *testing.T) {
	line, err := event(0, journal.Warning{Message: "a <promise> & more\n"}).MarshalJSON()
	want := `{"time":"2026-11-21T14:02:03.456Z","type":"warning","run":"r1","message":"a <promise> & more\n"}`
	if err != nil || string(line) != want {
		t.Errorf("got  %s\nwant %s (%v)", line, want, err)
	}
}

func TestAppendReturnsWhatAReaderSees(t *testing.T) {
	path := newJournal(t)
	w, err := journal.OpenWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	got, err := w.Append("r1", at(0).Local().Add(789), journal.Warning{Message: "x"})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]journal.Event{got}, readAll(t, path)); diff != "" {
		t.Error(diff)
	}
}

func TestOpenMendsATornTail(t *testing.T) {
	first := event(0, journal.Warning{Message: "first"})
	second := event(1, journal.Warning{Message: strings.Repeat("second", 20_000)})
	third := event(2, journal.Warning{Message: "third"})
	whole := string(lines(t, first))
	line := string(lines(t, second))
	for _, tt := range []struct {
		name, tail string
		want       []journal.Event
	}{
		{"nothing torn", line, []journal.Event{first, second, third}},
		{"half a line", line[:len(line)/2], []journal.Event{first, third}},
		{"only the newline missing", line[:len(line)-1], []journal.Event{first, second, third}},
		{"zeros after a power failure", strings.Repeat("\x00", 5000), []journal.Event{first, third}},
		{"half an unknown event", `{"time":"2026-11-21T14:02:03.456Z","type":"later","run":"r1","a":`, []journal.Event{first, third}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "journal.jsonl")
			if err := os.WriteFile(path, []byte(whole+tt.tail), 0o644); err != nil {
				t.Fatal(err)
			}
			appendAll(t, path, third)
			if diff := cmp.Diff(tt.want, readAll(t, path)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOpenRefusesWhatIsNoPlainFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "journal.jsonl")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.OpenWriter(path); err == nil || !strings.Contains(err.Error(), path) {
		t.Errorf("got %v", err)
	}
}

// TestAFailedWriteLeavesNoHalfLine meets a real short write: a child process
// with a limit on the size of its files.
func TestAFailedWriteLeavesNoHalfLine(t *testing.T) {
	if path := os.Getenv("JOURNAL_TEST_LIMITED"); path != "" {
		limitedWriter(t, path)
		return
	}
	path := newJournal(t)
	cmd := exec.Command(os.Args[0], "-test.run=^TestAFailedWriteLeavesNoHalfLine$")
	cmd.Env = append(os.Environ(), "JOURNAL_TEST_LIMITED="+path)
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	want := []journal.Event{event(0, journal.Warning{Message: "fits"}), event(2, journal.Warning{Message: "fits too"})}
	if diff := cmp.Diff(want, readAll(t, path)); diff != "" {
		t.Error(diff)
	}
}

func limitedWriter(t *testing.T, path string) {
	signal.Ignore(unix.SIGXFSZ)
	limit := unix.Rlimit{Cur: 1000, Max: 1000}
	if err := unix.Setrlimit(unix.RLIMIT_FSIZE, &limit); err != nil {
		t.Fatal(err)
	}
	w, err := journal.OpenWriter(path)
	if err != nil {
		t.Fatal(err)
	}
	for i, tt := range []struct {
		message string
		fails   bool
	}{{"fits", false}, {strings.Repeat("x", 2000), true}, {"fits too", false}} {
		_, err := w.Append("r1", at(i), journal.Warning{Message: tt.message})
		if (err != nil) != tt.fails {
			t.Fatalf("event %d: %v", i, err)
		}
		if err != nil && (!strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), unix.EFBIG.Error())) {
			t.Errorf("the error does not name path and cause: %v", err)
		}
	}
}
