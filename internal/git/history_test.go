package git

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestHistory(t *testing.T) {
	repo, ctx := newRepo(t), t.Context()
	first := git(t, repo.Root, "rev-parse", "HEAD")
	write(t, repo.Root, "b b", "x")
	write(t, repo.Root, ".ralph/u/prd.json", "x")
	second := commit(t, repo.Root)
	git(t, repo.Root, "mv", "b b", "c")
	third := commit(t, repo.Root)
	git(t, repo.Root, "switch", "--quiet", "--create", "side", first)
	side := commit(t, repo.Root)

	commits := map[[2]string][]string{
		{first, third}:  {second, third},
		{"", third}:     {first, second, third},
		{third, third}:  nil,
		{"", ""}:        nil,
		{third, side}:   {side}, // the head was set back
		{third, second}: {},
	}
	for span, want := range commits {
		got, err := repo.Commits(ctx, span[0], span[1])
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("Commits(%v): %v %s", span, err, diff)
		}
	}
	for pair, want := range map[[2]string]bool{
		{first, third}: true, {third, third}: true, {third, first}: false, {third, side}: false,
	} {
		if got, err := repo.IsAncestor(ctx, pair[0], pair[1]); err != nil || got != want {
			t.Errorf("IsAncestor(%v) = %v, %v", pair, got, err)
		}
	}
	for span, want := range map[[2]string][]string{
		{first, third}: {"c"}, {first, second}: {"b b"}, {second, third}: {"b b", "c"},
		{"", third}: {"a", "c"}, {first, side}: nil,
	} {
		got, err := repo.ChangedPaths(ctx, span[0], span[1], ".ralph")
		if diff := cmp.Diff(want, got); err != nil || diff != "" {
			t.Errorf("ChangedPaths(%v): %v %s", span, err, diff)
		}
	}
	one, err1 := repo.Tree(ctx, first)
	two, err2 := repo.Tree(ctx, side)
	other, err3 := repo.Tree(ctx, third)
	if err1 != nil || err2 != nil || err3 != nil || one != two || one == other || !isHash(one) {
		t.Errorf("trees %s %s %s: %v %v %v", one, two, other, err1, err2, err3)
	}
	if _, err := repo.Commits(ctx, "0123456789012345678901234567890123456789", third); err == nil {
		t.Error("a commit that is not there was taken for a start")
	}
}

func TestWorktreeForChecks(t *testing.T) {
	repo, ctx := newRepo(t), t.Context()
	head, err := repo.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	write(t, repo.Root, "a", "not committed\n")
	dir := filepath.Join(realTemp(t), "-clean tree")
	if err := repo.AddWorktree(ctx, dir, head.Commit); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(dir, "a")); got != "one\n" {
		t.Errorf("content %q is not the commit's", got)
	}
	write(t, dir, "left/over", "by a check")
	git(t, repo.Root, "worktree", "lock", dir)
	for range 2 {
		if err := repo.RemoveWorktree(ctx, dir); err != nil {
			t.Fatal(err)
		}
	}
	if list := git(t, repo.Root, "worktree", "list"); strings.Count(list, "\n") != 0 {
		t.Errorf("worktrees left: %s", list)
	}
	if err := repo.RemoveWorktree(ctx, repo.Root); err == nil {
		t.Error("the main worktree was removed")
	}
	if got := read(t, filepath.Join(repo.Root, "a")); got != "not committed\n" {
		t.Errorf("the worktree's own file is now %q", got)
	}
}
