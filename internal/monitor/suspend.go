package monitor

import (
	"os"
	"os/signal"
	"syscall"
	"time"

	"golang.org/x/sys/unix"
)

// stopGrace is how long the signal may take that suspends this process.
const stopGrace = 300 * time.Millisecond

// suspend does what Ctrl-Z does to any program: it restores the terminal and stops until
// a shell continues it. It stops the whole process group, as the terminal would do: the
// program that called ralph waits, too.
func (d *dashboard) suspend() {
	if session, err := unix.Getsid(0); err != nil || session == os.Getpid() {
		d.say("the dashboard was not started from a shell: there is nothing to return to")
		return
	}
	resumed := make(chan os.Signal, 1)
	signal.Notify(resumed, syscall.SIGCONT)
	defer signal.Stop(resumed)
	d.screen.leave()
	if syscall.Kill(0, syscall.SIGTSTP) == nil {
		select {
		case <-resumed:
		case <-time.After(stopGrace): // the system does not stop a group that no shell looks after
		}
	}
	d.resumed()
}

// resumed takes the terminal over again: another program may have changed its modes, its
// content and its size.
func (d *dashboard) resumed() {
	d.failed = d.screen.enter()
	d.drawn = time.Time{}
}
