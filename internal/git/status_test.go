package git

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestStatus(t *testing.T) {
	repo := newRepo(t)
	write(t, repo.Root, "gone", "")
	write(t, repo.Root, "old name", "a longer content that git would see as renamed\n")
	write(t, repo.Root, ".gitignore", "ignored\n")
	commit(t, repo.Root)

	write(t, repo.Root, "a", "two\n")
	write(t, repo.Root, "new dir/ünï\ncode", "x")
	write(t, repo.Root, "-dash", "x")
	write(t, repo.Root, "ignored", "x")
	write(t, repo.Root, ".ralph/unit/status.json", "x")
	write(t, repo.Root, ".ralphish", "x")
	git(t, repo.Root, "mv", "old name", "new name")
	if err := os.Remove(filepath.Join(repo.Root, "gone")); err != nil {
		t.Fatal(err)
	}
	got, err := repo.Status(t.Context(), ".ralph/")
	want := []StatusEntry{{"a", ".M"}, {"gone", ".D"}, {"new name", "A."}, {"old name", "D."},
		{"-dash", "??"}, {".ralphish", "??"}, {"new dir/ünï\ncode", "??"}}
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestStatusOfAConflict(t *testing.T) {
	repo := newRepo(t)
	conflict(t, repo, "merge")
	got, err := repo.Status(t.Context())
	if diff := cmp.Diff([]StatusEntry{{"a", "UU"}}, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}

func TestStatusLeavesTheIndexAlone(t *testing.T) {
	repo := newRepo(t)
	// The same content with another time: git would note it in its index.
	file := filepath.Join(repo.Root, "a")
	if err := os.Chtimes(file, time.Time{}, time.Unix(1e9, 0)); err != nil {
		t.Fatal(err)
	}
	index := filepath.Join(repo.GitDir, "index")
	before := read(t, index)
	if _, err := repo.ReadWorktree(t.Context()); err != nil {
		t.Fatal(err)
	}
	if read(t, index) != before {
		t.Error("the index has been written")
	}
}

func TestUnder(t *testing.T) {
	prefixes := []string{".ralph/", ".claude/loop-state.json"}
	tests := map[string]bool{
		".ralph": true, ".ralph/": true, ".ralph/x": true, ".ralphx": false, "x/.ralph": false,
		".claude": false, ".claude/loop-state.json": true, ".claude/loop-state.json2": false, "": false,
	}
	for path, want := range tests {
		if got := under(path, prefixes); got != want {
			t.Errorf("under(%q) = %v, want %v", path, got, want)
		}
	}
}

func FuzzParseStatus(f *testing.F) {
	f.Add("1 .M N... 100644 100644 100644 e69de29 e69de29 a b\x00? x\x00")
	f.Add("2 R. N... 100644 100644 100644 e69de29 e69de29 R100 to\x00from\x00")
	f.Add("1  M N... 1 2 3 4 a b\x00") // no letters
	f.Add("u UU N... 1 2 3 4 a b c path\x00! i\x00# branch.oid 1\x00")
	f.Fuzz(func(t *testing.T, out string) {
		changes, err := parseStatus(out, nil)
		for _, change := range changes {
			if err == nil && (change.Path == "" || change.XY == "" || !strings.Contains(out, change.Path)) {
				t.Errorf("parseStatus(%q) made up %+v", out, change)
			}
		}
	})
}
