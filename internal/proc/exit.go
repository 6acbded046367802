package proc

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"syscall"
	"time"
)

var (
	// ErrLost is returned by calls to a guardian that has died.
	ErrLost = errors.New("the guardian process has died")
	// ErrBusy is returned by a start while another process tree is running.
	ErrBusy = errors.New("another process tree is still running under this guardian")
)

const (
	// killLimit bounds how long processes may outlive SIGKILL before they are
	// reported instead of waited for.
	killLimit = 5 * time.Second
	// pollStep is how long to wait where the kernel sends no event.
	pollStep = 5 * time.Millisecond
)

// Exit describes how a process ended.
type Exit struct {
	Code   int            // the exit status, -1 when a signal ended the process
	Signal syscall.Signal // 0 when it exited by itself
}

// unknownExit is the Exit of a process after its guardian was lost.
var unknownExit = Exit{Code: -1}

func exitOf(ws syscall.WaitStatus) Exit {
	if ws.Signaled() {
		return Exit{Code: -1, Signal: ws.Signal()}
	}
	return Exit{Code: ws.ExitStatus()}
}

// fromRoom returns how the command in a room ended, from the exit of the room. A room ends with
// 128 plus the signal's number if a signal ended the command. Only signals that no program uses
// as its own exit status are converted: some programs exit with 130 or 143.
func (e Exit) fromRoom() Exit {
	switch sig := syscall.Signal(e.Code - 128); sig {
	case syscall.SIGKILL, syscall.SIGSEGV, syscall.SIGABRT, syscall.SIGBUS, syscall.SIGILL, syscall.SIGFPE, syscall.SIGSYS, syscall.SIGTRAP:
		return Exit{Code: -1, Signal: sig}
	}
	return e
}

// String returns "exit status 1" or "signal: killed", or "exit status unknown" if the
// guardian was lost.
func (e Exit) String() string {
	switch {
	case e == unknownExit:
		return "exit status unknown"
	case e.Signal != 0:
		return "signal: " + e.Signal.String()
	}
	return fmt.Sprintf("exit status %d", e.Code)
}

// Swept describes the processes of a tree that had to be killed.
type Swept struct {
	// Strays counts the processes, the leader aside, that were alive when the
	// leader had exited or the grace was over.
	Strays int
	// Names are the kernel's short names of a few of them, each once, sorted.
	Names []string
}

// maxNames bounds Swept.Names: it is for a line on a screen.
const maxNames = 8

func sweptFrom(strays map[ID]string) Swept {
	names := slices.Compact(slices.Sorted(maps.Values(strays)))
	return Swept{Strays: len(strays), Names: names[:min(len(names), maxNames)]}
}
