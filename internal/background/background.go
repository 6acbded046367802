// Package background starts the loop in another process, without a terminal, in tmux or in a
// window. It waits until the loop is running. The other process gets its work through package
// handover.
package background

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"github.com/charmbracelet/x/ansi"

	"ralph/internal/handover"
	"ralph/internal/stream"
)

// windowWait is how long a terminal program may take to open a window: some are
// started by the call, with a desktop's worth of libraries.
const windowWait = 30 * time.Second

// start starts argv as a detached process and waits until it has taken over what was sent. The
// process has its own session, so closing a terminal does not end it. Its output goes to log.
// wait bounds the waiting time. After an error, the sender is closed.
func start(ctx context.Context, sent *handover.Sender, argv []string, log *os.File, wait time.Duration) error {
	cmd := detached(argv)
	cmd.Stdout, cmd.Stderr = log, log
	return launch(ctx, cmd, sent, wait)
}

// startInWindow starts a terminal program and waits until ralph in it has taken over what was
// sent. Package window makes argv. The error includes the last line that the program printed.
func startInWindow(ctx context.Context, sent *handover.Sender, argv []string) error {
	said, err := unnamedFile()
	if err != nil {
		sent.Close()
		return err
	}
	defer said.Close()
	cmd := detached(argv)
	cmd.Stderr = said
	err = launch(ctx, cmd, sent, windowWait)
	if words := lastWords(said); err != nil && words != "" {
		err = fmt.Errorf("%w: %s", err, words)
	}
	return err
}

// createLog creates an empty log that only its owner can read, and removes the file that was
// there. An agent may print secrets, and the old file may be a link or readable by everyone.
func createLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	return os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL|os.O_APPEND, 0o600)
}

// detached is a command that has nothing to do with this terminal.
func detached(argv []string) *exec.Cmd {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = handover.WithoutTerminal(os.Environ())
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	return cmd
}

// launch starts the command that is to take over what was sent. A command that
// ends well may have left that to another process, as terminals with a server do.
func launch(ctx context.Context, cmd *exec.Cmd, sent *handover.Sender, wait time.Duration) error {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, fmt.Errorf("nothing happened for %s", wait))
	defer cancel()
	ctx, fail := context.WithCancelCause(ctx)
	defer fail(nil)
	err := cmd.Start()
	if err == nil {
		go func() {
			if err := cmd.Wait(); err != nil {
				fail(err)
			}
		}()
		err = sent.Taken(ctx)
	}
	if err == nil {
		return nil
	}
	sent.Close()
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	return err
}

// unnamedFile is a file that a program may write to for as long as it lives, and
// that is gone then.
func unnamedFile() (*os.File, error) {
	f, err := os.CreateTemp("", "ralph-")
	if err != nil {
		return nil, err
	}
	return f, os.Remove(f.Name())
}

// lastWords is the last line that is in a file, made harmless.
func lastWords(f *os.File) string {
	const enough = 4096
	size, err := f.Seek(0, io.SeekEnd)
	if err != nil {
		return ""
	}
	text := make([]byte, min(size, enough))
	n, _ := f.ReadAt(text, size-int64(len(text)))
	lines := strings.Split(strings.TrimSpace(string(text[:n])), "\n")
	return ansi.Truncate(stream.OneLine(lines[len(lines)-1]), 200, "…")
}
