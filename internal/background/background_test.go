package background

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"ralph/internal/handover"
	"ralph/internal/journal"
)

// receiverVar makes the test binary be what takes over; its value says what it does.
const receiverVar = "BACKGROUND_TEST_RECEIVER"

func TestMain(m *testing.M) {
	how, ok := os.LookupEnv(receiverVar)
	if !ok {
		os.Exit(m.Run())
	}
	os.Exit(receive(how, os.Args[1]))
}

// receive takes over a command with one argument, the path of a journal.
func receive(how, path string) int {
	if how == "refuses" {
		fmt.Fprintln(os.Stderr, "warming up\nit cannot be done")
		return 3
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGINT)
	p, line, err := handover.Take(path)
	if err != nil {
		fmt.Println(err)
		return 1
	}
	switch how {
	case "dies":
	case "reports":
		line.Result(handover.CommandResult{Exit: 42, Message: "it went wrong"})
	case "waits":
		<-signals
		line.Result(handover.CommandResult{Exit: 130})
	case "runs":
		sid, err := unix.Getsid(0)
		fmt.Println("runs as its own session:", sid == os.Getpid(), err)
		w, err := journal.OpenWriter(p.Args[0])
		if err == nil {
			_, err = w.Append("20260102-030405", time.Now(), journal.RunStarted{PID: os.Getpid()})
		}
		if err != nil {
			fmt.Println(err)
			return 1
		}
		<-signals
	}
	return 0
}

// sender has sent a command to a receiver that obeys.
func sender(t *testing.T, how string) (sent *handover.Sender, argv []string, journalPath string) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	path := filepath.Join(dir, "journal.jsonl")
	sent, err = handover.Send(handover.Parcel{Args: []string{path}, Dir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { sent.Close() })
	t.Setenv(receiverVar, how)
	return sent, []string{exe, sent.Path()}, path
}

func newLog(t *testing.T) *os.File {
	t.Helper()
	log, err := createLog(filepath.Join(t.TempDir(), "logs", "start.log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	return log
}

func TestUntilUp(t *testing.T) {
	for _, tt := range []struct {
		how, run string
		report   *handover.CommandResult
		err      error
	}{
		{"runs", "20260102-030405", nil, nil},
		{"reports", "", &handover.CommandResult{Exit: 42, Message: "it went wrong"}, nil},
		{"dies", "", nil, handover.ErrLost},
	} {
		t.Run(tt.how, func(t *testing.T) {
			sent, argv, path := sender(t, tt.how)
			log, began := newLog(t), time.Now()
			if err := start(t.Context(), sent, argv, log, time.Minute); err != nil {
				t.Fatal(err)
			}
			run, report, err := UntilUp(t.Context(), sent, path, began)
			if run != tt.run || !errors.Is(err, tt.err) || tt.report != nil && *report != *tt.report {
				t.Errorf("the run is %q, the report %+v, the error %v", run, report, err)
			}
			if tt.how != "runs" {
				return
			}
			if err := sent.Signal(syscall.SIGINT); err != nil {
				t.Error(err)
			}
			if text, err := os.ReadFile(log.Name()); err != nil || !strings.Contains(string(text), "its own session: true") {
				t.Errorf("the log, %v: %s", err, text)
			}
		})
	}
}

// TestUntilUpIsCancelled: a loop that no one would know of must not stay.
func TestUntilUpIsCancelled(t *testing.T) {
	sent, argv, path := sender(t, "waits")
	if err := start(t.Context(), sent, argv, newLog(t), time.Minute); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if run, report, err := UntilUp(ctx, sent, path, time.Now()); run != "" || err != nil || report.Exit != 130 {
		t.Errorf("the run is %q, the report %+v, the error %v", run, report, err)
	}
}

func TestStartThatFails(t *testing.T) {
	sent, argv, _ := sender(t, "refuses")
	log := newLog(t)
	if err := start(t.Context(), sent, argv, log, time.Minute); err == nil || err.Error() != "exit status 3" {
		t.Errorf("the error is %v", err)
	}
	if text, err := os.ReadFile(log.Name()); err != nil || string(text) != "warming up\nit cannot be done\n" {
		t.Errorf("the log, %v: %s", err, text)
	}
	sent, argv, _ = sender(t, "refuses")
	if err := startInWindow(t.Context(), sent, argv); err == nil || err.Error() != "exit status 3: it cannot be done" {
		t.Errorf("in a window the error is %v", err)
	}
	if _, err := os.Stat(sent.Path()); err == nil {
		t.Error("the command can still be taken over")
	}
	sent, _, _ = sender(t, "")
	if err := start(t.Context(), sent, []string{"sleep", "0"}, log, 1); err == nil || err.Error() != "nothing happened for 1ns" {
		t.Errorf("where nobody takes over the error is %v", err)
	}
}

func TestNewLogIsItsOwnersAlone(t *testing.T) {
	dir := t.TempDir()
	theirs, log := filepath.Join(dir, "theirs"), filepath.Join(dir, "log")
	if err := os.WriteFile(theirs, []byte("kept"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(theirs, log); err != nil {
		t.Fatal(err)
	}
	f, err := createLog(log)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	fmt.Fprint(f, "a secret")
	if info, err := os.Lstat(log); err != nil || info.Mode() != 0o600 {
		t.Errorf("the log: %v, %v", info.Mode(), err)
	}
	if text, err := os.ReadFile(theirs); err != nil || string(text) != "kept" {
		t.Errorf("behind the link: %v, %s", err, text)
	}
}
