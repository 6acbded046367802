package stopwatch

import "golang.org/x/sys/unix"

// Go's timers use the clock of mach_absolute_time, which is still in sleep;
// this one is that of mach_continuous_time.
const sleepingClock = unix.CLOCK_MONOTONIC
