package unit

import (
	"crypto/rand"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/proc"
	"ralph/internal/run"
	"ralph/internal/stream"
)

// wreck is a repository in which a run has died.
type wreck struct {
	t        *testing.T
	repo     *git.Repo
	stateDir string
	writer   *journal.Writer
	token    string
}

const (
	wreckFolder = ".ralph/feature-x"
	wreckLog    = wreckFolder + "/logs/iteration-1.log"
	wreckPlan   = `{"description":"d","createdAt":"2026-01-02T03:04:05Z","userStories":[{"id":"S-1","title":"A","acceptanceCriteria":["c"],"priority":1,"passes":false}]}`
)

func newWreck(t *testing.T) *wreck {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	t.Setenv("GIT_CONFIG_SYSTEM", "/dev/null")
	root := t.TempDir()
	for path, text := range map[string]string{
		wreckFolder + "/prd.json": wreckPlan, wreckFolder + "/spec.md": "# X\n", wreckFolder + "/progress.txt": "# Progress\n",
		wreckLog: `{"type":"system","subtype":"init","session_id":"s","model":"m"}` + "\n" +
			`{"type":"result","subtype":"success","is_error":false,"total_cost_usd":0.5,"usage":{"input_tokens":7,"output_tokens":3}}` + "\n",
	} {
		if err := os.MkdirAll(filepath.Dir(filepath.Join(root, path)), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(root, path), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, args := range []string{"init -q -b feature/x", "add -A", "-c user.name=A -c user.email=a@example.org commit -q -m first"} {
		cmd := exec.Command("git", strings.Fields(args)...)
		cmd.Dir = root
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
	}
	repo, err := git.Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	w := &wreck{t: t, repo: repo, stateDir: filepath.Join(repo.GitDir, "ralph", "feature-x"), token: rand.Text()}
	if err := (&plan.PRD{Root: root, Folder: wreckFolder}).Snapshot(w.stateDir); err != nil {
		t.Fatal(err)
	}
	if w.writer, err = journal.OpenWriter(journal.Path(w.stateDir)); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = w.writer.Close() })
	return w
}

// path is that of a file of the feature.
func (w *wreck) path(name string) string { return filepath.Join(w.repo.Root, wreckFolder, name) }

// state is what the journal says.
func (w *wreck) state() *run.Shared {
	w.t.Helper()
	s := &run.Shared{}
	if _, err := journal.Scan(journal.Path(w.stateDir), s.Apply); err != nil {
		w.t.Fatal(err)
	}
	return s
}

// recover recovers, and returns each recorded event in a few words.
func (w *wreck) recover() (said []string, end *run.End) {
	w.t.Helper()
	end, err := Recover(w.t.Context(), w.writer, w.repo, w.stateDir, time.Time{}, w.state(), func(e journal.Event) {
		switch b := e.Body.(type) {
		case journal.AttemptEnded:
			said = append(said, fmt.Sprintf("attempt %d.%d %s %d+%d $%.1f", b.N, b.Attempt, b.Outcome, b.Tokens.Input, b.Tokens.Output, dollars(b.CostUSD)))
		case journal.IterationEnded:
			said = append(said, fmt.Sprintf("iteration %d %s %d+%d $%.1f", b.N, b.Outcome, b.Tokens.Input, b.Tokens.Output, dollars(b.CostUSD)))
		case journal.PlanRestored:
			said = append(said, "restored "+filepath.Base(b.Path))
		case journal.RunEnded:
			said = append(said, fmt.Sprintf("run %s %d+%d $%.1f", b.Reason, b.Tokens.Input, b.Tokens.Output, dollars(b.CostUSD)))
		default:
			said = append(said, e.Body.EventType())
		}
	})
	if err != nil {
		w.t.Fatal(err)
	}
	return said, end
}

func dollars(d *float64) float64 {
	if d == nil {
		return 0
	}
	return *d
}

