package stopwatch

import "golang.org/x/sys/unix"

// sleepingClock is the clock that continues in sleep. Go's timers use CLOCK_MONOTONIC,
// which stops in sleep on Linux.
const sleepingClock = unix.CLOCK_BOOTTIME
