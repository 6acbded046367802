package proc

import (
	"errors"
	"io/fs"
	"os"
	"os/exec"
	"syscall"
	"testing"
)

// bubblewrap is the beginning of a call that runs a command in a room. The test is
// skipped where there are no rooms.
func bubblewrap(t *testing.T) []string {
	t.Helper()
	program, err := exec.LookPath("bwrap")
	if err != nil {
		t.Skip("bubblewrap is not installed")
	}
	argv := []string{program, "--unshare-user", "--unshare-pid", "--die-with-parent", "--new-session", "--unsetenv", TokenVar,
		"--bind", "/", "/", "--dev", "/dev", "--proc", "/proc", "--"}
	if out, err := exec.Command(argv[0], append(argv[1:], "true")...).CombinedOutput(); err != nil {
		t.Skipf("bubblewrap makes no room here: %s", out)
	}
	return argv
}

// The signals of End reach the command in a room, and End returns the command's exit status.
func TestRoomEndsGently(t *testing.T) {
	room := bubblewrap(t)
	z := openZoo(t)
	p, err := z.Start(Command{Room: room, Stdout: z.w,
		Argv: []string{"/bin/sh", "-c", `trap 'echo got it; exit 3' INT; echo up; sleep 3600 & wait`}})
	if err != nil {
		t.Fatal(err)
	}
	if line := await(t, "its start", func() string { s, _ := z.out.ReadString('\n'); return s }); line != "up\n" {
		t.Fatalf("it printed %q first", line)
	}
	if _, err := p.End(gentle, patience); err != nil {
		t.Fatal(err)
	}
	awaitClosed(t, "its exit", p.Exited())
	if want := (Exit{Code: 3}); p.Exit() != want {
		t.Errorf("it ended by %v, want %v", p.Exit(), want)
	}
	if rest := z.rest(); rest != "got it\n" {
		t.Errorf("it printed %q, want the signal", rest)
	}
}

// What a command leaves in its room ends with it, in whatever session it is and without
// the token; the processes that hold the room are no strays.
func TestRoomLeavesNothing(t *testing.T) {
	room := bubblewrap(t)
	z := openZoo(t)
	p, err := z.Start(Command{Room: room, Stdout: z.w,
		Argv: []string{"/bin/sh", "-c", `(setsid sleep 3600 &) ; env -i setsid sleep 3600 & kill -9 $$`}})
	if err != nil {
		t.Fatal(err)
	}
	awaitClosed(t, "its exit", p.Exited())
	swept, err := p.End(nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	if want := (Exit{-1, syscall.SIGKILL}); p.Exit() != want {
		t.Errorf("it ended by %v, want %v", p.Exit(), want)
	}
	for _, name := range swept.Names {
		if name == roomProcess {
			t.Errorf("strays %+v name the room itself", swept)
		}
	}
	z.rest() // every process that holds our pipe is gone
	z.nothingLeft(nil)
}

// A room does not outlive its guardian, though nothing in it holds the token.
func TestRoomEndsWithItsGuardian(t *testing.T) {
	room := bubblewrap(t)
	z := openZoo(t)
	p, err := z.Start(Command{Room: room, Stdout: z.w, Argv: []string{"/bin/sh", "-c", `env -i setsid sleep 3600 & echo up; wait`}})
	if err != nil {
		t.Fatal(err)
	}
	await(t, "its start", func() string { s, _ := z.out.ReadString('\n'); return s })
	if err := z.ID().Signal(syscall.SIGKILL); err != nil {
		t.Fatal(err)
	}
	awaitClosed(t, "the loss", z.Lost())
	// A room that is just starting outlives its parent: bwrap drops its capabilities after
	// the command has started, which resets the signal of --die-with-parent for a moment.
	if _, err := p.End(nil, 0); !errors.Is(err, ErrLost) {
		t.Errorf("End: %v, want ErrLost", err)
	}
	z.rest()
}

// A program that cannot be started is an error of the start, as without a room.
func TestRoomOfNothing(t *testing.T) {
	room := bubblewrap(t)
	z := openZoo(t)
	dir := t.TempDir()
	for name, mode := range map[string]fs.FileMode{"plain": 0o600, "text": 0o700} {
		if err := os.WriteFile(dir+"/"+name, []byte("echo hi\n"), mode); err != nil {
			t.Fatal(err)
		}
	}
	const elf = "\x7fELF\x02\x01\x01\x00\x00\x00\x00\x00\x00\x00\x00\x00\x02\x00" // 64 bits, an executable
	for name, text := range map[string]string{"windows": "#!/bin/sh\r\necho hi\r\n", "foreign": elf + "\xfe\xfe\x01\x00"} {
		if err := os.WriteFile(dir+"/"+name, []byte(text), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	for path, want := range map[string]error{
		"/nonexistent/agent": fs.ErrNotExist, dir + "/plain": fs.ErrPermission,
		dir + "/text": syscall.ENOEXEC, dir + "/windows": fs.ErrNotExist, dir + "/foreign": syscall.ENOEXEC,
	} {
		if _, err := z.Start(Command{Room: room, Argv: []string{path}}); !errors.Is(err, want) {
			t.Errorf("start of %s: %v, want %v", path, err, want)
		}
	}
}
