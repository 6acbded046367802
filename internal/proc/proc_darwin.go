package proc

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"os"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopts: orphans go to launchd, so that "no child" says nothing of them.
const adopts = false

// fdDir lists the calling process's open files.
const fdDir = "/dev/fd"

// The states of sys/proc.h: SSTOP and SZOMB.
const (
	stateStopped = 4
	stateZombie  = 5
)

// adoptOrphans has no counterpart on macOS.
func adoptOrphans() error { return nil }

func leaderAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true}
}

// readEntry reads the entry of one process.
func readEntry(pid int) (entry, error) {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil {
		return entry{}, err
	}
	if int(k.Proc.P_pid) != pid {
		return entry{}, fmt.Errorf("process %d: %w", pid, syscall.ESRCH)
	}
	return entryOf(k), nil
}

func entryOf(k *unix.KinfoProc) entry {
	name, _, _ := bytes.Cut(k.Proc.P_comm[:], []byte{0})
	start := k.Proc.P_starttime
	return entry{
		id:      ID{PID: int(k.Proc.P_pid), Start: fmt.Sprintf("%d.%06d", start.Sec, start.Usec)},
		ppid:    int(k.Eproc.Ppid),
		pgid:    int(k.Eproc.Pgid),
		name:    string(name),
		zombie:  k.Proc.P_stat == stateZombie,
		stopped: k.Proc.P_stat == stateStopped,
	}
}

// members lists the living processes that belong to this guardian: those below
// it, those of its session (it made the session), and those that hold the token.
func members(token string) ([]entry, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.all")
	if err != nil {
		return nil, err
	}
	self, ours := os.Getpid(), map[int]bool{os.Getpid(): true}
	for grown := true; grown; {
		grown = false
		for i := range all {
			pid := int(all[i].Proc.P_pid)
			if !ours[pid] && ours[int(all[i].Eproc.Ppid)] {
				ours[pid], grown = true, true
			}
		}
	}
	var found []entry
	for i := range all {
		e := entryOf(&all[i])
		if e.id.PID == self || e.id.PID <= 1 || e.zombie {
			continue
		}
		if ours[e.id.PID] || inSession(e.id.PID, self) || holdsToken(e.id.PID, token) {
			found = append(found, e)
		}
	}
	return found, nil
}

func inSession(pid, session int) bool {
	sid, err := unix.Getsid(pid)
	return err == nil && sid == session
}

func allPIDs() ([]int, error) {
	all, err := unix.SysctlKinfoProcSlice("kern.proc.uid", os.Geteuid())
	pids := make([]int, len(all))
	for i := range all {
		pids[i] = int(all[i].Proc.P_pid)
	}
	return pids, err
}

// environ is the environment with which a process of this user was started, its
// entries ended by NUL; empty where it may not be read, as for some programs of
// the system's own. The buffer holds argc, the path, padding, argv, environment.
func environ(pid int) []byte {
	k, err := unix.SysctlKinfoProc("kern.proc.pid", pid)
	if err != nil || int(k.Eproc.Ucred.Uid) != os.Geteuid() {
		return nil
	}
	b, err := unix.SysctlRaw("kern.procargs2", pid)
	if err != nil || len(b) < 4 {
		return nil
	}
	argc := int(int32(binary.LittleEndian.Uint32(b)))
	_, b, _ = bytes.Cut(b[4:], []byte{0})
	b = bytes.TrimLeft(b, "\x00")
	for range argc {
		_, b, _ = bytes.Cut(b, []byte{0})
	}
	return b
}
