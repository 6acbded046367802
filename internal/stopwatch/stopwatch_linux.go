package stopwatch

import "golang.org/x/sys/unix"

// Go's timers use CLOCK_MONOTONIC, which is still in sleep on Linux.
const sleepingClock = unix.CLOCK_BOOTTIME
