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

// suspend does what Ctrl-Z does to any program: it leaves the terminal as it was
// and stops, until a shell has it go on. The whole process group is stopped, as the
// terminal would do it: whatever called ralph waits, too.
func (d *dashboard) suspend() {
	if session, err := unix.Getsid(0); err != nil || session == os.Getpid() {
		d.say("there is no shell behind the dashboard to go back to")
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

// resumed takes the terminal over again: whoever had it meanwhile may have changed
// its modes, what it shows and its size.
func (d *dashboard) resumed() {
	d.failed = d.screen.enter()
	d.drawn = time.Time{}
}
