package proc

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"syscall"

	"golang.org/x/sys/unix"
)

// adopts: the guardian is the subreaper, so "no child" means "no descendant".
const adopts = true

// fdDir lists the calling process's open files.
const fdDir = "/proc/self/fd"

// adoptOrphans makes this process the parent of every descendant with a dead parent.
func adoptOrphans() error {
	return unix.Prctl(unix.PR_SET_CHILD_SUBREAPER, 1, 0, 0, 0)
}

// leaderAttr makes the child a group leader that dies with the thread that
// forked it: the last resort when the guardian is killed.
func leaderAttr() *syscall.SysProcAttr {
	return &syscall.SysProcAttr{Setpgid: true, Pdeathsig: syscall.SIGKILL}
}

// bootID distinguishes this boot's clock ticks from those of the last one.
var bootID = sync.OnceValues(func() (string, error) {
	b, err := os.ReadFile("/proc/sys/kernel/random/boot_id")
	return strings.TrimSpace(string(b)), err
})

// readEntry reads the entry of one process.
func readEntry(pid int) (entry, error) {
	boot, err := bootID()
	if err != nil {
		return entry{}, err
	}
	b, err := os.ReadFile(procPath(pid, "stat"))
	if err != nil {
		return entry{}, err
	}
	return parseStat(b, boot)
}

func procPath(pid int, file string) string {
	return "/proc/" + strconv.Itoa(pid) + "/" + file
}

// parseStat reads a line of /proc/PID/stat, see proc_pid_stat(5). The name is in parentheses and
// may contain spaces and parentheses.
func parseStat(b []byte, boot string) (entry, error) {
	left, right := bytes.IndexByte(b, '('), bytes.LastIndexByte(b, ')')
	if left < 0 || right < left {
		return entry{}, fmt.Errorf("not a line of /proc/PID/stat: %q", b)
	}
	// state ppid pgrp are 0 to 2, num_threads is 17, starttime 19.
	f := strings.Fields(string(b[right+1:]))
	if len(f) < 20 {
		return entry{}, fmt.Errorf("a line of /proc/PID/stat is cut short: %q", b)
	}
	pid, err1 := strconv.Atoi(strings.TrimSpace(string(b[:left])))
	ppid, err2 := strconv.Atoi(f[1])
	pgid, err3 := strconv.Atoi(f[2])
	// A main thread that has ended while others run is shown as a zombie too.
	zombie := f[0] == "X" || f[0] == "Z" && (f[17] == "0" || f[17] == "1")
	return entry{
		id:     ID{PID: pid, Start: boot + "/" + f[19]},
		ppid:   ppid,
		pgid:   pgid,
		name:   string(b[left+1 : right]),
		zombie: zombie,
		// A traced process shows as t, and does not count as stopped.
		stopped: f[0] == "T",
	}, errors.Join(err1, err2, err3)
}

// members lists the descendants of this process. One that is forked or adopted
// meanwhile may be missing: the caller looks again until wait finds no child.
func members(string) ([]entry, error) {
	if _, err := os.Stat("/proc/thread-self/children"); err == nil {
		return descend(childrenOf), nil
	}
	all, err := table() // a kernel without CONFIG_PROC_CHILDREN
	return descend(func(pid int) []int { return all[pid] }), err
}

// descend walks the descendants of this process, parents first.
func descend(children func(pid int) []int) []entry {
	var found []entry
	seen := map[int]bool{os.Getpid(): true}
	for queue := []int{os.Getpid()}; len(queue) > 0; queue = queue[1:] {
		for _, pid := range children(queue[0]) {
			if seen[pid] {
				continue // it changed its parent while we looked
			}
			seen[pid] = true
			queue = append(queue, pid)
			if e, err := readEntry(pid); err == nil {
				found = append(found, e)
			}
		}
	}
	return found
}

// childrenOf reads the children of every thread: the kernel lists them apart.
func childrenOf(pid int) []int {
	tasks, _ := os.ReadDir(procPath(pid, "task"))
	var pids []int
	for _, t := range tasks {
		b, _ := os.ReadFile(procPath(pid, "task/"+t.Name()+"/children"))
		for _, f := range strings.Fields(string(b)) {
			if child, err := strconv.Atoi(f); err == nil {
				pids = append(pids, child)
			}
		}
	}
	return pids
}

// table scans the process table once: the children of each process.
func table() (map[int][]int, error) {
	pids, err := allPIDs()
	children := map[int][]int{}
	for _, pid := range pids {
		if e, err := readEntry(pid); err == nil {
			children[e.ppid] = append(children[e.ppid], pid)
		}
	}
	return children, err
}

func allPIDs() ([]int, error) {
	d, err := os.Open("/proc")
	if err != nil {
		return nil, err
	}
	defer d.Close()
	names, err := d.Readdirnames(-1)
	var pids []int
	for _, n := range names {
		if pid, err := strconv.Atoi(n); err == nil {
			pids = append(pids, pid)
		}
	}
	return pids, err
}

// environ is the environment with which a process of this user was started, its
// entries ended by NUL; empty where it may not be read.
func environ(pid int) []byte {
	f, err := os.Open(procPath(pid, "environ"))
	if err != nil {
		return nil
	}
	defer f.Close()
	var st unix.Stat_t
	if unix.Fstat(int(f.Fd()), &st) != nil || int(st.Uid) != os.Geteuid() {
		return nil
	}
	b, _ := io.ReadAll(f)
	return b
}
