package awake

import (
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestCommands(t *testing.T) {
	const why = "--why=a coding agent is running"
	for goos, want := range map[string][][]string{
		"darwin": {{"caffeinate", "-i", "-w", "42"}},
		"linux": {
			{"systemd-inhibit", "--what=idle:sleep", "--who=ralph", why, "--mode=block", "cat"},
			{"systemd-inhibit", "--what=idle", "--who=ralph", why, "--mode=block", "cat"},
		},
		"plan9": nil,
	} {
		if diff := cmp.Diff(want, Commands(goos, 42)); diff != "" {
			t.Errorf("%s: %s", goos, diff)
		}
	}
}

func TestCanAsk(t *testing.T) {
	none := func(string) string { return "" }
	if !CanAsk("darwin", none) || !CanAsk("linux", func(string) string { return "unix:path=/x" }) {
		t.Error("nobody is asked where there is somebody")
	}
	if _, err := os.Stat(systemBus); err != nil && CanAsk("linux", none) {
		t.Error("somebody is asked where there is no bus")
	}
}

// script writes a program that means systemd-inhibit: it notes that it has
// started and holds until its input ends, then notes that too.
func script(t *testing.T, dir, name, body string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.WriteFile(path, []byte("#!/bin/sh\n"+body+"\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	return path
}

func waitFor(t *testing.T, what string, done func() bool) {
	t.Helper()
	timeout := time.After(30 * time.Second)
	tick := time.NewTicker(2 * time.Millisecond)
	defer tick.Stop()
	for !done() {
		select {
		case <-timeout:
			t.Fatalf("waited too long for %s", what)
		case <-tick.C:
		}
	}
}

func read(path string) string {
	data, _ := os.ReadFile(path)
	return string(data)
}

func TestKeeperTriesTheNextWayAndEndsIt(t *testing.T) {
	dir := t.TempDir()
	log := filepath.Join(dir, "log")
	refused := script(t, dir, "refused", "echo refused >>"+log+"; exit 1")
	works := script(t, dir, "works", "echo $$ >>"+log+"; cat; sleep 600")
	k := New([][]string{{filepath.Join(dir, "missing")}, {refused}, {works}})
	for round := 1; round <= 2; round++ {
		k.Hold()
		k.Hold() // once is enough
		waitFor(t, "the program that works", func() bool { return strings.Count(read(log), "\n") == 2*round })
		k.Release()
		k.Release()
		words := strings.Fields(read(log))
		if words[len(words)-2] != "refused" {
			t.Errorf("the programs ran as %q", words)
		}
		pid, err := strconv.Atoi(words[len(words)-1])
		if err != nil {
			t.Fatal(err)
		}
		if err := syscall.Kill(pid, 0); !errors.Is(err, syscall.ESRCH) {
			t.Errorf("the program outlived Release: %v", err)
		}
	}
}

// TestKeeperWithoutAWay runs on a machine without any of the programs.
func TestKeeperWithoutAWay(t *testing.T) {
	for _, commands := range [][][]string{nil, {{"/does/not/exist"}}} {
		k := New(commands)
		k.Hold()
		k.Release()
	}
}
