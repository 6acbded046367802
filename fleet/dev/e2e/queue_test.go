package e2e

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
)

// started are the units in the order of their first calls.
func (l *lab) begun() (units []string) {
	for _, line := range l.calls() {
		if _, unit, _ := strings.Cut(line, " "); unit != "" && !slices.Contains(units, unit) {
			units = append(units, unit)
		}
	}
	return units
}

func TestPriorities(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"first": script(atGate), "late": script(), "middle": script(), "urgent": script()})
	l.worker("a", "1")
	l.submit(bare, "first")
	l.until("it is at work", func() bool { return len(l.calls()) == 1 })
	for _, args := range [][]string{{"late", "--priority", "5"}, {"middle"}, {"urgent", "--priority", "1"}} {
		l.submit(append([]string{bare}, args...)...)
		l.until("it is queued", func() bool { f := l.status(args[0]); return f.State == "queued" && f.Standing.Turn == 1 })
	}
	l.open("gate")
	l.until("all are done", func() bool { return l.status("late").State == "done" })
	if want := []string{"first", "urgent", "middle", "late"}; !slices.Equal(l.begun(), want) {
		t.Errorf("they began as %q, want %q", l.begun(), want)
	}
}

// What needs a label waits for a worker that has it, and says so.
func TestLabels(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"feature/x": script(), "feature/y": script(atGate)})
	if out := l.submit(bare, "feature/y"); !strings.Contains(out, "no worker is there") {
		t.Errorf("submit says %q", out)
	}
	if out := l.fleet("list"); !strings.Contains(out, "queued") || !strings.Contains(out, "no worker is there") {
		t.Errorf("list says\n%s", out)
	}
	l.worker("a", "1", "--labels=disk")
	l.until("the one without needs is at work", func() bool { return len(l.calls()) == 1 })
	if out := l.submit(bare, "feature/x", "--needs", "gpu"); !strings.Contains(out, "no worker with the label gpu") {
		t.Errorf("submit says %q", out)
	}
	l.open("gate")
	l.until("the one without needs is done", func() bool { return l.status("feature/y").State == "done" })
	if out := l.fleet("status", "feature/x"); !strings.Contains(out, "queued") || !strings.Contains(out, "no worker with the label gpu") {
		t.Errorf("status says\n%s", out)
	}
	l.worker("b", "1", "--labels=cpu,gpu")
	l.until("it is done", func() bool { return l.status("feature/x").State == "done" })
	if f := l.status("feature/x"); f.Standing.Last.Host != "b" {
		t.Errorf("%s did what needs gpu", f.Standing.Last.Host)
	}
}

// A host's disk is full in the middle of one feature, and before another: it reports the first,
// which continues on a host with room, and does not take the second.
func TestFullDisk(t *testing.T) {
	l := newLab(t)
	small := filepath.Join(l.dir, "ws-a")
	if err := os.Mkdir(small, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := mount(small); err != nil {
		t.Skipf("no small disk can be made here: %v", err)
	}
	t.Cleanup(func() { unmount(small) })
	bare := l.remote(map[string]string{"feature/x": script("", "      - run: [sh, -c, 'head -c 3000000 /dev/urandom > big.bin']\n        fail_ok: true\n")})
	a := l.worker("a", "1", "--min-free=0")
	l.submit(bare, "feature/x")
	l.until("a person is told", func() bool {
		out := l.fleet("list")
		return strings.Contains(out, "waiting") && strings.Contains(out, "the disk is full")
	})
	a.end(syscall.SIGTERM)
	a = l.worker("a", "1", "--min-free=5")
	l.until("the host says that it has no room", func() bool {
		log, _ := os.ReadFile(filepath.Join(l.dir, "a.log"))
		return strings.Contains(string(log), "and takes no feature with less than 5")
	})
	l.worker("b", "1")
	l.until("it is done", func() bool { return l.status("feature/x").State == "done" })
	l.wantDone(bare, "feature/x")
	if f := l.status("feature/x"); f.Standing.Last.Host != "b" {
		t.Errorf("%s did it", f.Standing.Last.Host)
	}
	a.end(syscall.SIGTERM) // it leaves the disk
}
