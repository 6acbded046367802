package archive

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

func TestPutRefuses(t *testing.T) {
	for _, tt := range []struct {
		name, unit, want string
		arrange          func(s *Store, outside string) error
	}{
		{"a unit called archive", "archive", "cannot be the name", nil},
		{"a way out", "../x", "cannot be the name", nil},
		{"no unit", "", "cannot be the name", nil},
		{"a hidden unit", ".git", "cannot be the name", nil},
		{"a name too long", strings.Repeat("x", 201), "too long", nil},
		{"a feature that is a link", "linked", "symbolic link", func(s *Store, outside string) error {
			return os.Symlink(outside, s.feature("linked"))
		}},
		{"a feature that is a file", "config.yaml", "not a folder", func(s *Store, _ string) error {
			return os.WriteFile(s.feature("config.yaml"), nil, 0o600)
		}},
		{"an archive that is a link", unit, "symbolic link", func(s *Store, outside string) error {
			return os.Symlink(outside, s.root())
		}},
		{"an archive that is a link to nowhere", unit, "symbolic link", func(s *Store, _ string) error {
			return os.Symlink("nowhere", s.root())
		}},
		{"an archive that is a file", unit, "not a folder; move it", func(s *Store, _ string) error {
			return os.WriteFile(s.root(), nil, 0o600)
		}},
		{"a file in the journal's place", unit, "rename it", func(s *Store, _ string) error {
			return os.WriteFile(filepath.Join(s.feature(unit), journalName), nil, 0o600)
		}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			s, dir := fixture(t)
			outside := t.TempDir()
			if tt.arrange != nil {
				if err := tt.arrange(s, outside); err != nil {
					t.Fatal(err)
				}
			}
			want := files(t, dir)
			_, err := s.Put(t.Context(), tt.unit, now, func(Entry) error {
				t.Error("recorded")
				return nil
			})
			if err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v", err)
			}
			expectFiles(t, dir, want)
			if got := files(t, outside); len(got) != 0 {
				t.Errorf("outside: %v", got)
			}
		})
	}
}

func TestPutWithoutAFeature(t *testing.T) {
	s, _ := fixture(t)
	if _, err := s.Put(t.Context(), "other", now, nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v", err)
	}
}

func TestAFailedRecordLeavesEverything(t *testing.T) {
	s, dir := fixture(t)
	full := errors.New("disk full")
	if _, err := s.Put(t.Context(), unit, now, func(Entry) error { return full }); !errors.Is(err, full) {
		t.Errorf("got %v", err)
	}
	expectFiles(t, dir, before)
	if _, err := os.Stat(filepath.Join(s.feature(unit), manifestName)); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the manifest is left: %v", err)
	}
}

// TestWhatCannotBeCopiedIsTriedAgain meets a file that no copy can have.
func TestWhatCannotBeCopiedIsTriedAgain(t *testing.T) {
	s, dir := fixture(t)
	acrossFileSystems(s)
	pipe := filepath.Join(s.feature(unit), "pipe")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Put(t.Context(), unit, now, nil); err == nil || !strings.Contains(err.Error(), pipe) {
		t.Fatalf("got %v", err)
	}
	if err := os.Remove(pipe); err != nil {
		t.Fatal(err)
	}
	finish(t, s, 0)
	expectFiles(t, dir, after)
}

func TestRestoreRefuses(t *testing.T) {
	s, dir := fixture(t)
	put(t, s)
	if err := os.Mkdir(s.folder("notes"), 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"", "..", ".", "../feature-y", "none", ".x", "notes"} {
		if _, err := s.Restore(t.Context(), name); err == nil {
			t.Errorf("%q was restored", name)
		}
	}
	if err := os.Mkdir(s.feature(unit), 0o755); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Restore(t.Context(), archived); err == nil || !strings.Contains(err.Error(), "exists") {
		t.Errorf("over a feature: %v", err)
	}
	expectFiles(t, dir, after)
}

func TestRestoreSetsANewerJournalAside(t *testing.T) {
	s, dir := fixture(t)
	put(t, s)
	path := filepath.Join(dir, "state/feature-x/journal.jsonl")
	if err := os.WriteFile(path, []byte("newer\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Restore(t.Context(), archived); err != nil {
		t.Fatal(err)
	}
	want := afterRestore()
	want["state/feature-x/journal-1.jsonl"] = "newer\n"
	expectFiles(t, dir, want)

	e := put(t, s) // and both go into the archive
	got := files(t, s.folder(e.Name))
	if got["journal.jsonl"] != journal || got["state/journal-1.jsonl"] != "newer\n" {
		t.Errorf("%v", got)
	}
}

func TestAForgedManifestLeadsNowhere(t *testing.T) {
	s, dir := fixture(t)
	put(t, s)
	forged := `{"name":"` + archived + `","unit":"feature-x","state":[{"from":"../../tree","to":"spec.md"}]}`
	if err := os.WriteFile(filepath.Join(s.folder(archived), manifestName), []byte(forged), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := s.Restore(t.Context(), archived); err != nil { // as an archive without a manifest
		t.Fatal(err)
	}
	if got := files(t, dir)["tree/.ralph/feature-x/spec.md"]; got != "# X\n" {
		t.Errorf("spec.md is %q", got)
	}
}

// TestListRefuses: an archive that cannot be one is no empty list.
func TestListRefuses(t *testing.T) {
	for name, tt := range map[string]struct {
		want    string
		arrange func(root, outside string) error
	}{
		"a link":        {"symbolic link; put a real folder", func(root, outside string) error { return os.Symlink(outside, root) }},
		"a link's loop": {"symbolic link; put a real folder", func(root, _ string) error { return os.Symlink(root, root) }},
		"a file":        {"not a folder; move it", func(root, _ string) error { return os.WriteFile(root, nil, 0o600) }},
	} {
		t.Run(name, func(t *testing.T) {
			s, _ := fixture(t)
			outside := t.TempDir()
			if err := os.Mkdir(filepath.Join(outside, "20260102-030405-x"), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := tt.arrange(s.root(), outside); err != nil {
				t.Fatal(err)
			}
			if entries, warnings, err := s.List(); err == nil || !strings.Contains(err.Error(), tt.want) {
				t.Errorf("got %v, %v, %v", entries, warnings, err)
			}
		})
	}
}
