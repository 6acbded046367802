// Package awake keeps the machine awake while ralph works. It uses a program of the operating
// system, if there is one.
package awake

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
)

// Commands returns the commands that can keep a machine with the system goos awake, best first.
// It returns nil for an unknown system. On Linux a command runs until its standard input
// closes, on macOS until the process pid ends. So it never outlives ralph.
func Commands(goos string, pid int) [][]string {
	switch goos {
	case "darwin":
		return [][]string{{"caffeinate", "-i", "-w", strconv.Itoa(pid)}}
	case "linux":
		inhibit := func(what string) []string {
			return []string{"systemd-inhibit", "--what=" + what, "--who=ralph", "--why=a coding agent is running", "--mode=block", "cat"}
		}
		// A session without a seat, as over ssh, may not forbid sleep.
		return [][]string{inhibit("idle:sleep"), inhibit("idle")}
	}
	return nil
}

// systemBus is where systemd-inhibit looks for someone to ask, without
// DBUS_SYSTEM_BUS_ADDRESS in its environment.
const systemBus = "/run/dbus/system_bus_socket"

// CanAsk reports whether a sleep inhibitor can work on this machine: on Linux it needs the
// system D-Bus. Containers mostly have none, and each program of Commands takes 10 ms to find
// that out.
func CanAsk(goos string, getenv func(string) string) bool {
	if goos != "linux" || getenv("DBUS_SYSTEM_BUS_ADDRESS") != "" {
		return true
	}
	_, err := os.Stat(systemBus)
	return err == nil
}

// Keeper keeps the machine awake between Hold and Release. It reports no errors: without a
// working command, the machine sleeps as usual.
type Keeper struct {
	commands [][]string
	mu       sync.Mutex
	held     *hold
}

// hold is one time between Hold and Release.
type hold struct {
	released chan struct{}
	done     chan struct{}
}

// New returns a keeper that tries the commands in order until one works.
func New(commands [][]string) *Keeper { return &Keeper{commands: commands} }

// Hold keeps the machine awake until Release. It returns at once, before the command has
// started.
func (k *Keeper) Hold() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held != nil || len(k.commands) == 0 {
		return
	}
	h := &hold{released: make(chan struct{}), done: make(chan struct{})}
	k.held = h
	go func() {
		defer close(h.done)
		for _, argv := range k.commands {
			if h.run(argv) {
				return
			}
		}
	}()
}

// Release lets the machine sleep again. It returns when the command has ended.
func (k *Keeper) Release() {
	k.mu.Lock()
	defer k.mu.Unlock()
	if k.held != nil {
		close(k.held.released)
		<-k.held.done
		k.held = nil
	}
}

// run runs a command until Release, and reports whether that was its end. It has
// a session of its own: no Ctrl-C ends it, and it can ask no one for a password.
func (h *hold) run(argv []string) (released bool) {
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	stdin, err := cmd.StdinPipe()
	if err != nil || cmd.Start() != nil {
		return false
	}
	gone := make(chan struct{})
	go func() { _ = cmd.Wait(); close(gone) }()
	select {
	case <-gone:
		return false
	case <-h.released:
	}
	end(cmd.Process.Pid, stdin)
	<-gone
	return true
}

// end ends a command and its children: they are the group of its session.
func end(pid int, stdin io.Closer) {
	_ = stdin.Close()
	_ = syscall.Kill(-pid, syscall.SIGKILL)
}
