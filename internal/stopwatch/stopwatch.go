// Package stopwatch measures time and distinguishes a machine that slept from a clock that
// someone set. The wall clock changes in both cases, and the clock of Go's timers stops while the
// machine sleeps. A third clock, of the kernel, continues in sleep and cannot be set.
package stopwatch

import (
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// Watch measures from one moment on. The zero value is of no use: see [Start].
type Watch struct {
	began time.Time     // with Go's monotonic reading
	boot  time.Duration // of the clock that continues in sleep
}

// Start starts a watch.
func Start() Watch { return Watch{began: time.Now(), boot: sinceBoot()} }

// Began is when the watch was started, by the wall clock of that moment.
func (w Watch) Began() time.Time { return w.began.Round(0) }

// Passed is what has passed since the start.
func (w Watch) Passed() Passed { return w.until(Start()) }

// Lap is Passed, and starts the watch again at the same moment: what happens
// between two laps is in one of them.
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

// Passed is one stretch of time by three clocks.
type Passed struct {
	Wall  time.Duration // by the wall clock, which can be set
	Awake time.Duration // while the machine was running
	Real  time.Duration // sleep included
}

// Slept is how long the machine slept.
func (p Passed) Slept() time.Duration { return p.Real - p.Awake }

// Set is by how much the wall clock was set: negative where it was set back.
func (p Passed) Set() time.Duration { return p.Wall - p.Real }

// tolerance is what does not count as a jump: clocks are read one after the
// other, and a time server corrects by parts of a second.
const tolerance = 5 * time.Second

// Jump is one way in which the wall clock did not continue as time did.
type Jump struct {
	By    time.Duration // negative is back
	Slept bool          // the machine slept, else the clock was set
}

// Jumps are the jumps in a stretch of time: none, a sleep, a clock that was set,
// or both, as after a sleep through which the battery died.
func (p Passed) Jumps() []Jump {
	var jumps []Jump
	if slept := p.Slept(); slept > tolerance {
		jumps = append(jumps, Jump{By: slept, Slept: true})
	}
	if set := p.Set(); set.Abs() > tolerance {
		jumps = append(jumps, Jump{By: set})
	}
	return jumps
}

// String says what happened, to the user.
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

// Deadline is the end of a wait. It is over at whichever of its ends comes first.
type Deadline struct {
	// At is a time by the wall clock, for times that others give as a time of day, such as a
	// provider's reset; zero for no time.
	At time.Time
	// After is how long the wait may last in real time. For a wait that has an At
	// it is the distance at its beginning: a clock that is set back does not
	// make the wait longer than it was meant to be.
	After time.Duration
}

// Until is the deadline of a wait that begins now and ends at a time of day.
func Until(at, now time.Time) Deadline {
	return Deadline{At: at.Round(0), After: at.Round(0).Sub(now.Round(0))}
}

// Left is how much of the wait is left, when p has passed since it began and the
// wall clock shows now; not above zero once it is over.
func (d Deadline) Left(p Passed, now time.Time) time.Duration {
	left := d.After - p.Real
	if d.At.IsZero() {
		return left
	}
	return min(left, d.At.Sub(now.Round(0)))
}
