package parking

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ralph/internal/checkpoint"
	"ralph/internal/evidence"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/recorder"
	"ralph/internal/run"
)

// place is a repository with an iteration of an agent that has committed and left something.
type place struct {
	t      *testing.T
	root   string
	parker *Parker
}

func (p place) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-C", p.root, "-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p place) write(name, text string) {
	p.t.Helper()
	if err := os.WriteFile(filepath.Join(p.root, name), []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p place) read(name string) string {
	data, _ := os.ReadFile(filepath.Join(p.root, name)) // "" where it is not there
	return string(data)
}

func newPlace(t *testing.T) place {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	root, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	p := place{t: t, root: root}
	p.git("init", "--quiet", "--initial-branch=main")
	p.write("code", "accepted\n")
	p.write("mine", "committed\n")
	p.git("add", "--all")
	p.git("commit", "--quiet", "--message=before")
	p.write("mine", "edited before\n")
	repo, err := git.Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	w, err := journal.OpenWriter(filepath.Join(t.TempDir(), "journal.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.Close() })
	rec := &recorder.Recorder{Shared: &run.Shared{}, Journal: w, Run: "r", Observe: func(journal.Event) {}}
	states := checkpoint.Store{Repo: repo, Unit: "u"}
	p.parker = &Parker{On: true, States: states, Recorder: rec, Files: func() []string { return nil },
		Gate: &evidence.Gate{Repo: repo, Plan: &plan.PRD{Root: root, Folder: ".ralph/u"}, Branch: "main", Working: func(string) {}}}
	kept, err := states.Save(t.Context(), states.Iteration("r", 1), "before iteration 1", time.Now(), git.Saved{})
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range []journal.Body{journal.RunStarted{Branch: "main"}, journal.BaseMoved{Commit: "c"},
		journal.IterationStarted{N: 1, Story: &journal.Story{ID: "S"}, State: kept.Commit}} {
		if err := rec.Record(b); err != nil {
			t.Fatal(err)
		}
	}
	p.write("code", "of the agent\n")
	p.git("commit", "--quiet", "--message=half", "code")
	p.write("new", "left by the agent\n")
	if err := p.parker.NoteWorktree(t.Context()); err != nil {
		t.Fatal(err)
	}
	return p
}

func (p place) park() *journal.StoryParked {
	p.t.Helper()
	if err := p.parker.Park(p.t.Context(), run.Step{Story: "S", Message: "stuck"}, "", ""); err != nil {
		p.t.Fatal(err)
	}
	return p.parker.Recorder.Position().Leaving
}

// TestParkAndRestore: the work of the agent is kept and gone, wherever that was cut off, and
// what the user had edited before and after it stays.
func TestParkAndRestore(t *testing.T) {
	for name, cut := range map[string]func(p place){
		"at once":           func(place) {},
		"after one file":    func(p place) { p.write("code", "accepted\n") },
		"after the files":   func(p place) { p.write("code", "accepted\n"); os.Remove(filepath.Join(p.root, "new")) },
		"after the branch":  func(p place) { p.git("reset", "--quiet", "--soft", "HEAD~1") },
		"with another edit": func(p place) { p.write("later", "") },
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			before := p.git("rev-parse", "HEAD~1")
			b := p.park()
			if b == nil {
				t.Fatalf("not parked: %s", p.parker.Mixed)
			}
			cut(p)
			for range 2 { // it may be repeated
				if err := p.parker.Restore(t.Context(), "main", b); err != nil {
					t.Fatal(err)
				}
			}
			if got := p.read("code") + p.read("mine") + p.read("new"); got != "accepted\nedited before\n" {
				t.Errorf("the files have %q", got)
			}
			if head := p.git("rev-parse", "main"); head != before {
				t.Errorf("the branch is at %s, want %s", head, before)
			}
			if got := p.git("show", b.State+":code", b.State+":new", b.State+":mine"); got != "of the agent\nleft by the agent\nedited before" {
				t.Errorf("kept are %q", got)
			}
			if got := p.git("status", "--porcelain", "code", "new", "mine"); got != "M mine" {
				t.Errorf("status %q", got)
			}
		})
	}
}

// TestParkTwice: the work of an earlier time stays kept.
func TestParkTwice(t *testing.T) {
	p := newPlace(t)
	first := p.park()
	if err := p.parker.Recorder.Record(journal.Request{Kind: journal.RequestUnpark, Text: "S"}); err != nil {
		t.Fatal(err)
	}
	p.write("new", "more\n")
	if err := p.parker.NoteWorktree(t.Context()); err != nil {
		t.Fatal(err)
	}
	second := p.park()
	refs := p.git("for-each-ref", "--format=%(objectname)", "refs/ralph/u/parked/")
	if second.State == first.State || !strings.Contains(refs, first.State) || !strings.Contains(refs, second.State) {
		t.Errorf("kept are %s, want %s and %s", refs, first.State, second.State)
	}
}

// TestMixedWorkIsNotParked: what other people did while the agent was not at work is not
// parked with the story, and nothing is changed.
func TestMixedWorkIsNotParked(t *testing.T) {
	for name, c := range map[string]struct {
		change func(p place)
		want   string
	}{
		"an edit":    {func(p place) { p.write("mine", "edited now\n") }, "changed files"},
		"a new file": {func(p place) { p.write("other", "x\n") }, "changed files"},
		"a commit":   {func(p place) { p.git("commit", "--quiet", "--all", "--message=mine") }, "moved the branch"},
		"a death":    {func(p place) { p.parker.seen = run.Base{} }, "ralph died"},
		"a state that is gone": {func(p place) {
			err := p.parker.Recorder.Record(journal.BaseMoved{Commit: "d"})
			if err == nil {
				err = p.parker.Recorder.Record(journal.IterationStarted{N: 2, Story: &journal.Story{ID: "S"}, State: strings.Repeat("1", 40)})
			}
			if err != nil {
				p.t.Fatal(err)
			}
		}, "no longer kept"},
	} {
		t.Run(name, func(t *testing.T) {
			p := newPlace(t)
			c.change(p)
			head, files := p.git("rev-parse", "HEAD"), p.git("status", "--porcelain")
			if b := p.park(); b != nil || !strings.Contains(p.parker.Mixed, c.want) {
				t.Errorf("parked: %+v, mixed: %q", b, p.parker.Mixed)
			}
			if p.git("rev-parse", "HEAD") != head || p.git("status", "--porcelain") != files || p.git("for-each-ref", "refs/ralph/u/parked/") != "" {
				t.Error("something was changed")
			}
		})
	}
}

// TestRestoreRefuses: what someone else changed since the decision is not replaced.
func TestRestoreRefuses(t *testing.T) {
	p := newPlace(t)
	b := p.park()
	p.write("code", "mine\n")
	if err := p.parker.Restore(t.Context(), "main", b); err == nil || !strings.Contains(err.Error(), "code") || !strings.Contains(err.Error(), "ralph unpark S") {
		t.Errorf("error %v", err)
	}
	if got := p.read("code") + p.read("new"); got != "mine\nleft by the agent\n" {
		t.Errorf("the files have %q", got)
	}
}
