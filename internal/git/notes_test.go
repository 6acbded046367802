package git

import (
	"fmt"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAppendNoteKeepsWhatIsThere(t *testing.T) {
	repo, ctx := newRepo(t), t.Context()
	git(t, repo.Root, "config", "user.useConfigOnly", "true") // git knows no name
	git(t, repo.Root, "config", "core.commentChar", "{")
	first := git(t, repo.Root, "rev-parse", "HEAD")
	if notes, err := repo.Notes().List(ctx); err != nil || notes != nil {
		t.Errorf("notes of a repository without any: %v, %v", notes, err)
	}
	second := commit(t, repo.Root)
	for _, n := range []struct{ commit, lines string }{
		{first, "{\"story\":\"A # B\"}\n"}, {second, "{}\n"}, {first, "{\"story\":\"C\"}\n{\"story\":\"D\"}\n"},
	} {
		if err := repo.Notes().Append(ctx, n.commit, n.lines); err != nil {
			t.Fatal(err)
		}
	}
	notes, err := repo.Notes().List(ctx)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string][]string{}
	for _, n := range notes {
		got[n.Commit] = strings.Fields(n.Text)
	}
	want := map[string][]string{
		first:  {`{"story":"A`, "#", `B"}`, `{"story":"C"}`, `{"story":"D"}`},
		second: {"{}"},
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if err := repo.Notes().Append(ctx, "--all", "x\n"); err == nil {
		t.Error("an option was taken for a commit")
	}
}

// TestNotesOfWorktreesAtWork appends notes from two worktrees at the same time: git
// itself would lose some of them.
func TestNotesOfWorktreesAtWork(t *testing.T) {
	repo, ctx := newRepo(t), t.Context()
	other := realTemp(t) + "/other"
	git(t, repo.Root, "worktree", "add", "-q", "--detach", other)
	const each = 8
	var wg sync.WaitGroup
	for _, r := range []*Repo{repo, open(t, other)} {
		wg.Go(func() {
			for i := range each {
				if err := r.Notes().Append(ctx, "HEAD", fmt.Sprintf("{\"n\":%d}\n", i)); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	notes, err := repo.Notes().List(ctx)
	if err != nil || len(notes) != 1 {
		t.Fatalf("%v, %v", notes, err)
	}
	if got := strings.Count(notes[0].Text, `{"n":`); got != 2*each {
		t.Errorf("%d of %d notes are left", got, 2*each)
	}
}

func TestCutObject(t *testing.T) {
	for _, c := range []struct{ out, text, rest string }{
		{"aa blob 3\nx\ny\nbb", "x\ny", "bb"},
		{"aa blob 0\n\n", "", ""},
	} {
		text, rest, err := cutObject([]byte(c.out))
		if err != nil || text != c.text || string(rest) != c.rest {
			t.Errorf("%q: %q, %q, %v", c.out, text, rest, err)
		}
	}
	for _, out := range []string{"", "aa missing\n", "aa blob 9\nx\n", "aa blob -1\nx\n", "aa blob x\n\n"} {
		if _, _, err := cutObject([]byte(out)); err == nil {
			t.Errorf("%q was read", out)
		}
	}
}
