package verify

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/archive"
	"ralph/internal/check"
	"ralph/internal/evidence"
	"ralph/internal/git"
	"ralph/internal/journal"
)

func gitIn(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func prdOf(passes ...string) string {
	var stories []string
	for i, p := range passes {
		stories = append(stories, `{"id": "STORY-00`+string(rune('1'+i))+`", "title": "T", "acceptanceCriteria": ["c"], "priority": 1, "passes": `+p+`}`)
	}
	return `{"description": "X", "createdAt": "2026-01-02T03:04:05Z", "userStories": [` + strings.Join(stories, ",") + `]}`
}

// TestReceipts compares different receipts with one commit.
func TestReceipts(t *testing.T) {
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	root, ctx := t.TempDir(), t.Context()
	commit := func(name string) string {
		write(t, filepath.Join(root, name), name)
		gitIn(t, root, "add", "-A")
		gitIn(t, root, "commit", "-q", "-m", name)
		return gitIn(t, root, "rev-parse", "HEAD")
	}
	gitIn(t, root, "init", "-q", "-b", "work")
	first := commit("a")
	gitIn(t, root, "switch", "-q", "-c", "other")
	other := commit("b")
	gitIn(t, root, "switch", "-q", "work")
	files := commit("c")
	head := commit(".ralph/plan")
	repo, err := git.Open(ctx, root)
	if err != nil {
		t.Fatal(err)
	}
	hour := func(n int) time.Time { return time.Date(2026, 3, 4, n, 0, 0, 0, time.UTC) }
	note := func(on, unit, story string, mode journal.ProofPlace, at time.Time) {
		line, err := journal.Receipt{Schema: 1, Time: at, Run: "r", Unit: unit, StoryProved: journal.StoryProved{
			Story: story, Commit: "forged", Mode: mode, Checks: []journal.CheckReceipt{{Name: "unit"}, {Name: "lint"}}}}.AppendTo(nil)
		if err != nil {
			t.Fatal(err)
		}
		if err := repo.Notes().Append(ctx, on, string(line)); err != nil {
			t.Fatal(err)
		}
	}
	note(first, "u", "same", "clean", hour(3))
	note(files, "u", "same", "clean", hour(2))
	note(other, "u", "history", "clean", hour(4))
	note(first, "u", "history", "clean", hour(1))
	note(first, "u", "history", "clean", hour(2))
	note(other, "u", "elsewhere", "clean", hour(1))
	note(head, "u", "in place", "inplace", hour(1))
	note(head, "another unit", "none", "clean", hour(1))

	r := Report{Commit: head, Tree: gitIn(t, root, "rev-parse", "HEAD^{tree}")}
	for _, id := range []string{"same", "history", "elsewhere", "in place", "none"} {
		r.Stories = append(r.Stories, Story{Unit: "u", ID: id})
	}
	found, err := evidence.FindReceipts(ctx, repo, r.Commit, r.Sought())
	if err != nil {
		t.Fatal(err)
	}
	r.Complete(evidence.Facts{Checks: []evidence.CheckFact{result("unit", journal.CheckPassed)}}, found, true)
	lint := []string{"lint"}
	want := map[string]*Receipt{
		"same":      {Time: hour(2), Commit: files, Mode: "clean", State: evidence.Same, Dropped: lint},
		"history":   {Time: hour(2), Commit: first, Mode: "clean", State: evidence.History, Dropped: lint},
		"elsewhere": {Time: hour(1), Commit: other, Mode: "clean", State: evidence.Elsewhere, Dropped: lint},
		"in place":  {Time: hour(1), Commit: head, Mode: "inplace", State: evidence.History, Dropped: lint},
		"none":      nil,
	}
	got := map[string]*Receipt{}
	for _, s := range r.Stories {
		got[s.ID] = s.Receipt
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

func TestStories(t *testing.T) {
	root := t.TempDir()
	store := archive.Open(root, filepath.Join(t.TempDir(), "ralph"))
	write(t, filepath.Join(root, ".ralph/old/prd.json"), prdOf("true"))
	if _, err := store.Put(t.Context(), "old", time.Now(), nil); err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, ".ralph/new/prd.json"), prdOf("true", "false"))
	write(t, filepath.Join(root, ".ralph/tasks/status.json"), "{}")
	features, err := All(root, store)
	if err != nil {
		t.Fatal(err)
	}
	list, err := Stories(features, nil)
	want := []Story{{Unit: "new", ID: "STORY-001", Title: "T"}, {Unit: "old", ID: "STORY-001", Title: "T"}}
	if diff := cmp.Diff(want, list); diff != "" || err != nil {
		t.Error(err, diff)
	}
	f, err := Find(root, store, "new")
	if err != nil {
		t.Fatal(err)
	}
	list, err = Stories([]Feature{f}, []string{"STORY-002"})
	if diff := cmp.Diff([]Story{{Unit: "new", ID: "STORY-002", Title: "T", Open: true}}, list); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if _, err := Stories([]Feature{f}, []string{"STORY-002", "STORY-003"}); err == nil || !strings.Contains(err.Error(), "STORY-003 in .ralph/new/prd.json") {
		t.Error(err)
	}
	write(t, filepath.Join(root, ".ralph/broken/prd.json"), "{")
	if _, err := All(root, store); err == nil {
		t.Error("a broken plan was passed over")
	}
}

// result is the result of a check.
func result(name string, o journal.CheckOutcome) evidence.CheckFact {
	r := check.Result{Check: check.Check{Name: name}, Outcome: o}
	return evidence.CheckFact{Result: r, Phase: journal.PhaseClaim}
}

func TestComplete(t *testing.T) {
	green, red := result("unit", journal.CheckPassed), result("lint", journal.CheckFailed)
	accepted := red
	accepted.Red, accepted.Tolerated = true, true
	for _, c := range []struct {
		name     string
		checks   []evidence.CheckFact
		open     bool // the second story is
		receipt  bool // the second story has one
		receipts bool
		want     []bool // each story, and all
	}{
		{"green", []evidence.CheckFact{green}, false, true, true, []bool{true, true, true}},
		{"red", []evidence.CheckFact{green, red}, false, true, true, []bool{false, false, false}},
		{"red, without receipts", []evidence.CheckFact{red}, false, false, false, []bool{false, false, false}},
		{"red, which is accepted", []evidence.CheckFact{accepted}, false, true, true, []bool{true, true, true}},
		{"red, accepted, without receipts", []evidence.CheckFact{accepted}, false, false, false, []bool{true, true, true}},
		{"an open story", []evidence.CheckFact{green}, true, false, true, []bool{true, false, false}},
		{"no receipt", []evidence.CheckFact{green}, false, false, true, []bool{true, false, false}},
		{"no receipt, and none is needed", []evidence.CheckFact{green}, false, false, false, []bool{true, true, true}},
	} {
		r := Report{Stories: []Story{{ID: "A"}, {ID: "B", Open: c.open}}}
		found := map[evidence.StoryOf]evidence.Found{{Story: "A"}: {}}
		if c.receipt {
			found[evidence.StoryOf{Story: "B"}] = evidence.Found{}
		}
		f := evidence.Facts{Checks: c.checks, Complete: true}
		for s := range found {
			f.Receipts = append(f.Receipts, s.String())
		}
		r.Complete(f, found, c.receipts)
		if got := []bool{r.Stories[0].OK, r.Stories[1].OK, r.OK}; !cmp.Equal(got, c.want) {
			t.Errorf("%s: %t", c.name, got)
		}
	}
}