// TestRecover finishes the records of runs that died at any point, once.
func TestRecover(t *testing.T) {
	half := 0.5
	began, opened := journal.RunStarted{Branch: "feature/x"}, journal.IterationStarted{N: 1}
	called := journal.AttemptStarted{N: 1, Attempt: 1, LogFile: wreckLog, Output: "claude"}
	refused := journal.AttemptEnded{N: 1, Attempt: 1, Outcome: "transient", Tokens: stream.Tokens{Input: 1}}
	answered := journal.AttemptEnded{N: 1, Attempt: 1, Outcome: "ok", Tokens: stream.Tokens{Input: 20, Output: 2}, CostUSD: &half}
	again := journal.AttemptStarted{N: 1, Attempt: 2, LogFile: wreckLog, Output: "claude"}
	closed := journal.IterationEnded{N: 1, Outcome: "ok", Tokens: stream.Tokens{Input: 20, Output: 2}, CostUSD: &half}
	ended := journal.RunEnded{Reason: "stories_complete"}
	greedy := func(w *wreck) error { return os.WriteFile(w.path("spec.md"), []byte("# Other\n"), 0o644) }
	for _, c := range []struct {
		name   string
		events []journal.Body
		harm   func(*wreck) error // by the agent, or by the user
		want   []string
	}{
		{name: "no run"},
		{name: "all is well", events: []journal.Body{began, opened, called, answered, closed, ended}},
		{name: "before its first iteration", events: []journal.Body{began}, want: []string{"run crashed 0+0 $0.0"}},
		{name: "before a call", events: []journal.Body{began, opened}, harm: greedy, want: []string{"run crashed 0+0 $0.0"}},
		{name: "in a call", events: []journal.Body{began, opened, called}, harm: greedy,
			want: []string{"attempt 1.1 crash 7+3 $0.5", "restored spec.md", "iteration 1 crash 7+3 $0.5", "run crashed 7+3 $0.5"}},
		{name: "behind a call", events: []journal.Body{began, opened, called, answered}, harm: greedy,
			want: []string{"restored spec.md", "iteration 1 crash 20+2 $0.5", "run crashed 20+2 $0.5"}},
		{name: "behind a call that was refused", events: []journal.Body{began, opened, called, refused}, want: []string{"run crashed 1+0 $0.0"}},
		{name: "in the call behind that", events: []journal.Body{began, opened, called, refused, again},
			want: []string{"attempt 1.2 crash 7+3 $0.5", "iteration 1 crash 8+3 $0.5", "run crashed 8+3 $0.5"}},
		{name: "between iterations", events: []journal.Body{began, opened, called, answered, closed}, harm: greedy, want: []string{"run crashed 20+2 $0.5"}},
		{name: "in the second run", events: []journal.Body{began, opened, called, answered, closed, ended, began}, want: []string{"run crashed 0+0 $0.0"}},
		{name: "the record of the last iteration was lost", events: []journal.Body{began, opened, called, answered, closed},
			harm: func(w *wreck) error { return os.Remove(w.path("progress.txt")) }, want: []string{"restored progress.txt", "run crashed 20+2 $0.5"}},
		{name: "on another branch", events: []journal.Body{journal.RunStarted{Branch: "feature/y"}, opened, called, answered}, harm: greedy,
			want: []string{"iteration 1 crash 20+2 $0.5", "run crashed 20+2 $0.5"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWreck(t)
			for _, b := range c.events {
				if run, ok := b.(journal.RunStarted); ok {
					run.Token = w.token
					b = run
				}
				if _, err := w.writer.Append("r", time.Now(), b); err != nil {
					t.Fatal(err)
				}
			}
			if c.harm != nil {
				if err := c.harm(w); err != nil {
					t.Fatal(err)
				}
			}
			said, end := w.recover()
			if diff := cmp.Diff(c.want, said); diff != "" {
				t.Errorf("recorded (-want +got): %s", diff)
			}
			if (end != nil) != (c.want != nil) || end != nil && end.Reason != journal.ReasonCrashed {
				t.Errorf("the end is %+v", end)
			}
			if said, end := w.recover(); said != nil || end != nil {
				t.Errorf("recovered again: %v, %+v", said, end)
			}
		})
	}
}

// TestRecoverTellsWhen: a death that the guardian saw has its own time; one that is found
// later has the time of the last sign of life.
func TestRecoverTellsWhen(t *testing.T) {
	began := time.Date(2026, 1, 2, 3, 0, 0, 0, time.UTC)
	wrote, saw := began.Add(time.Hour), began.Add(2*time.Hour)
	called := journal.AttemptStarted{N: 1, Attempt: 1, LogFile: wreckLog, Output: "claude"}
	for _, c := range []struct {
		name   string
		events []journal.Body
		died   time.Time
		want   time.Time
	}{
		{"in a call", []journal.Body{called}, time.Time{}, wrote},
		{"behind it", []journal.Body{called, journal.AttemptEnded{N: 1, Attempt: 1, Outcome: "ok"}}, time.Time{}, began},
		{"somebody saw it", []journal.Body{called}, saw, saw},
		{"what somebody saw was another run's", []journal.Body{called}, began.Add(-time.Hour), wrote},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWreck(t)
			if err := os.Chtimes(filepath.Join(w.repo.Root, wreckLog), wrote, wrote); err != nil {
				t.Fatal(err)
			}
			events := append([]journal.Body{journal.RunStarted{Branch: "feature/x", Token: w.token}, journal.IterationStarted{N: 1}}, c.events...)
			for _, b := range events {
				if _, err := w.writer.Append("r", began, b); err != nil {
					t.Fatal(err)
				}
			}
			end, err := Recover(t.Context(), w.writer, w.repo, w.stateDir, c.died, w.state(), func(e journal.Event) {
				if !e.Time.Equal(c.want) {
					t.Errorf("%s is of %v, want %v", e.Body.EventType(), e.Time, c.want)
				}
			})
			if want := "ralph itself died at about " + c.want.Local().Format("Mon 2 Jan 15:04"); err != nil || end.Message != want {
				t.Errorf("it says %+v, want %q (%v)", end, want, err)
			}
		})
	}
}

