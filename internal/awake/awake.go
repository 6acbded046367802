// Package awake keeps the machine from going to sleep by itself while there is
// work, where the system has a program for that.
package awake

import (
	"io"
	"os"
	"os/exec"
	"strconv"
	"sync"
	"syscall"
)

// Commands are the ways to keep a machine of the system goos awake, the best one
// first; none where no way is known. Each holds until its standard input ends
// or the process pid is gone, so that it never outlives ralph.
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

// CanAsk reports whether there is someone on a machine of the system goos to ask. In a
// container there mostly is not, and the programs take 10 ms each to find that out.
func CanAsk(goos string, getenv func(string) string) bool {
	if goos != "linux" || getenv("DBUS_SYSTEM_BUS_ADDRESS") != "" {
		return true
	}
	_, err := os.Stat(systemBus)
	return err == nil
}

// Keeper keeps the machine awake between Hold and Release. Nothing of it is an
// error: a container, WSL or a machine without these programs sleeps, or does not,
// as it always did.
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

// New returns a keeper that tries the commands in their order.
func New(commands [][]string) *Keeper { return &Keeper{commands: commands} }

// Hold keeps the machine awake until Release, and does not wait for it to work.
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

// Release lets the machine sleep again, and returns when the program is gone.
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
