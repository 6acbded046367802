package e2e

import (
	"os"
	"path/filepath"
	"testing"
)

// A pause that comes before the loop hears anything is not lost.
func TestPauseBeforeTheLoopHasBegun(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"feature/x": script()})
	l.write("slow-ralph", "#!/bin/sh\nif [ \"$1\" = run ]; then : > \"$LAB/begun\"; until [ -e \"$GATE\" ]; do sleep 0.05; done; fi\nexec ralph \"$@\"\n")
	if err := os.Chmod(filepath.Join(l.dir, "slow-ralph"), 0o755); err != nil {
		t.Fatal(err)
	}
	l.worker("a", "1", "--ralph="+filepath.Join(l.dir, "slow-ralph"))
	l.submit(bare, "feature/x")
	l.until("ralph is started", func() bool { _, err := os.Stat(filepath.Join(l.dir, "begun")); return err == nil })
	l.fleet("pause", "feature/x")
	l.until("it is paused", func() bool { return l.status("feature/x").State == "paused" })
	if n := len(l.calls()); n != 0 {
		t.Errorf("%d calls, want none", n)
	}
	l.open("gate")
	l.fleet("resume", "feature/x")
	l.until("it is done", func() bool { return l.status("feature/x").State == "done" })
	l.wantDone(bare, "feature/x")
}