// TestRecoverEndsWhatIsAlive: what a dead run has left is ended before anything is
// recorded.
func TestRecoverEndsWhatIsAlive(t *testing.T) {
	w := newWreck(t)
	stray := exec.Command("sleep", "3600")
	stray.Env = append(os.Environ(), proc.TokenVar+"="+w.token)
	if err := stray.Start(); err != nil {
		t.Fatal(err)
	}
	gone := make(chan error, 1)
	go func() { gone <- stray.Wait() }()
	t.Cleanup(func() { _ = stray.Process.Kill() })
	if _, err := w.writer.Append("r", time.Now(), journal.RunStarted{Branch: "feature/x", Token: w.token}); err != nil {
		t.Fatal(err)
	}
	w.recover()
	select {
	case err := <-gone:
		if err == nil || err.Error() != "signal: killed" {
			t.Errorf("the stray ended by %v", err)
		}
	case <-time.After(time.Minute):
		t.Error("the stray is alive")
	}
}

// TestCommitsAfterARunDied: they are people's, by the time that they were made.
func TestCommitsAfterARunDied(t *testing.T) {
	died := time.Now().Add(-time.Hour)
	for _, c := range []struct {
		name string
		at   []time.Duration // of each commit, after the run died
		want int             // commits of the agent
	}{
		{"none", nil, 0},
		{"the agent's", []time.Duration{-time.Minute}, 1},
		{"the agent's, then a person's", []time.Duration{-time.Minute, time.Minute, 2 * time.Minute}, 1},
		{"a person's alone", []time.Duration{time.Minute}, 0},
		{"a time that is still to come", []time.Duration{2 * time.Hour}, 1},
		{"a person's below an older one", []time.Duration{time.Minute, -time.Minute}, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			w := newWreck(t)
			head, err := w.repo.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			for _, at := range c.at {
				cmd := exec.Command("git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "--allow-empty", "-m", "x")
				cmd.Dir, cmd.Env = w.repo.Root, append(os.Environ(), fmt.Sprintf("GIT_COMMITTER_DATE=@%d +0000", died.Add(at).Unix()))
				if out, err := cmd.CombinedOutput(); err != nil {
					t.Fatalf("%v: %s", err, out)
				}
			}
			e := journal.IterationEnded{Head: head.Commit}
			now, err := w.repo.Head(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			if e.Commits, _, err = w.repo.Moved(t.Context(), head.Commit, now.Commit); err != nil {
				t.Fatal(err)
			}
			e.Head = now.Commit
			dropLaterCommits(t.Context(), w.repo, &e, head.Commit, died)
			want := head.Commit
			if c.want > 0 && len(e.Commits) > 0 {
				want = e.Commits[len(e.Commits)-1]
			}
			if len(e.Commits) != c.want || e.Head != want {
				t.Errorf("%d commits, head %s, want %d and %s", len(e.Commits), e.Head, c.want, want)
			}
		})
	}
}

// TestStatusOfALostRun: a power cut removed a short run from the journal, but not status.json.
// A status.json that is up to date is left alone: no start reads a long journal for it.
func TestStatusOfALostRun(t *testing.T) {
	for _, lost := range []bool{false, true} {
		w := newWreck(t)
		var events []journal.Event
		for _, body := range []journal.Body{
			journal.RunStarted{Feature: "feature-x", Branch: "feature/x"},
			journal.RunEnded{Status: journal.StatusFailed, Reason: journal.ReasonNoProgress},
		} {
			e, err := w.writer.Append("r1", time.Now(), body)
			if err != nil {
				t.Fatal(err)
			}
			events = append(events, e)
		}
		_ = w.writer.Close()
		if later := time.Now().Add(time.Second); lost {
			events = append(events, journal.Event{Time: later, Run: "r2", Body: journal.RunStarted{Feature: "feature-x"}},
				journal.Event{Time: later, Run: "r2", Body: journal.RunEnded{Status: journal.StatusStopped}})
		}
		text, err := run.Fold(events).Status().JSON(nil)
		if err == nil {
			err = os.WriteFile(w.path("status.json"), text, 0o644)
		}
		before, _ := os.Stat(w.path("status.json"))
		if err == nil {
			_, err = RecoverFirst(t.Context(), Silent(), PlaceAt(w.repo, "feature-x"))
		}
		if err != nil {
			t.Fatal(err)
		}
		after, err := os.Stat(w.path("status.json"))
		if err != nil || os.SameFile(before, after) == lost {
			t.Errorf("status.json was replaced: %v, a run was lost: %v, %v", !os.SameFile(before, after), lost, err)
		}
		data, err := os.ReadFile(w.path("status.json"))
		if err != nil || !strings.Contains(string(data), `"status": "failed"`) {
			t.Errorf("status.json after a start: %s, %v", data, err)
		}
	}
}
