package proc

import (
	"errors"
	"os"
	"os/exec"
	"slices"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/sys/unix"
)

func TestParseStat(t *testing.T) {
	const rest = " 10 20 30 0 -1 4194304 0 0 0 0 0 0 0 0 20 0 "
	tests := []struct {
		name, line string
		want       entry
	}{
		{"plain", "7 (sh) S" + rest + "1 0 4711 0 0", entry{ID{7, "boot/4711"}, 10, 20, "sh", false, false}},
		{"hostile name", "7 (a) R 1 2 (b) S" + rest + "1 0 4711 0", entry{ID{7, "boot/4711"}, 10, 20, "a) R 1 2 (b", false, false}},
		{"suspended", "7 (sh) T" + rest + "1 0 4711 0 0", entry{ID{7, "boot/4711"}, 10, 20, "sh", false, true}},
		{"held by a debugger", "7 (sh) t" + rest + "1 0 4711 0 0", entry{ID{7, "boot/4711"}, 10, 20, "sh", false, false}},
		{"zombie", "7 (sh) Z" + rest + "1 0 4711 0", entry{ID{7, "boot/4711"}, 10, 20, "sh", true, false}},
		{"zombie main thread among living ones", "7 (sh) Z" + rest + "3 0 4711 0", entry{ID{7, "boot/4711"}, 10, 20, "sh", false, false}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			got, err := parseStat([]byte(tt.line), "boot")
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tt.want, got, cmp.AllowUnexported(entry{})); diff != "" {
				t.Errorf("entry (-want +got):\n%s", diff)
			}
		})
	}
	for _, line := range []string{"", "7", "7 (sh", "7 (sh) S 1 2", "x (sh) S" + rest + "1 0 4711", "7 )sh( S"} {
		if e, err := parseStat([]byte(line), "boot"); err == nil {
			t.Errorf("%q is read as %+v", line, e)
		}
	}
}

func TestIdentity(t *testing.T) {
	c := exec.Command("sleep", "3600")
	if err := c.Start(); err != nil {
		t.Fatal(err)
	}
	e, err := readEntry(c.Process.Pid)
	if err != nil {
		t.Fatal(err)
	}
	other := ID{PID: e.id.PID, Start: "an earlier holder of the number"}
	if other.Alive() || !e.id.Alive() {
		t.Errorf("alive: the earlier holder %v, the present one %v", other.Alive(), e.id.Alive())
	}
	if err := other.Signal(syscall.SIGKILL); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("a signal to the earlier holder: %v", err)
	}
	for _, pid := range []int{0, -1, -e.id.PID} {
		if err := (ID{PID: pid}).Signal(syscall.SIGKILL); !errors.Is(err, os.ErrProcessDone) {
			t.Errorf("a signal to pid %d: %v", pid, err)
		}
	}
	if !e.id.Alive() {
		t.Error("the present holder was hit")
	}
	if err := e.id.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	var info unix.Siginfo
	for err = unix.EINTR; err == unix.EINTR; {
		err = unix.Waitid(unix.P_PID, e.id.PID, &info, unix.WEXITED|unix.WNOWAIT, nil)
	}
	if err != nil {
		t.Fatal(err)
	}
	if e.id.Alive() {
		t.Error("a zombie counts as alive")
	}
	_ = c.Wait()
	if err := e.id.Signal(syscall.SIGKILL); !errors.Is(err, os.ErrProcessDone) {
		t.Errorf("a signal to the dead: %v", err)
	}
}

func TestSelf(t *testing.T) {
	id, err := Self()
	if err != nil || id.PID != os.Getpid() || !id.Alive() {
		t.Errorf("Self is %+v, alive %v, error %v", id, id.Alive(), err)
	}
}

// Both ways to find the descendants see the same ones.
func TestDescendants(t *testing.T) {
	z := openZoo(t)
	p, ids := z.run(2, "session", "announce", "sleep")
	all, err := table()
	if err != nil {
		t.Fatal(err)
	}
	scan := func(pid int) []int { return all[pid] }
	for name, children := range map[string]func(int) []int{"children files": childrenOf, "scan": scan} {
		var found []ID
		for _, e := range descend(children) {
			found = append(found, e.id)
		}
		for _, id := range append(ids, z.ID()) {
			if !slices.Contains(found, id) {
				t.Errorf("%s: %+v is missing in %+v", name, id, found)
			}
		}
	}
	if _, err := p.End(gentle, patience); err != nil {
		t.Error(err)
	}
}

func TestHasMark(t *testing.T) {
	const head = "Limit                     Soft Limit           Hard Limit           Units     \n"
	tests := []struct {
		limits string
		want   bool
	}{
		{head + "Max realtime priority     0                    0                    \nMax realtime timeout      77                   77                   us        \n", true},
		{head + "Max realtime timeout      5                    77                   us        \n", true},
		{head + "Max realtime timeout      77                   unlimited            us        \n", false},
		{head + "Max realtime timeout      77                   777                  us        \n", false},
		{head + "Max file size             77                   77                   bytes     \n", false},
		{"", false},
	}
	for _, tt := range tests {
		if got := hasMark(tt.limits, 77); got != tt.want {
			t.Errorf("%q: %v", tt.limits, got)
		}
	}
}

// What has no environment left, no group, no session and no guardian is found all
// the same.
func TestForgetfulStray(t *testing.T) {
	z := openZoo(t)
	_, ids := z.run(1, "forgetful", "sleep")
	if holdsToken(ids[0].PID, z.token) {
		t.Fatal("the stray still holds the token")
	}
	if err := z.ID().Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	awaitClosed(t, "Lost", z.Lost())
	if _, err := EndByToken(z.token); err != nil {
		t.Error(err)
	}
	awaitDead(t, ids)
}
