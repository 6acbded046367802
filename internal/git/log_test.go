package git

import (
	"testing"
	"time"

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
	one, err1 := repo.Commit(ctx, first)
	two, err2 := repo.Commit(ctx, side)
	other, err3 := repo.Commit(ctx, third)
	if err1 != nil || err2 != nil || err3 != nil || one.Tree != two.Tree || one.Tree == other.Tree || !isHash(one.Tree) {
		t.Errorf("trees %v %v %v: %v %v %v", one, two, other, err1, err2, err3)
	}
	if two.Hash != side || two.Parent != first || one.Parent != "" || two.Committer != git(t, repo.Root, "log", "-1", "--format=%ce", side) || two.Message != "x\n" || time.Since(two.Time) > time.Hour {
		t.Errorf("%+v, the parent of %+v", one, two)
	}
	if last, err := repo.LastCommit(ctx, "a"); err != nil || last != one {
		t.Errorf("the last commit of a is %+v, %v", last, err)
	}
	if none, err := repo.LastCommit(ctx, "none"); err != nil || none != (Commit{}) {
		t.Errorf("the last commit of no file is %+v, %v", none, err)
	}
	between, err := repo.Log(ctx, third, first)
	if err != nil || len(between) != 2 || between[0] != other || between[1].Hash != second {
		t.Errorf("the log is %+v, %v", between, err)
	}
	if _, err := repo.Commits(ctx, "0123456789012345678901234567890123456789", third); err == nil {
		t.Error("a commit that is not there was taken for a start")
	}
}
