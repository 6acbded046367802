package journal

import (
	"path"
	"strconv"
	"time"
)

// NewRunID returns the id of a run that begins now: its start as
// YYYYMMDD-HHMMSS in UTC, with -2, -3, … behind it while taken says so.
func NewRunID(now time.Time, taken func(id string) bool) string {
	stamp := now.UTC().Format("20060102-150405")
	id := stamp
	for n := 2; taken(id); n++ {
		id = stamp + "-" + strconv.Itoa(n)
	}
	return id
}

// OldLog is where an iteration's log lies once a newer run has begun: in a
// directory named after the run it belongs to. Both paths use slashes.
func OldLog(logFile, run string) string {
	if logFile == "" {
		return ""
	}
	return path.Join(path.Dir(logFile), run, path.Base(logFile))
}
