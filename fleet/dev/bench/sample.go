package main

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// usage is what a process has taken so far. All is zero where there is no /proc.
type usage struct {
	own  time.Duration // CPU of the process itself
	all  time.Duration // with that of the children it has waited for
	peak int64         // resident memory at most, in bytes
}

// tick is the unit in which Linux reports CPU time, on all platforms.
const tick = time.Second / 100

func usageOf(pid int) usage {
	var u usage
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	if err != nil {
		return u
	}
	// The name, in brackets, may hold anything; utime is the 12th field after it.
	fields := bytes.Fields(stat[bytes.LastIndexByte(stat, ')')+1:])
	at := func(i int) time.Duration {
		n, _ := strconv.ParseInt(string(fields[i]), 10, 64)
		return time.Duration(n) * tick
	}
	u.own = at(11) + at(12)
	u.all = u.own + at(13) + at(14)
	u.peak = peakOf(pid)
	return u
}

// peakOf is the most memory that a process has had resident.
func peakOf(pid int) int64 {
	status, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", pid))
	if err != nil {
		return 0
	}
	for line := range strings.Lines(string(status)) {
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			kb, _ := strconv.ParseInt(strings.Fields(rest)[0], 10, 64)
			return kb << 10
		}
	}
	return 0
}

// peakOfProgram is the most that any process of a program has now had resident.
func peakOfProgram(program string) (peak int64) {
	links, _ := filepath.Glob("/proc/[0-9]*/exe")
	for _, link := range links {
		if exe, err := os.Readlink(link); err != nil || exe != program {
			continue
		}
		if pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link))); err == nil {
			peak = max(peak, peakOf(pid))
		}
	}
	return peak
}

// databaseSize is what the server keeps on the disk.
func (l *lab) databaseSize() (size int64) {
	for _, suffix := range []string{"", "-wal"} {
		if info, err := os.Stat(l.database() + suffix); err == nil {
			size += info.Size()
		}
	}
	return size
}
