package git

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestDiff: commits and uncommitted changes together, renames as such, nothing
// of what is left out or of what git does not know.
func TestDiff(t *testing.T) {
	repo := newRepo(t)
	write(t, repo.Root, "old.txt", strings.Repeat("the same line\n", 20))
	write(t, repo.Root, "plan/prd.json", "{}\n")
	write(t, repo.Root, "sub dir/ä\"x\".txt", "one\n")
	from := commit(t, repo.Root)
	git(t, repo.Root, "mv", "old.txt", "new.txt")
	write(t, repo.Root, "a", "two\n")
	write(t, repo.Root, "plan/prd.json", "{ }\n")
	commit(t, repo.Root)
	write(t, repo.Root, "sub dir/ä\"x\".txt", "two\n")
	write(t, repo.Root, "unknown.txt", "x\n")

	diff, cut, err := repo.Diff(t.Context(), Diff{From: from, Limit: 1 << 20, Exclude: []string{"plan"}})
	if err != nil || cut {
		t.Fatal(cut, err)
	}
	for _, want := range []string{"-one\n+two\n", "rename from old.txt\nrename to new.txt\n", `"b/sub dir/ä\"x\".txt"`} {
		if !strings.Contains(diff, want) {
			t.Errorf("no %q in\n%s", want, diff)
		}
	}
	for _, unwanted := range []string{"plan/prd.json", "unknown.txt"} {
		if strings.Contains(diff, unwanted) {
			t.Errorf("%q in\n%s", unwanted, diff)
		}
	}
	between, cut, err := repo.Diff(t.Context(), Diff{From: from, To: "HEAD", Context: 1, NoRenames: true, Limit: 1 << 20})
	if err != nil || cut || !strings.Contains(between, "deleted file") || strings.Contains(between, "sub dir") {
		t.Errorf("%q, %v, %v", between, cut, err)
	}
}

// TestDiffOfNothing and of a commit that is not there.
func TestDiffOfNothing(t *testing.T) {
	repo := newRepo(t)
	if diff, cut, err := repo.Diff(t.Context(), Diff{From: "HEAD", Limit: 1 << 20}); diff != "" || cut || err != nil {
		t.Errorf("%q, %v, %v", diff, cut, err)
	}
	var failed *Error
	if _, _, err := repo.Diff(t.Context(), Diff{From: strings.Repeat("0123", 10), Limit: 1 << 20}); !errors.As(err, &failed) {
		t.Errorf("a commit that is not there: %v", err)
	}
}

func TestDiffIsBounded(t *testing.T) {
	repo := newRepo(t)
	write(t, repo.Root, "a", strings.Repeat("a long file\n", 100_000))
	diff, cut, err := repo.Diff(t.Context(), Diff{From: "HEAD", Limit: 1000})
	if len(diff) != 1000 || !cut || err != nil {
		t.Errorf("%d bytes, %v, %v", len(diff), cut, err)
	}
}

// TestDiffRunsNothing: programs that the repository names for showing
// differences are an agent's to choose.
func TestDiffRunsNothing(t *testing.T) {
	repo := newRepo(t)
	trap := filepath.Join(repo.Root, "trap")
	write(t, repo.Root, ".gitattributes", "* diff=evil\n")
	for _, key := range []string{"diff.external", "diff.evil.command", "diff.evil.textconv", "core.pager"} {
		git(t, repo.Root, "config", key, "touch "+trap+"; false")
	}
	git(t, repo.Root, "config", "diff.noprefix", "true")
	git(t, repo.Root, "config", "color.ui", "always")
	commit(t, repo.Root)
	write(t, repo.Root, "a", "two\n")
	diff, _, err := repo.Diff(t.Context(), Diff{From: "HEAD", Limit: 1 << 20})
	if err != nil || !strings.Contains(diff, "diff --git a/a b/a\n") || strings.Contains(diff, "\x1b") {
		t.Errorf("%q, %v", diff, err)
	}
	if _, err := os.Lstat(trap); err == nil {
		t.Error("a program of the repository's choice was run")
	}
}
