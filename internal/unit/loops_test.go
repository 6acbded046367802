package unit

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/registry"
)

// TestLoopsCorrectsTheDead: the system knows better than the journal.
func TestLoopsCorrectsTheDead(t *testing.T) {
	self, err := proc.Self()
	if err != nil {
		t.Fatal(err)
	}
	home := t.TempDir()
	line := func(body journal.Body) string {
		data, err := json.Marshal(journal.Event{Time: time.Now(), Run: "20260102-030405", Body: body})
		if err != nil {
			t.Fatal(err)
		}
		return string(data) + "\n"
	}
	run := journal.RunStarted{Schema: journal.SchemaVersion, Plan: "prd", MaxIterations: 20, PID: self.PID, PIDStart: self.Start, Host: "here"}
	reused, elsewhere := run, run
	reused.PIDStart = "another boot/1"
	elsewhere.PID, elsewhere.PIDStart, elsewhere.Host = 1<<22+1, "another boot/1", "there"
	third := line(journal.IterationStarted{N: 3})
	for unit, text := range map[string]string{
		"alive":     line(run) + third,
		"reused":    line(reused) + third,
		"elsewhere": line(elsewhere) + third,
		"torn":      line(reused) + third + third[:len(third)/2],
		"waiting":   line(run) + third + line(journal.WaitStarted{Reason: "paused"}),
		"ended":     line(run) + third + line(journal.RunEnded{Status: "completed", Reason: "stories_complete"}),
		"empty":     "",
		"no-folder": line(run) + third + line(journal.RunEnded{Status: "completed", Reason: "stories_complete"}),
		"gone":      "",
	} {
		tree := filepath.Join(home, "src", unit)
		e := registry.Entry{Unit: unit, Plan: "prd", Worktree: tree, StateDir: filepath.Join(home, "git", unit)}
		if err := errors.Join(os.MkdirAll(tree, 0o755), os.MkdirAll(e.StateDir, 0o755), registry.Register(home, e),
			os.WriteFile(journal.Path(e.StateDir), []byte(text), 0o600)); err != nil {
			t.Fatal(err)
		}
		switch unit {
		case "no-folder":
			err = os.Remove(tree)
		case "gone":
			err = os.RemoveAll(e.StateDir)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	list, err := Loops(home, Silent())
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]string{}
	for _, l := range list {
		got[l.Unit] = fmt.Sprintf("%s alive=%v dead=%v %d/%d", l.Status, l.Alive, l.Run.Reason == journal.ReasonCrashed, l.Iteration, l.MaxIterations)
	}
	crashed := "failed alive=false dead=true 3/20"
	if diff := cmp.Diff(map[string]string{
		"alive": "running alive=true dead=false 3/20", "waiting": "paused alive=true dead=false 3/20",
		"reused": crashed, "elsewhere": crashed, "torn": crashed, "ended": "completed alive=false dead=false 3/20",
	}, got); diff != "" {
		t.Errorf("(-want +got):\n%s", diff)
	}
}

// BenchmarkLoops1000 lists a thousand units, each with a journal of a run of
// twenty iterations. cpu-ms/op is of all threads, the collector's too.
func BenchmarkLoops1000(b *testing.B) {
	home := b.TempDir()
	var data []byte
	for i := range 1000 {
		tree := filepath.Join(home, "src", fmt.Sprint(i))
		e := registry.Entry{Unit: fmt.Sprintf("feature-%d", i), Plan: "prd", Worktree: tree, Branch: "feature", StateDir: filepath.Join(tree, "state"), Folder: ".ralph/x", Updated: time.Now()}
		if err := os.MkdirAll(e.StateDir, 0o700); err != nil {
			b.Fatal(err)
		}
		if err := registry.Register(home, e); err != nil {
			b.Fatal(err)
		}
		if data == nil {
			writeRun(b, journal.Path(e.StateDir))
			data, _ = os.ReadFile(journal.Path(e.StateDir))
		} else if err := os.WriteFile(journal.Path(e.StateDir), data, 0o600); err != nil {
			b.Fatal(err)
		}
	}
	before := cpuTime(b)
	for b.Loop() {
		if list, err := Loops(home, Silent()); err != nil || len(list) != 1000 || list[0].Iteration != 20 {
			b.Fatal(len(list), err)
		}
	}
	b.ReportMetric(float64(cpuTime(b)-before)/float64(b.N)/float64(time.Millisecond), "cpu-ms/op")
}

// writeRun makes a journal of about 25 KB.
func writeRun(b *testing.B, path string) {
	w, err := journal.OpenWriter(path)
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	write := func(body journal.Body) {
		if _, err := w.Append("20260102-030405", time.Now(), body); err != nil {
			b.Fatal(err)
		}
	}
	write(journal.RunStarted{Schema: journal.SchemaVersion, Plan: "prd", MaxIterations: 20, Task: strings.Repeat("what to do ", 20)})
	for n := range 20 {
		write(journal.IterationStarted{N: n + 1})
		write(journal.AttemptStarted{N: n + 1, Harness: "replay"})
		write(journal.Warning{Message: strings.Repeat("a line that says something ", 20)})
		write(journal.AttemptEnded{N: n + 1})
		write(journal.IterationEnded{N: n + 1})
	}
	write(journal.RunEnded{Status: "failed", Reason: "max_iterations", Message: "out of iterations"})
}

func cpuTime(b *testing.B) time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		b.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
