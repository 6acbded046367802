package agent

import (
	"os"

	"golang.org/x/sys/unix"
)

// pipeSize is what a pipe of the agent's output may hold: the most that Linux
// grants everybody, see pipe(7).
const pipeSize = 1 << 20

// widen makes a pipe hold more, so that an agent that prints a lot is read in
// fewer and larger pieces. Where it is refused the pipe works as it is.
func widen(f *os.File) {
	conn, err := f.SyscallConn()
	if err != nil {
		return
	}
	_ = conn.Control(func(fd uintptr) { _, _ = unix.FcntlInt(fd, unix.F_SETPIPE_SZ, pipeSize) })
}
