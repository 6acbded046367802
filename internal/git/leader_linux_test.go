package git

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"

	"golang.org/x/sys/unix"
)

// TestMain lets the test binary be a ralph that waits for git: __wait FOLDER.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "__wait" {
		_, _ = call{dir: os.Args[2]}.run(context.Background(), "hash-object", "fifo")
		os.Exit(1)
	}
	os.Exit(m.Run())
}

// Git does not outlive a ralph that was killed.
func TestGitEndsWithRalph(t *testing.T) {
	repo := newRepo(t)
	fifo := filepath.Join(repo.Root, "fifo")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	ralph := exec.Command(os.Args[0], "__wait", repo.Root)
	if err := ralph.Start(); err != nil {
		t.Fatal(err)
	}
	held, err := os.OpenFile(fifo, os.O_WRONLY, 0) // git has opened the other end by then
	if err != nil {
		t.Fatal(err)
	}
	defer held.Close()
	var children []string
	tasks, _ := filepath.Glob("/proc/" + strconv.Itoa(ralph.Process.Pid) + "/task/*/children")
	for _, file := range tasks {
		children = append(children, strings.Fields(read(t, file))...)
	}
	if len(children) != 1 {
		t.Fatalf("ralph has the children %q", children)
	}
	pid, _ := strconv.Atoi(children[0])
	fd, err := unix.PidfdOpen(pid, 0)
	if err != nil {
		t.Skipf("a process that is no child cannot be waited for here: %v", err)
	}
	defer unix.Close(fd)
	_ = ralph.Process.Kill()
	_ = ralph.Wait()
	ended := []unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}
	n, err := unix.Poll(ended, 10_000)
	for err == unix.EINTR { // Go's scheduler signals its own threads, and poll is never restarted
		n, err = unix.Poll(ended, 10_000)
	}
	if n != 1 || err != nil {
		t.Errorf("git %d is alive after ralph was killed (%v)", pid, err)
		_ = syscall.Kill(pid, syscall.SIGKILL)
	}
}
