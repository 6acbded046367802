package archive

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

var now = time.Date(2026, 11, 21, 14, 2, 3, 0, time.UTC)

const (
	unit     = "feature-x"
	archived = "20261121-140203-feature-x"
	journal  = `{"type":"run_started"}` + "\n"
)

// before is a worktree with a feature that has run; after is the same once
// the feature is archived. Keys are paths, values contents.
var (
	before = map[string]string{
		"tree/.ralph/feature-x/spec.md":                 "# X\n",
		"tree/.ralph/feature-x/prd.json":                "{}\n",
		"tree/.ralph/feature-x/specs/one.md":            "one\n",
		"tree/.ralph/feature-x/logs/iteration-1.log":    "log\n",
		"tree/.ralph/feature-x/status.json":             `{"storiesComplete":2,"storiesTotal":3}`,
		"tree/.ralph/feature-x/link.md":                 "-> spec.md",
		"state/feature-x/lock":                          "",
		"state/feature-x/journal.jsonl":                 journal,
		"state/feature-x/inbox/1.json":                  "{}",
		"state/feature-x/snapshot/prd.json":             "{}\n",
		"state/feature-x/snapshot/replaced/iter-1-spec": "mine\n",
		"tree/.ralph/feature-y/spec.md":                 "# Y\n",
		"state/feature-y/journal.jsonl":                 "other\n",
	}
	after = map[string]string{
		"tree/.ralph/archive/" + archived + "/spec.md":                    "# X\n",
		"tree/.ralph/archive/" + archived + "/prd.json":                   "{}\n",
		"tree/.ralph/archive/" + archived + "/specs/one.md":               "one\n",
		"tree/.ralph/archive/" + archived + "/logs/iteration-1.log":       "log\n",
		"tree/.ralph/archive/" + archived + "/status.json":                `{"storiesComplete":2,"storiesTotal":3}`,
		"tree/.ralph/archive/" + archived + "/link.md":                    "-> spec.md",
		"tree/.ralph/archive/" + archived + "/journal.jsonl":              journal,
		"tree/.ralph/archive/" + archived + "/state/replaced/iter-1-spec": "mine\n",
		"state/feature-x/lock":                                            "",
		"tree/.ralph/feature-y/spec.md":                                   "# Y\n",
		"state/feature-y/journal.jsonl":                                   "other\n",
	}
	// restored is before without what was of use to a run alone.
	restored = map[string]string{
		"state/feature-x/lock":                          "",
		"state/feature-x/journal.jsonl":                 journal,
		"state/feature-x/snapshot/replaced/iter-1-spec": "mine\n",
	}
)

