package journal_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
)

var me = journal.Holder{Unit: "feature-x", PID: 123, PIDStart: "9", Host: "box", Since: at(0)}

func TestTheLockTellsItsHolder(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "unit")
	if h, err := journal.ReadHolder(dir); err != nil || h != (journal.Holder{}) {
		t.Errorf("before: %+v, %v", h, err)
	}
	lock, err := journal.Acquire(t.Context(), dir, me, 0)
	if err != nil {
		t.Fatal(err)
	}
	want := me
	want.Since = at(0).Truncate(time.Second)
	if h, err := journal.ReadHolder(dir); err != nil || !cmp.Equal(h, want) {
		t.Errorf("held: %+v, %v", h, err)
	}

	_, err = journal.Acquire(t.Context(), dir, me, 0)
	var locked *journal.LockedError
	if !errors.As(err, &locked) || locked.Holder.PID != 123 {
		t.Fatalf("a second one: %v", err)
	}
	message := fmt.Sprintf("unit feature-x is already being worked on by ralph (pid 123 on box, since %s); stop it with 'ralph stop feature-x'",
		at(0).Local().Format("15:04"))
	if err.Error() != message {
		t.Errorf("got  %s\nwant %s", err, message)
	}

	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if h, err := journal.ReadHolder(dir); err != nil || h != (journal.Holder{}) {
		t.Errorf("released: %+v, %v", h, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "lock")); err != nil {
		t.Errorf("the file must stay: %v", err)
	}
}

// TestTheKernelLetsGo kills a real holder while another waits for it.
func TestTheKernelLetsGo(t *testing.T) {
	if dir := os.Getenv("JOURNAL_TEST_HOLD"); dir != "" {
		if _, err := journal.Acquire(context.Background(), dir, me, 0); err != nil {
			t.Fatal(err)
		}
		fmt.Println("held")
		_, _ = io.Copy(io.Discard, os.Stdin)
		return
	}
	dir := t.TempDir()
	cmd := exec.Command(os.Args[0], "-test.run=^TestTheKernelLetsGo$")
	cmd.Env = append(os.Environ(), "JOURNAL_TEST_HOLD="+dir)
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	defer in.Close()
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	if line, err := bufio.NewReader(out).ReadString('\n'); line != "held\n" {
		t.Fatalf("the holder said %q, %v", line, err)
	}
	var locked *journal.LockedError
	if _, err := journal.Acquire(t.Context(), dir, me, 50*time.Millisecond); !errors.As(err, &locked) {
		t.Fatalf("while it is held: %v", err)
	}
	got := make(chan error)
	go func() {
		_, err := journal.Acquire(t.Context(), dir, me, time.Minute)
		got <- err
	}()
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_ = cmd.Wait()
	if err := <-got; err != nil {
		t.Errorf("after its death: %v", err)
	}
}

func TestAcquireEndsWithItsContext(t *testing.T) {
	dir := t.TempDir()
	if _, err := journal.Acquire(t.Context(), dir, me, 0); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := journal.Acquire(ctx, dir, me, time.Hour); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestALockWithoutANameStillSpeaks(t *testing.T) {
	dir := t.TempDir()
	if _, err := journal.Acquire(t.Context(), dir, me, 0); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "lock"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	if h, err := journal.ReadHolder(dir); err != nil || h != (journal.Holder{}) {
		t.Errorf("half a holder was believed: %+v, %v", h, err)
	}
	if _, err := journal.Acquire(t.Context(), dir, me, 0); err == nil || !strings.Contains(err.Error(), "another ralph is already running") {
		t.Errorf("got %v", err)
	}
}

// The journal names the running loop if the lock's file does not.
func TestHolderFromTheJournal(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "lock"), []byte("garbage"), 0o600); err != nil {
		t.Fatal(err)
	}
	w, err := journal.OpenWriter(journal.Path(dir))
	if err != nil {
		t.Fatal(err)
	}
	defer w.Close()
	for _, step := range []struct {
		body journal.Body
		pid  int
	}{{journal.RunStarted{PID: 4711, PIDStart: "x"}, 4711}, {journal.RunEnded{}, 0}} {
		if _, err := w.Append("r", time.Now(), step.body); err != nil {
			t.Fatal(err)
		}
		if h, err := journal.ReadHolder(dir); err != nil || h.PID != step.pid {
			t.Errorf("behind %s: %+v, %v", step.body.EventType(), h, err)
		}
	}
}

func TestAnAgentDoesNotInheritTheLock(t *testing.T) {
	dir := t.TempDir()
	lock, err := journal.Acquire(t.Context(), dir, me, 0)
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command("cat")
	in, err := child.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	defer child.Wait()
	defer in.Close()
	if err := lock.Release(); err != nil {
		t.Fatal(err)
	}
	if _, err := journal.Acquire(t.Context(), dir, me, 0); err != nil {
		t.Errorf("while a child of the last holder lives: %v", err)
	}
}
