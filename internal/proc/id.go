package proc

import (
	"fmt"
	"os"
	"syscall"
)

// ID identifies a process by its number and its start time. The system uses numbers again,
// but no two processes have both in common. Start is opaque and comparable on one machine
// only; on Linux it differs after a reboot.
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

// Self returns the identity of the calling process. It fails if the process table cannot be
// read, for example without /proc.
func Self() (ID, error) {
	e, err := readEntry(os.Getpid())
	if err != nil {
		return ID{}, fmt.Errorf("cannot read this process's entry in the process table: %w", err)
	}
	return e.id, nil
}

// Alive reports whether this process still runs. A zombie does not.
func (id ID) Alive() bool {
	return id.State() != Gone
}

// ProcessState describes what a process is doing.
type ProcessState uint8

// The states of a process.
const (
	Gone      ProcessState = iota // it does not run any more, or is a zombie
	Running                       // or waiting for something
	Suspended                     // by Ctrl-Z or SIGSTOP: it does nothing until SIGCONT
)

// State returns what this process is doing.
func (id ID) State() ProcessState {
	e, err := readEntry(id.PID)
	switch {
	case err != nil || e.id != id || e.zombie:
		return Gone
	case e.stopped:
		return Suspended
	}
	return Running
}

// IsAncestor reports whether this process started the calling process, directly or through
// others. On Linux that is true for all processes of a guardian, on macOS not for orphans.
func (id ID) IsAncestor() bool {
	const deepest = 1000 // the table changes while it is read
	pid := os.Getppid()
	for range deepest {
		if pid < 1 {
			return false
		}
		e, err := readEntry(pid)
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

// Signal sends sig to this process. It never signals another one that got its number. It
// returns [os.ErrProcessDone] if the process has ended.
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
	if e, err := readEntry(id.PID); err != nil || e.id != id {
		return os.ErrProcessDone
	}
	return p.Signal(sig)
}
