package undo

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ralph/internal/checkpoint"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/run"
)

// history is the journal of two runs with the iterations A1, A2 and B1, which accept the stories
// 1 to 3. Their states are kept in the store.
func history(t *testing.T) ([]journal.Event, checkpoint.Store, map[string]string) {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("git", "-C", root, "init", "--quiet").CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	repo, err := git.Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	store, commits := checkpoint.Store{Repo: repo, Unit: "u"}, map[string]string{}
	var events []journal.Event
	add := func(id string, b journal.Body) {
		events = append(events, journal.Event{Time: time.Unix(int64(1000+len(events)), 0), Run: id, Body: b})
	}
	iteration := func(id string, n int, story string) {
		if err := os.WriteFile(filepath.Join(root, "f"), []byte(id+story), 0o644); err != nil {
			t.Fatal(err)
		}
		kept, err := store.Save(t.Context(), store.Iteration(id, n), "x", time.Unix(1000, 0), git.Saved{})
		if err != nil {
			t.Fatal(err)
		}
		commits[story] = kept.Commit
		add(id, journal.IterationStarted{N: n, Story: &journal.Story{ID: story}, State: kept.Commit})
		add(id, journal.ClaimAccepted{N: n, Stories: []string{story}, Commit: "base" + story})
		add(id, journal.IterationEnded{N: n, Head: "head" + story, StoriesPassed: []string{story}})
	}
	stories := []journal.Story{{ID: "1"}, {ID: "2"}, {ID: "3"}}
	add("A", journal.RunStarted{Branch: "main", Stories: stories})
	iteration("A", 1, "1")
	iteration("A", 2, "2")
	add("A", journal.RunEnded{})
	stories = []journal.Story{{ID: "1", Done: true}, {ID: "2", Done: true}, {ID: "3"}}
	add("B", journal.RunStarted{Branch: "main", Stories: stories})
	iteration("B", 1, "3")
	add("B", journal.RunEnded{})
	return events, store, commits
}

// TestFind: which state is meant, and which stories count there.
func TestFind(t *testing.T) {
	events, store, commits := history(t)
	for name, c := range map[string]struct {
		run      string
		n        int
		story    string // the story of the iteration; empty without one
		accepted string
		reopened string
	}{
		"the last":           {"", 0, "3", "1 2", "3"},
		"of the last run":    {"", 1, "3", "1 2", "3"},
		"not in the last":    {"", 2, "", "", ""},
		"of another run":     {"A", 2, "2", "1", "2 3"},
		"the last of it":     {"A", 0, "2", "1", "2 3"},
		"its first":          {"A", 1, "1", "", "1 2 3"},
		"no such iteration":  {"A", 3, "", "", ""},
		"no such run at all": {"C", 0, "", "", ""},
	} {
		got, err := Find(t.Context(), events, store, c.run, c.n)
		var none *NotKeptError
		if c.story == "" {
			if !errors.As(err, &none) || none.Hint == "" {
				t.Errorf("%s: %v", name, err)
			}
			continue
		}
		if err != nil || got.State.Commit != commits[c.story] || got.Story.ID != c.story || got.Branch != "main" {
			t.Errorf("%s: %+v, %v", name, got, err)
		}
		if list := strings.Join(got.Event("r").Accepted, " "); list != c.accepted {
			t.Errorf("%s: %q are accepted, want %q", name, list, c.accepted)
		}
		if list := strings.Join(got.Reopened(events), " "); list != c.reopened {
			t.Errorf("%s: %q are open again, want %q", name, list, c.reopened)
		}
	}
}

// TestTheJournalCounts: a moved or removed reference does not change the target.
func TestTheJournalCounts(t *testing.T) {
	events, store, commits := history(t)
	ref := store.Iteration("A", 2)
	if err := store.Repo.SetRef(t.Context(), ref, commits["3"]); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(t.Context(), events, store, "A", 2); err != nil || got.State.Commit != commits["2"] || !got.Moved {
		t.Errorf("moved: %+v, %v", got, err)
	}
	if err := store.Repo.DeleteRefs(t.Context(), git.Ref{Name: ref, Commit: commits["3"]}); err != nil {
		t.Fatal(err)
	}
	if got, err := Find(t.Context(), events, store, "A", 2); err != nil || got.State.Commit != commits["2"] {
		t.Errorf("removed: %+v, %v", got, err)
	}
}

// TestThereAndBack: after an undo only what counted then counts, and after the undo of it all
// that counted before. Each acceptance of a later run comes on top.
func TestThereAndBack(t *testing.T) {
	events, store, _ := history(t)
	counts := func() string {
		var ids []string
		for id, ok := range run.Fold(events).Claims.Accepted {
			if ok {
				ids = append(ids, id)
			}
		}
		slices.Sort(ids)
		return strings.Join(ids, " ")
	}
	to, err := Find(t.Context(), events, store, "A", 2)
	if err != nil {
		t.Fatal(err)
	}
	name := LeftAt(time.Unix(2000, 0))
	if _, err := store.Save(t.Context(), store.Iteration(name, 1), "left", time.Unix(2000, 0), git.Saved{}); err != nil {
		t.Fatal(err)
	}
	events = append(events, journal.Event{Run: "B", Body: to.Event(store.Iteration(name, 1))})
	if got := counts(); got != "1" {
		t.Errorf("undone: %q count", got)
	}
	g := run.Fold(events).Claims
	if g.Base.Commit != "base1" || g.Seen().Commit != "head1" {
		t.Errorf("the base is %v, seen was %v", g.Base, g.Seen())
	}
	if done, _ := run.Fold(events).Last().Plan.Counts(); done != 1 {
		t.Errorf("%d stories are done", done)
	}
	back, err := Find(t.Context(), events, store, name, 0)
	if err != nil {
		t.Fatal(err)
	}
	events = append(events, journal.Event{Run: "B", Body: back.Event("refs/other")})
	if got := counts(); got != "1 2 3" {
		t.Errorf("undone twice: %q count", got)
	}
}
