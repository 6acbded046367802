package proc

import (
	"fmt"
	"os"
	"syscall"
)

// ID is the identity of a process: its number, which the system uses again, and its start time,
// which no two holders of the number share. Start is opaque and comparable on one machine only;
// on Linux it differs after a reboot.
type ID struct {
	PID   int    `json:"pid"`
	Start string `json:"start"`
}

// entry is one process of the system's process table.
type entry struct {
	id         ID
	ppid, pgid int
	name       string // the kernel's short name, for people only
	zombie     bool   // dead and not yet reaped
	stopped    bool   // by a signal, as Ctrl-Z sends it
}

// Self is the identity of the calling process. It fails where the process table
// cannot be read, such as without /proc.
func Self() (ID, error) {
	e, err := look(os.Getpid())
	if err != nil {
		return ID{}, fmt.Errorf("cannot read this process's entry in the process table: %w", err)
	}
	return e.id, nil
}

// Alive reports whether this very process still runs; a zombie does not.
func (id ID) Alive() bool {
	return id.State() != Gone
}

// State is what a process is doing, as far as others have to know.
type State uint8

// The states of a process.
const (
	Gone      State = iota // it does not run any more, or is a zombie
	Running                // or waiting for something
	Suspended              // by Ctrl-Z or SIGSTOP: it does nothing until SIGCONT
)

// State returns what this very process is doing.
func (id ID) State() State {
	e, err := look(id.PID)
	switch {
	case err != nil || e.id != id || e.zombie:
		return Gone
	case e.stopped:
		return Suspended
	}
	return Running
}

// IsAncestor reports whether this very process, or one that it started, started the calling
// process. On Linux that is true for all processes of a guardian, on macOS not for orphans.
func (id ID) IsAncestor() bool {
	const deepest = 1000 // the table changes while it is read
	pid := os.Getppid()
	for range deepest {
		if pid < 1 {
			return false
		}
		e, err := look(pid)
		if err != nil {
			return false
		}
		if e.id == id {
			return true
		}
		pid = e.ppid
	}
	return false
}

// Signal sends sig to this very process and to no other that got its number. It
// returns [os.ErrProcessDone] where it is gone.
func (id ID) Signal(sig syscall.Signal) error {
	if id.PID <= 0 {
		return os.ErrProcessDone
	}
	// On Linux the handle is a pidfd: the check and the signal reach the same process.
	p, err := os.FindProcess(id.PID)
	if err != nil {
		return err
	}
	defer p.Release()
	if e, err := look(id.PID); err != nil || e.id != id {
		return os.ErrProcessDone
	}
	return p.Signal(sig)
}
