package proc

import (
	"fmt"
	"os/exec"
	"testing"
	"time"
)

// What outlives SIGKILL is reported when the limit is over, not waited for.
func TestTreeGivesUp(t *testing.T) {
	c := exec.Command("sleep", "3600")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	e, err := readEntry(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	tr := &tree{exited: true, strays: map[ID]string{e.id: e.name}} // it was killed before
	tr.kill(now.Add(-2 * killLimit))
	if due := tr.advance(now, false); !due.IsZero() || tr.phase != finished {
		t.Fatalf("phase %v, due %v, want the end", tr.phase, due)
	}
	want := fmt.Sprintf("1 process is alive 5s after SIGKILL, as another user's or held up in the kernel: sleep (pid %d); end what is left by hand: sudo kill -9 %[1]d", e.id.PID)
	if err := survivors(tr.survivors); err.Error() != want {
		t.Errorf("%q, want %q", err, want)
	}
}

// A process that was forked at the last moment is not a survivor: otherwise a chain, in which
// each process forks the next one and exits, would get away at the limit.
func TestTreeKillsTheYoungest(t *testing.T) {
	c := exec.Command("sleep", "3600")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	defer func() {
		_ = c.Process.Kill()
		_ = c.Wait()
	}()
	now := time.Now()
	tr := &tree{exited: true, strays: map[ID]string{}}
	tr.kill(now.Add(-2 * killLimit))
	if due := tr.advance(now, false); due.IsZero() || tr.phase != killing {
		t.Errorf("phase %v, due %v, want another round", tr.phase, due)
	}
	if err := await(t, "the child's end", c.Wait); err == nil || err.Error() != "signal: killed" {
		t.Errorf("the child ended by %v", err)
	}
}

// The gentle signals are spread over the grace, and a shorter grace wins.
func TestTreeTimes(t *testing.T) {
	start := time.Unix(0, 0)
	tr := &tree{leader: ID{PID: 1 << 30}, strays: map[ID]string{}} // no such group
	if due := tr.advance(start, false); !due.IsZero() {
		t.Errorf("a tree at work is due at %v", due)
	}
	tr.end(start, gentle, 4*time.Second)
	for _, step := range []struct{ at, due time.Duration }{
		{0, 2 * time.Second}, {time.Second, 2 * time.Second}, {2 * time.Second, 4 * time.Second}, {3 * time.Second, 4 * time.Second},
	} {
		if due := tr.advance(start.Add(step.at), false); due.Sub(start) != step.due {
			t.Errorf("at %v the next step is due at %v, want %v", step.at, due.Sub(start), step.due)
		}
	}
	start = start.Add(time.Second)
	tr.end(start, gentle, time.Second)
	if due := tr.advance(start, false); due.Sub(start) != time.Second {
		t.Errorf("after a shorter request due after %v, want 1s", due.Sub(start))
	}
	tr.exited = true
	if due := tr.advance(start, false); due.Sub(start) != settle {
		t.Errorf("after the leader's exit due after %v, want %v", due.Sub(start), settle)
	}
	if tr.advance(start, true); tr.phase != finished {
		t.Errorf("without children the phase is %v", tr.phase)
	}
}
