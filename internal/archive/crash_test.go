package archive

import (
	"maps"
	"os"
	"path/filepath"
	"testing"
)

// killed is thrown where a test lets the process die.
type killed struct{}

// dieAt ends an operation after its n-th step, and reports whether it had so many.
func dieAt(s *Store, n int, operation func()) (died bool) {
	old := s.step
	defer func() {
		s.step = old
		if r := recover(); r != nil {
			if _, ok := r.(killed); !ok {
				panic(r)
			}
			died = true
		}
	}()
	s.step = func(string) {
		if n--; n == 0 {
			panic(killed{})
		}
	}
	operation()
	return false
}

func TestAnArchiveCutOffAnywhereIsFinished(t *testing.T) {
	for name, arrange := range layouts {
		t.Run(name, func(t *testing.T) {
			for n := 1; ; n++ {
				s, dir := fixture(t)
				arrange(s)
				if !dieAt(s, n, func() { put(t, s) }) {
					if n < 5 {
						t.Errorf("only %d steps", n-1)
					}
					return
				}
				finish(t, s, n)
				expectFiles(t, dir, after)
			}
		})
	}
}

func TestARestoreCutOffAnywhereIsFinished(t *testing.T) {
	for name, arrange := range layouts {
		t.Run(name, func(t *testing.T) {
			for n := 1; ; n++ {
				s, dir := fixture(t)
				arrange(s)
				put(t, s)
				restore := func() {
					if _, err := s.Restore(t.Context(), archived); err != nil {
						t.Fatal(err)
					}
				}
				if !dieAt(s, n, restore) {
					if n < 4 {
						t.Errorf("only %d steps", n-1)
					}
					return
				}
				finish(t, s, n)
				expectFiles(t, dir, afterRestore())
			}
		})
	}
}

// TestFinishItselfCutOff kills the command that finishes as well.
func TestFinishItselfCutOff(t *testing.T) {
	for n := 1; ; n++ {
		s, dir := fixture(t)
		acrossFileSystems(s)
		dieAt(s, 3, func() { put(t, s) })
		died := dieAt(s, n, func() {
			if _, err := s.Finish(t.Context(), unit); err != nil {
				t.Fatal(err)
			}
		})
		if !died {
			return
		}
		finish(t, s, n)
		expectFiles(t, dir, after)
	}
}

func finish(t *testing.T, s *Store, n int) {
	t.Helper()
	if units, err := s.Pending(); err != nil || len(units) != 1 || units[0] != unit {
		t.Fatalf("cut off at step %d: pending %q, %v", n, units, err)
	}
	if did, err := s.Finish(t.Context(), unit); err != nil || !did {
		t.Fatalf("cut off at step %d: %v, %v", n, did, err)
	}
	if did, err := s.Finish(t.Context(), unit); err != nil || did {
		t.Fatalf("finished twice: %v, %v", did, err)
	}
}

func TestFinishLeavesALaterRunAlone(t *testing.T) {
	s, dir := fixture(t)
	dieAt(s, 5, func() { put(t, s) }) // moved, not cleared
	path := filepath.Join(dir, "state/feature-x/journal.jsonl")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	for name, content := range map[string]string{path: "a later run\n", filepath.Join(s.feature(unit), "spec.md"): "new\n"} {
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := s.Finish(t.Context(), unit); err != nil {
		t.Fatal(err)
	}
	got := files(t, dir)
	if got["state/feature-x/journal.jsonl"] != "a later run\n" || got["tree/.ralph/feature-x/spec.md"] != "new\n" {
		t.Errorf("%v", got)
	}
}

func TestFinishWithNothingLeftToArchive(t *testing.T) {
	s, _ := fixture(t)
	dieAt(s, 1, func() { put(t, s) })
	if err := os.RemoveAll(s.feature(unit)); err != nil {
		t.Fatal(err)
	}
	finish(t, s, 1)
	if data, err := os.ReadFile(filepath.Join(s.stateDir(unit), journalName)); string(data) != journal {
		t.Errorf("the journal is %q, %v", data, err)
	}
}

// TestWhatACutOffWriteLeftIsNotKept meets the temporary files of a process that
// was killed while it wrote, and files of people with names much like theirs.
func TestWhatACutOffWriteLeftIsNotKept(t *testing.T) {
	s, dir := fixture(t)
	for _, path := range []string{
		filepath.Join(s.feature(unit), "."+manifestName+"5105171730482896686"), filepath.Join(s.stateDir(unit), "."+intentName+"42"),
	} {
		if err := os.WriteFile(path, []byte("{"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	const own = "." + manifestName + "5.bak"
	if err := os.WriteFile(filepath.Join(s.feature(unit), own), []byte("mine"), 0o600); err != nil {
		t.Fatal(err)
	}
	put(t, s)
	want := maps.Clone(after)
	want[filepath.Join("tree/.ralph/archive", archived, own)] = "mine"
	expectFiles(t, dir, want)
}
