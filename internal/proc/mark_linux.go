package proc

import (
	"crypto/sha256"
	"encoding/binary"
	"os"
	"strconv"
	"strings"

	"golang.org/x/sys/unix"
)

// A process can drop the run's token with its environment. It cannot drop its limits: every child
// inherits them, through exec too, and without privilege they can only be lowered. So the
// guardian sets a limit that no program needs, the time that a real-time thread may run without
// sleeping. It changes from "unlimited" to a number of the run: sixty bits of a hash, in
// microseconds above 36,000 years.

// mark is the number of the run with this token.
func mark(token string) uint64 {
	sum := sha256.Sum256([]byte(token))
	return 1<<60 | binary.BigEndian.Uint64(sum[:])>>4
}

// setMark marks this process and all that it will start. Where the limit is lower
// already, as in a run inside of another one's agent, there is only the token.
func setMark(token string) {
	m := mark(token)
	_ = unix.Setrlimit(unix.RLIMIT_RTTIME, &unix.Rlimit{Cur: m, Max: m})
}

// holdsMark reports whether a process of this user has the mark of that token.
func holdsMark(pid int, token string) bool {
	if token == "" {
		return false
	}
	f, err := os.Open(procPath(pid, "limits"))
	if err != nil {
		return false
	}
	defer f.Close()
	var st unix.Stat_t
	if unix.Fstat(int(f.Fd()), &st) != nil || int(st.Uid) != os.Geteuid() {
		return false
	}
	limits := make([]byte, 4096)
	n, _ := f.Read(limits)
	return hasMark(string(limits[:n]), mark(token))
}

// hasMark looks for a mark in the text of /proc/PID/limits: columns of name, soft
// limit, hard limit, unit.
func hasMark(limits string, mark uint64) bool {
	_, line, ok := strings.Cut(limits, "\nMax realtime timeout ")
	if !ok {
		return false
	}
	line, _, _ = strings.Cut(line, "\n")
	f := strings.Fields(line)
	return len(f) >= 2 && f[1] == strconv.FormatUint(mark, 10)
}
