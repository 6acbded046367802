// Package stopwatch measures time and distinguishes a machine that slept from a clock that
// someone set. The wall clock changes in both cases, and the clock of Go's timers stops while the
// machine sleeps. A third clock, of the kernel, continues in sleep and cannot be set.
package stopwatch

import (
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Watch measures the time since its start. Use [Start]: the zero value does not work.
type Watch struct {
	began time.Time     // with Go's monotonic reading
	boot  time.Duration // of the clock that continues in sleep
}

// Start returns a watch that starts now.
func Start() Watch { return Watch{began: time.Now(), boot: sinceBoot()} }

// Began returns the start of the watch as a wall clock time.
func (w Watch) Began() time.Time { return w.began.Round(0) }

// Passed returns the time since the start.
func (w Watch) Passed() Passed { return w.until(Start()) }

// Lap returns the time since the start, and restarts the watch at the same moment. No time is
// lost between two laps.
func (w *Watch) Lap() Passed {
	before := *w
	*w = Start()
	return before.until(*w)
}

func (w Watch) until(later Watch) Passed {
	awake := later.began.Sub(w.began)
	return Passed{Wall: later.Began().Sub(w.Began()), Awake: awake, Real: max(awake, later.boot-w.boot)}
}

// sinceBoot reads the clock that continues in sleep. Where a sandbox forbids the
// call it is still, and then sleep looks like a clock set forward.
func sinceBoot() time.Duration {
	var ts unix.Timespec
	if err := unix.ClockGettime(sleepingClock, &ts); err != nil {
		return 0
	}
	return time.Duration(ts.Nano())
}

// Passed is the length of one period, measured by three clocks.
type Passed struct {
	Wall  time.Duration // by the wall clock, which can be set
	Awake time.Duration // while the machine was running
	Real  time.Duration // sleep included
}

// slept returns how long the machine slept.
func (p Passed) slept() time.Duration { return p.Real - p.Awake }

// Set returns how far the wall clock was set forward; negative if it was set back.
func (p Passed) Set() time.Duration { return p.Wall - p.Real }

// tolerance is what does not count as a jump: clocks are read one after the
// other, and a time server corrects by parts of a second.
const tolerance = 5 * time.Second

// Jump is one difference between the wall clock and real time, or a sleep of the machine.
type Jump struct {
	By    time.Duration // negative is back
	Slept bool          // the machine slept, else the clock was set
}

// Jumps lists the jumps in the period: none, a sleep, a clock change, or both. It ignores
// jumps of five seconds or less.
func (p Passed) Jumps() []Jump {
	var jumps []Jump
	if slept := p.slept(); slept > tolerance {
		jumps = append(jumps, Jump{By: slept, Slept: true})
	}
	if set := p.Set(); set.Abs() > tolerance {
		jumps = append(jumps, Jump{By: set})
	}
	return jumps
}

// String describes the jump to the user.
func (j Jump) String() string {
	by := j.By.Abs().Round(time.Second).String()
	if strings.HasSuffix(by, "m0s") {
		by = strings.TrimSuffix(by, "0s")
	}
	if strings.HasSuffix(by, "h0m") {
		by = strings.TrimSuffix(by, "0m")
	}
	switch {
	case j.Slept:
		return "the machine slept for " + by
	case j.By < 0:
		return "the clock was set back by " + by
	}
	return "the clock was set forward by " + by
}

// Deadline is the end of a wait: the earlier of a clock time and a duration.
type Deadline struct {
	// At is a time by the wall clock, for times that others give as a time of day, such as a
	// provider's reset; zero for no time.
	At time.Time
	// After is how long the wait may last in real time. For a wait that has an At
	// it is the distance at its beginning: a clock that is set back does not
	// make the wait longer than it was meant to be.
	After time.Duration
}

// Until returns the deadline of a wait from now to the time at.
func Until(at, now time.Time) Deadline {
	return Deadline{At: at.Round(0), After: at.Round(0).Sub(now.Round(0))}
}

// Left returns the rest of the wait after p has passed and the wall clock shows now. The
// result is zero or less when the wait is over.
func (d Deadline) Left(p Passed, now time.Time) time.Duration {
	left := d.After - p.Real
	if d.At.IsZero() {
		return left
	}
	return min(left, d.At.Sub(now.Round(0)))
}
