package terminal

import (
	"fmt"
	"os"

	"golang.org/x/sys/unix"
	"golang.org/x/term"
)

// WaitForKey prints a text and waits for a key, so that the user can read the last lines before the
// terminal closes. It returns at once if standard input is not a terminal.
func WaitForKey(text string) {
	fd := int(os.Stdin.Fd())
	was, err := term.MakeRaw(fd)
	if err != nil {
		return // no one can press a key
	}
	defer term.Restore(fd, was)
	forget(fd)
	fmt.Printf("\r\n%s", text)
	_, _ = os.Stdin.Read(make([]byte, 1))
}

// forget drops input that was typed before the question.
func forget(fd int) {
	buf := make([]byte, 256)
	for {
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		if err != nil || ready < 1 {
			return
		}
		if n, err := unix.Read(fd, buf); err != nil || n < 1 {
			return
		}
	}
}
