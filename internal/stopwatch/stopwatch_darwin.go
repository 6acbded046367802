package stopwatch

import "golang.org/x/sys/unix"

// sleepingClock is the clock that continues in sleep, as mach_continuous_time. Go's timers
// use the clock of mach_absolute_time, which stops in sleep.
const sleepingClock = unix.CLOCK_MONOTONIC
