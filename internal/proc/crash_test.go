package proc

import (
	"bufio"
	"crypto/rand"
	"errors"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"
	"time"
)

// victim is a process that plays ralph and can be killed or stopped.
type victim struct {
	cmd      *exec.Cmd
	stdin    io.Closer
	out      *bufio.Reader // of the animal
	token    string
	fifo     string // where the guardian writes when it is orphaned
	guardian ID
}

func startVictim(t *testing.T, steps ...string) *victim {
	t.Helper()
	v := &victim{token: rand.Text(), fifo: filepath.Join(t.TempDir(), "fifo")}
	if err := syscall.Mkfifo(v.fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	v.out = bufio.NewReader(r)
	v.cmd = exec.Command(os.Args[0], append([]string{"__ralph", v.fifo}, steps...)...)
	v.cmd.Env = append(os.Environ(), "TEST_TOKEN="+v.token)
	v.cmd.ExtraFiles = []*os.File{w}
	v.cmd.Stderr = os.Stderr
	v.stdin, err = v.cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	stdout, err := v.cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := v.cmd.Start(); err != nil {
		t.Fatal(err)
	}
	w.Close()
	t.Cleanup(func() {
		r.Close()
		_ = v.cmd.Process.Kill()
		_ = v.cmd.Wait()
		if _, err := EndByToken(v.token); err != nil {
			t.Error(err)
		}
	})
	v.guardian = announced(t, bufio.NewReader(stdout), 1)[0]
	return v
}

// eof waits until no process holds the animal's output any more.
func (v *victim) eof(t *testing.T) {
	t.Helper()
	await(t, "end of file", func() error {
		_, err := io.Copy(io.Discard, v.out)
		return err
	})
}

func TestRalphKilled(t *testing.T) {
	v := startVictim(t, "ignore", "group", "session", "double", "announce", "sleep")
	ids := announced(t, v.out, 4)
	begin := time.Now()
	if err := v.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	v.eof(t)
	t.Logf("everything dead %v after the kill", time.Since(begin))
	wrote := await(t, "the guardian's callback", func() string {
		b, _ := os.ReadFile(v.fifo)
		return string(b)
	})
	if wrote != "orphaned" {
		t.Errorf("the callback wrote %q", wrote)
	}
	for _, id := range ids {
		if id.Alive() {
			t.Errorf("process %+v is alive after the callback", id)
		}
	}
	left, err := holders(v.token, []ID{v.guardian})
	if err != nil || len(left) > 0 {
		t.Errorf("alive: %+v, error %v", left, err)
	}
}

// Ctrl-Z stops ralph, not the guardian's work; ralph continues later.
func TestRalphStopped(t *testing.T) {
	v := startVictim(t, "session", "announce", "stdin")
	ids := announced(t, v.out, 2)
	if err := v.cmd.Process.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	v.stdin.Close() // the leader exits
	v.eof(t)
	awaitDead(t, ids)
	if err := v.cmd.Process.Signal(syscall.SIGCONT); err != nil {
		t.Fatal(err)
	}
	if err := await(t, "ralph's exit", v.cmd.Wait); err != nil {
		t.Errorf("ralph after the stop: %v", err)
	}
	if v.guardian.Alive() {
		t.Error("the guardian is alive after Close")
	}
}

// Every request of ralph wakes a stopped guardian.
func TestGuardianStopped(t *testing.T) {
	z := openZoo(t)
	stop := func() {
		t.Helper()
		if err := z.ID().Signal(syscall.SIGSTOP); err != nil {
			t.Fatal(err)
		}
	}
	stop()
	p, ids := z.run(2, "session", "announce", "sleep")
	stop()
	swept, err := p.End(gentle, patience)
	if err != nil || swept.Strays != 1 {
		t.Errorf("End: %+v, %v", swept, err) // without the guardian it would be ErrLost
	}
	z.nothingLeft(ids)
	stop()
	if err := z.Close(); err != nil {
		t.Errorf("Close: %v", err)
	}
}

// A stopped guardian still reports that the leader has exited, without a request from ralph.
func TestGuardianStoppedAtWork(t *testing.T) {
	z := openZoo(t)
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	p, err := z.Start(Command{Argv: animal("stdin"), Stdin: r, Stdout: z.w})
	if err != nil {
		t.Fatal(err)
	}
	if err := z.ID().Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	w.Close() // the leader exits
	awaitClosed(t, "the news of the leader's exit", p.Exited())
}

func TestGuardianKilled(t *testing.T) {
	z := openZoo(t)
	p, ids := z.run(3, "ignore", "group", "session", "announce", "sleep")
	if err := z.ID().Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	awaitClosed(t, "Lost", z.Lost())
	awaitClosed(t, "Exited", p.Exited())
	if p.Exit() != unknownExit {
		t.Errorf("exit %v, want %v", p.Exit(), unknownExit)
	}
	if _, err := z.Start(Command{Argv: []string{"true"}}); !errors.Is(err, ErrLost) {
		t.Errorf("Start: %v, want %v", err, ErrLost)
	}
	swept, err := p.End(gentle, patience)
	if !errors.Is(err, ErrLost) || swept.Strays < 2 {
		t.Errorf("End: %+v, %v, want at least 2 and %v", swept, err, ErrLost)
	}
	z.nothingLeft(ids)
	if err := z.Close(); !errors.Is(err, ErrLost) {
		t.Errorf("Close: %v, want %v", err, ErrLost)
	}
}

// End returns when the guardian dies before it could answer.
func TestGuardianKilledDuringEnd(t *testing.T) {
	z := openZoo(t)
	p, ids := z.run(2, "session", "record")
	ended := make(chan error, 1)
	go func() {
		_, err := p.End(gentle, time.Hour)
		ended <- err
	}()
	line := await(t, "the first gentle signal", func() string {
		line, _ := z.out.ReadString('\n')
		return line
	})
	if line != "interrupt\n" {
		t.Errorf("the agent received %q", line)
	}
	if err := z.ID().Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	if err := await(t, "End", func() error { return <-ended }); !errors.Is(err, ErrLost) {
		t.Errorf("End: %v, want %v", err, ErrLost)
	}
	z.nothingLeft(ids)
}

// The next ralph finds what was left when both had died.
func TestEndByToken(t *testing.T) {
	v := startVictim(t, "ignore", "group", "session", "double", "announce", "sleep")
	ids := announced(t, v.out, 4)
	if err := v.guardian.Signal(syscall.SIGSTOP); err != nil { // dead to the world
		t.Fatal(err)
	}
	if err := v.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := v.cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	n, err := EndByToken(v.token, v.guardian)
	if err != nil || n != len(ids) {
		t.Errorf("ended %d, error %v, want %d", n, err, len(ids))
	}
	v.eof(t)
	if !v.guardian.Alive() {
		t.Error("the spared process is dead")
	}
	if n, err := EndByToken(v.token); err != nil || n != 1 {
		t.Errorf("ended %d, error %v, want the guardian", n, err)
	}
	if n, err := EndByToken(v.token); err != nil || n != 0 {
		t.Errorf("ended %d more, error %v", n, err)
	}
	if _, err := EndByToken(""); err == nil {
		t.Error("an empty token: no error")
	}
}

// EndByToken ends a chain of processes in which each forks the next one and exits, although each
// lives for less time than one scan of the process table. Links in their own sessions share only
// the token and the mark.
func TestEndByTokenComet(t *testing.T) {
	for _, comet := range []string{"comet", "solitary comet"} {
		t.Run(comet, func(t *testing.T) {
			if _, err := exec.LookPath("setsid"); err != nil && comet != "comet" {
				t.Skip("macOS has no setsid command")
			}
			for range 5 {
				v := startVictim(t, comet, comet, "announce", "sleep")
				announced(t, v.out, 1)
				v.killBoth(t)
				if _, err := EndByToken(v.token); err != nil {
					t.Fatal(err)
				}
				v.eof(t) // the chain holds the output, link by link
			}
		})
	}
}

// killBoth kills ralph and its guardian, which has no time to clean up.
func (v *victim) killBoth(t *testing.T) {
	t.Helper()
	if err := v.guardian.Signal(syscall.SIGSTOP); err != nil {
		t.Fatal(err)
	}
	if err := v.cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	if _, err := v.cmd.Process.Wait(); err != nil {
		t.Fatal(err)
	}
	if err := v.guardian.Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
}

// On Linux the kernel itself ends the leader of a guardian that is gone.
func TestLeaderDiesWithGuardian(t *testing.T) {
	if runtime.GOOS != "linux" {
		t.Skip("only Linux has a parent-death signal")
	}
	z := openZoo(t)
	_, ids := z.run(1, "ignore", "announce", "sleep")
	if err := z.ID().Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	z.rest()
	awaitDead(t, ids)
}
