package e2e

import (
	"fmt"
	"io"
	"net"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// wire passes connections on to an address, until it is cut: then nothing comes through any more,
// and neither end learns of it.
type wire struct {
	listener net.Listener
	to       string

	mu    sync.Mutex
	cut   bool
	conns map[net.Conn]bool
}

func newWire(t *testing.T, to string) *wire {
	t.Helper()
	return newWireAt(t, "127.0.0.1", to)
}

func newWireAt(t *testing.T, ip, to string) *wire {
	t.Helper()
	listener, err := net.Listen("tcp", net.JoinHostPort(ip, "0"))
	if err != nil {
		t.Fatal(err)
	}
	w := &wire{listener: listener, to: to, conns: map[net.Conn]bool{}}
	t.Cleanup(func() { listener.Close(); w.set(true) })
	go w.accept()
	return w
}

func (w *wire) address() string { return w.listener.Addr().String() }

func (w *wire) accept() {
	for {
		in, err := w.listener.Accept()
		if err != nil {
			return
		}
		go w.pass(in)
	}
}

func (w *wire) pass(in net.Conn) {
	defer in.Close()
	if !w.keep(in) {
		return
	}
	out, err := net.Dial("tcp", w.to)
	if err != nil {
		return
	}
	defer out.Close()
	if !w.keep(out) {
		return
	}
	done := make(chan struct{}, 2)
	for _, way := range [][2]net.Conn{{in, out}, {out, in}} {
		go func() { _, _ = io.Copy(way[0], way[1]); way[0].Close(); done <- struct{}{} }()
	}
	<-done
}

func (w *wire) keep(c net.Conn) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.conns[c] = true
	return !w.cut
}

// set cuts the wire, or repairs it.
func (w *wire) set(cut bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.cut = cut
	if cut {
		for c := range w.conns {
			c.Close()
		}
		clear(w.conns)
	}
}

// gitDaemon serves the lab's repositories, for reading and writing; the returned
// function ends it.
func (l *lab) gitDaemon(listen string) (stop func()) {
	l.t.Helper()
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		l.t.Fatal(err)
	}
	// The daemon without the command around it, which would leave it after when it is killed.
	path := strings.TrimSpace(l.git(l.dir, "--exec-path"))
	cmd := exec.Command(filepath.Join(path, "git-daemon"), "--listen="+host, "--port="+port, "--reuseaddr", "--export-all", "--enable=receive-pack",
		"--base-path="+filepath.Join(l.dir, "git"), "--init-timeout=5", "--timeout=10")
	for _, e := range l.env {
		if !strings.HasPrefix(e, "LAB=") { // it is not a variable of the fleet
			cmd.Env = append(cmd.Env, e)
		}
	}
	if err := cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	l.until("git daemon listens", func() bool {
		c, err := net.Dial("tcp", listen)
		if err == nil {
			c.Close()
		}
		return err == nil
	})
	var once sync.Once
	stop = func() { once.Do(func() { _ = cmd.Process.Kill(); _ = cmd.Wait() }) }
	l.t.Cleanup(stop)
	return stop
}

// apart has workers see no processes but their own, as on hosts of their own: a loop
// that continues with a run ends what it finds alive of it.
func (l *lab) apart() {
	l.t.Helper()
	l.alone = []string{"unshare", "--pid", "--fork", "--mount-proc", "--kill-child=TERM"}
	if err := exec.Command(l.alone[0], append(l.alone[1:], "true")...).Run(); err != nil {
		l.t.Skipf("no process namespaces here: %v", err)
	}
}

// A host is cut off from server and remote while it works. Another one takes over and
// finishes. When the first is back, its push is refused; what it did is kept.
func TestCutOffHost(t *testing.T) {
	l := newLab(t)
	l.apart()
	daemon := freeAddress(t)
	toServer, toGit := newWire(t, l.listen), newWire(t, daemon)
	l.cutOff(daemon, toServer, toGit, func(cut bool) { toServer.set(cut); toGit.set(cut) })
}

// The same in a separate network with its cable pulled: connections stay open, neither end learns
// of it, and what was on its way comes later.
func TestHostWhoseCableIsPulled(t *testing.T) {
	l := newLab(t)
	l.apart()
	ours, pull := l.network()
	daemon := freeAddress(t)
	l.cutOff(daemon, newWireAt(t, ours, l.listen), newWireAt(t, ours, daemon), pull)
}

