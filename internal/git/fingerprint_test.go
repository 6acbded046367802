package git

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestWorktreeHashFollowsTheContent(t *testing.T) {
	repo := newRepo(t)
	write(t, repo.Root, ".gitignore", "*.log\n")
	commit(t, repo.Root)
	root := repo.Root
	file := func(name string) string { return filepath.Join(root, name) }
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	// Each step follows the one before; same says whether it leaves the fingerprint as it was.
	steps := []struct {
		name string
		same bool
		do   func()
	}{
		{"nothing", true, func() {}},
		{"ralph's own files", true, func() { write(t, root, ".ralph/u/prd.json", "{}"); write(t, root, ".claude/state", "") }},
		{"ignored file", true, func() { write(t, root, "x.log", "x") }},
		{"edit", false, func() { write(t, root, "a", "two\n") }},
		{"second edit of the same size", false, func() { write(t, root, "a", "TWO\n") }},
		{"staged", true, func() { git(t, root, "add", "a") }},
		{"committed", true, func() { commit(t, root) }},
		{"new file", false, func() { write(t, root, "new/ü", "x") }},
		{"its content", false, func() { write(t, root, "new/ü", "y") }},
		{"made executable", false, func() { must(os.Chmod(file("new/ü"), 0o755)) }},
		{"committed with it", true, func() { commit(t, root) }},
		{"symbolic link", false, func() { must(os.Symlink("a", file("link"))) }},
		{"link committed", true, func() { commit(t, root) }},
		{"removed", false, func() { must(os.Remove(file("a"))) }},
		{"removal staged", true, func() { git(t, root, "rm", "--quiet", "--cached", "a") }},
		{"removal committed", true, func() { commit(t, root) }},
		{"repository inside", false, func() { write(t, root, "in/f", "x"); git(t, file("in"), "init", "--quiet") }},
		{"its file", false, func() { write(t, root, "in/f", "xy") }},
	}
	last := fingerprint(t, repo)
	for _, step := range steps {
		step.do()
		now := fingerprint(t, repo)
		if (now == last) != step.same {
			t.Errorf("%s: fingerprint the same is %v, want %v", step.name, now == last, step.same)
		}
		last = now
	}
}

func TestWorktreeHashOfAChangeTakenBack(t *testing.T) {
	repo := newRepo(t)
	before := fingerprint(t, repo)
	write(t, repo.Root, "a", "two\n")
	commit(t, repo.Root)
	write(t, repo.Root, "a", "one\n")
	if fingerprint(t, repo) != before {
		t.Error("the same content has another fingerprint")
	}
}

func TestWorktreeHashWithoutACommit(t *testing.T) {
	isolate(t)
	dir := t.TempDir()
	git(t, dir, "init", "--quiet", "--object-format=sha256")
	repo := open(t, dir)
	empty := fingerprint(t, repo)
	write(t, dir, "a", "x")
	first := fingerprint(t, repo)
	if first == empty {
		t.Error("a new file does not count")
	}
}

func fingerprint(t testing.TB, repo *Repo) string {
	t.Helper()
	look, err := repo.ReadWorktree(t.Context(), ".ralph", ".claude/state")
	if err != nil {
		t.Fatal(err)
	}
	return look.Hash
}

func BenchmarkWorktreeHash(b *testing.B) {
	repo := newRepo(b)
	for i := range 10_000 {
		write(b, repo.Root, fmt.Sprintf("d%03d/f%d", i/100, i), "x")
	}
	commit(b, repo.Root)
	for b.Loop() {
		fingerprint(b, repo)
	}
}

// TestReadWorktreeWith compares ReadWorktreeWith with ReadWorktree.
func TestReadWorktreeWith(t *testing.T) {
	repo := newRepo(t)
	write(t, repo.Root, "plan/b", "b\n")
	commit(t, repo.Root)
	for _, name := range []string{"a", "plan/b", "new"} {
		write(t, repo.Root, name, "changed\n")
	}
	all, err := repo.Status(t.Context())
	if err != nil || len(all) != 3 {
		t.Fatalf("%d changes, %v", len(all), err)
	}
	want, err := repo.ReadWorktree(t.Context(), "plan")
	if err != nil {
		t.Fatal(err)
	}
	got, err := repo.ReadWorktreeWith(t.Context(), all, "plan")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(diff, err)
	}
	git(t, repo.Root, "checkout", "--quiet", "a") // known as changed, and no more: no harm
	if want, err = repo.ReadWorktree(t.Context(), "plan"); err != nil {
		t.Fatal(err)
	}
	if got, err = repo.ReadWorktreeWith(t.Context(), all, "plan"); err != nil || got.Hash != want.Hash {
		t.Errorf("a path too many makes a difference, %v", err)
	}
}

// TestTrackedFollowsTheIndex although an answer of git is kept while the index is the same.
func TestTrackedFollowsTheIndex(t *testing.T) {
	repo := newRepo(t)
	count := func() int {
		t.Helper()
		files, err := repo.Tracked(t.Context(), repo.Root)
		if err != nil {
			t.Fatal(err)
		}
		return len(files)
	}
	before := count()
	write(t, repo.Root, "new", "1\n")
	if got := count(); got != before {
		t.Errorf("%d files, want %d: it was not added", got, before)
	}
	git(t, repo.Root, "add", "new")
	if got := count(); got != before+1 {
		t.Errorf("%d files, want %d", got, before+1)
	}
	hash := func() string {
		t.Helper()
		look, err := repo.ReadWorktree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		return look.Hash
	}
	first := hash()
	commit(t, repo.Root)
	if got := hash(); got != first {
		t.Error("a commit of the same content is another one")
	}
	write(t, repo.Root, "new", "2\n")
	commit(t, repo.Root)
	if got := hash(); got == first {
		t.Error("another commit has the same fingerprint")
	}
}