// fixture lays out before and opens its archive.
func fixture(t *testing.T) (*Store, string) {
	t.Helper()
	dir := t.TempDir()
	for name, content := range before {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		var err error
		if target, ok := strings.CutPrefix(content, "-> "); ok {
			err = os.Symlink(target, path)
		} else {
			err = os.WriteFile(path, []byte(content), 0o600)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return Open(filepath.Join(dir, "tree"), filepath.Join(dir, "state")), dir
}

// files reads back all files below dir, archive.json left out.
func files(t *testing.T, dir string) map[string]string {
	t.Helper()
	found := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || d.Name() == manifestName {
			return err
		}
		rel, _ := filepath.Rel(dir, path)
		if d.Type() == fs.ModeSymlink {
			target, err := os.Readlink(path)
			found[rel] = "-> " + target
			return err
		}
		data, err := os.ReadFile(path)
		found[rel] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

func expectFiles(t *testing.T, dir string, want map[string]string) {
	t.Helper()
	if diff := cmp.Diff(want, files(t, dir)); diff != "" {
		t.Error(diff)
	}
}

// afterRestore is what files finds once the feature is back.
func afterRestore() map[string]string {
	want := map[string]string{}
	for name, content := range before {
		if !strings.HasPrefix(name, "state/feature-x/") {
			want[name] = content
		}
	}
	for name, content := range restored {
		want[name] = content
	}
	return want
}

// layouts are the ways in which the folders can lie: all on one file system,
// or each on its own, where none can be renamed or linked into another.
var layouts = map[string]func(*Store){
	"one file system":      func(*Store) {},
	"several file systems": acrossFileSystems,
}

func acrossFileSystems(s *Store) {
	refuse := func(from, to string) error {
		return &os.LinkError{Op: "rename", Old: from, New: to, Err: unix.EXDEV}
	}
	s.link = refuse
	s.rename = func(from, to string) error {
		if filepath.Dir(from) != filepath.Dir(to) {
			return refuse(from, to)
		}
		return os.Rename(from, to)
	}
}

func put(t *testing.T, s *Store) Entry {
	t.Helper()
	e, err := s.Put(t.Context(), unit, now, nil)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestPutAndRestore(t *testing.T) {
	for name, arrange := range layouts {
		t.Run(name, func(t *testing.T) {
			s, dir := fixture(t)
			arrange(s)
			var recorded Entry
			e, err := s.Put(t.Context(), unit, now, func(e Entry) error {
				recorded = e
				expectFiles(t, dir, withIntent(t, dir))
				return nil
			})
			if err != nil {
				t.Fatal(err)
			}
			want := Entry{Name: archived, Unit: unit, ArchivedAt: now, Path: ".ralph/archive/" + archived}
			if diff := cmp.Diff(want, e); diff != "" || recorded != e {
				t.Errorf("recorded %+v: %s", recorded, diff)
			}
			expectFiles(t, dir, after)
			if data, err := os.ReadFile(s.Journal(e)); string(data) != journal {
				t.Errorf("the journal is %q, %v", data, err)
			}
			back, err := s.Restore(t.Context(), archived)
			if err != nil || back.Path != ".ralph/feature-x" {
				t.Fatal(back, err)
			}
			expectFiles(t, dir, afterRestore())
			if entries, warnings, err := s.List(); len(entries)+len(warnings) != 0 || err != nil {
				t.Errorf("still listed: %v %v %v", entries, warnings, err)
			}
		})
	}
}

// withIntent is before with the intent, whatever it says.
func withIntent(t *testing.T, dir string) map[string]string {
	want := map[string]string{}
	for name, content := range before {
		want[name] = content
	}
	name := "state/feature-x/" + intentName
	want[name] = files(t, dir)[name]
	return want
}

func TestTheOpenJournalStaysOneFile(t *testing.T) {
	s, _ := fixture(t)
	f, err := os.OpenFile(filepath.Join(s.stateDir(unit), journalName), os.O_WRONLY|os.O_APPEND, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	e := put(t, s)
	if _, err := f.WriteString("last\n"); err != nil {
		t.Fatal(err)
	}
	if data, err := os.ReadFile(s.Journal(e)); string(data) != journal+"last\n" {
		t.Errorf("%q, %v", data, err)
	}
}

func TestAHundredArchivesInOneSecond(t *testing.T) {
	s, _ := fixture(t)
	for i := range 100 {
		if err := os.MkdirAll(s.feature(unit), 0o755); err != nil {
			t.Fatal(err)
		}
		want := archived
		if i > 0 {
			want = fmt.Sprintf("20261121-140203-%d-feature-x", i+1)
		}
		if e := put(t, s); e.Name != want {
			t.Fatalf("%d: %s", i, e.Name)
		}
	}
	entries, warnings, err := s.List()
	if err != nil || len(warnings) != 0 || len(entries) != 100 {
		t.Fatal(len(entries), warnings, err)
	}
	for i, e := range entries {
		if seq, _ := seqOf(e.Name, unit); seq != 100-i || e.Unit != unit {
			t.Errorf("%d: %s of %s", i, e.Name, e.Unit)
		}
	}
}

func TestListAndFind(t *testing.T) {
	s, _ := fixture(t)
	if _, err := s.Find(unit); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("nothing archived: %v", err)
	}
	put(t, s)
	for _, name := range []string{"20250101-000000-made-by-hand", "20250101-000000-2-made-by-hand", "20250101-000000-123-login", "notes", ".x.partial"} {
		if err := os.Mkdir(s.folder(name), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink("/", s.folder("20250101-000000-root")); err != nil {
		t.Fatal(err)
	}
	entries, warnings, err := s.List()
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, e := range entries {
		got[e.Name] = e.Unit
	}
	want := map[string]string{
		archived: unit, "20250101-000000-made-by-hand": "made-by-hand",
		"20250101-000000-2-made-by-hand": "made-by-hand", "20250101-000000-123-login": "123-login",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if len(warnings) != 2 {
		t.Errorf("warnings: %q", warnings)
	}
	newest, err := s.Find(unit)
	if err != nil || *newest.StoriesComplete != 2 || *newest.StoriesTotal != 3 {
		t.Errorf("%+v, %v", newest, err)
	}
}

func TestUnusualUnits(t *testing.T) {
	for _, unit := range []string{"2-fast", "größe-✓", strings.Repeat("x", 200), strings.Repeat("é", 100), "a b;$(x)"} {
		s, _ := fixture(t)
		if err := os.MkdirAll(s.feature(unit), 0o755); err != nil {
			t.Fatal(err)
		}
		for range 2 {
			if err := os.MkdirAll(s.feature(unit), 0o755); err != nil {
				t.Fatal(err)
			}
			if _, err := s.Put(t.Context(), unit, now, nil); err != nil {
				t.Fatal(err)
			}
		}
		e, err := s.Find(unit)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := s.Restore(t.Context(), e.Name); err != nil {
			t.Error(err)
		}
	}
}