// cutOff is the story of both: cut cuts the ways of the first host to the server and to
// git, or repairs them.
func (l *lab) cutOff(daemon string, toServer, toGit *wire, cut func(bool)) {
	l.t.Helper()
	bare := l.remote(map[string]string{"feature/x": script("", `      - run: [sh, -c, 'until [ -e "$GATE" ]; do sleep 0.05; done']
      - write: {path: by.txt, content: "somebody\n"}
`)})
	l.gitDaemon(daemon)
	url := "git://" + daemon + "/shop.git"
	gateA := filepath.Join(l.dir, "gate-a")
	l.write("gitconfig-a", fmt.Sprintf("[include]\n\tpath = gitconfig\n[url \"git://%s/\"]\n\tinsteadOf = git://%s/\n", toGit.address(), daemon))
	l.worker("a", "1", "TEMPORAL_ADDRESS="+toServer.address(), "GATE="+gateA, "GIT_CONFIG_GLOBAL="+filepath.Join(l.dir, "gitconfig-a"))
	l.submit(url, "feature/x")
	l.until("the second call is made", func() bool { return len(l.calls()) == 2 })
	l.until("the first iteration is on the remote", func() bool {
		return strings.Contains(l.git(bare, "log", "--format=%s", "feature/x"), "feat: part 1")
	})
	cut(true)
	l.apart()
	l.worker("b", "1")
	l.until("another host has it", func() bool { return len(l.calls()) == 3 })
	l.open("gate-a") // the host that is cut off continues, and cannot report
	l.until("it committed", func() bool {
		out, err := exec.Command("git", "-C", l.tree("a"), "log", "--format=%s").Output()
		return err == nil && strings.Contains(string(out), "feat: part 2")
	})
	late := l.git(l.tree("a"), "rev-parse", "HEAD")
	cut(false)
	l.until("the late work is kept", func() bool { return l.git(bare, "for-each-ref", "refs/ralph/kept/") != "" })
	if l.git(bare, "for-each-ref", "--contains", late, "refs/ralph/kept/") == "" {
		l.t.Error("what is kept is not the late commit")
	}
	if on := l.git(bare, "for-each-ref", "--contains", late, "refs/heads/", "refs/ralph/fleet/"); on != "" {
		l.t.Errorf("the late commit is in %s", on)
	}
	l.open("gate")
	l.until("it is done", func() bool { return l.status("feature/x").State == "done" })
	l.wantDone(bare, "feature/x")
	if f := l.status("feature/x"); f.Standing.Last.Host != "b" || f.Standing.Lost != 1 {
		l.t.Errorf("%+v", f)
	}
	// Each call was made by someone, also that of the host that was cut off; it made no
	// further one.
	if total, _ := l.ledger(); total != len(l.calls()) || total != 4 {
		l.t.Errorf("the ledger has %d calls, the agents made %d, want 4", total, len(l.calls()))
	}
}

// tree is the one worktree of a worker.
func (l *lab) tree(worker string) string {
	l.t.Helper()
	dirs, _ := filepath.Glob(filepath.Join(l.dir, "ws-"+worker, "trees", "*", "*"))
	if len(dirs) != 1 {
		return filepath.Join(l.dir, fmt.Sprintf("none-of-%d", len(dirs)))
	}
	return dirs[0]
}

func TestRemoteIsDownForAWhile(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"feature/x": script("", atGate)})
	daemon := freeAddress(t)
	stop := l.gitDaemon(daemon)
	l.worker("a", "1")
	l.submit("git://"+daemon+"/shop.git", "feature/x")
	l.until("the second call is made", func() bool { return len(l.calls()) == 2 })
	stop()
	l.open("gate")
	l.until("a person is told", func() bool { return strings.Contains(l.fleet("list"), "the remote cannot be reached") })
	l.gitDaemon(daemon)
	l.until("it is done", func() bool { return l.status("feature/x").State == "done" })
	l.wantDone(bare, "feature/x")
	if total, _ := l.ledger(); total != len(l.calls()) || total != 3 {
		t.Errorf("the ledger has %d calls, the agents made %d, want 3", total, len(l.calls()))
	}
}

func TestServerIsRestarted(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"feature/x": script("", atGate)})
	l.worker("a", "1")
	l.submit(bare, "feature/x", "--silence", "1m")
	l.until("the second call is made", func() bool { return len(l.calls()) == 2 })
	l.stopServer()
	l.open("gate")
	l.until("the agent has finished the story meanwhile", func() bool {
		return strings.Contains(l.git(bare, "log", "--format=%s", "feature/x"), "feat: part 2")
	})
	l.startServer()
	l.until("it is done", func() bool { return l.status("feature/x").State == "done" })
	l.wantDone(bare, "feature/x")
	if total, _ := l.ledger(); total != len(l.calls()) || total != 3 {
		t.Errorf("the ledger has %d calls, the agents made %d, want 3", total, len(l.calls()))
	}
}
