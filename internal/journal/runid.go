package journal

import (
	"path"
	"strconv"
	"strings"
	"time"
)

// NewRunID returns the id of a run that begins now: its start as
// YYYYMMDD-HHMMSS in UTC, with -2, -3, … after it while taken says so.
func NewRunID(now time.Time, taken func(id string) bool) string {
	stamp := now.UTC().Format("20060102-150405")
	id := stamp
	for n := 2; taken(id); n++ {
		id = stamp + "-" + strconv.Itoa(n)
	}
	return id
}

// IsRunID reports whether text looks like the id of a run.
func IsRunID(text string) bool {
	const stamp = "20060102-150405"
	if len(text) < len(stamp) {
		return false
	}
	if _, err := time.Parse(stamp, text[:len(stamp)]); err != nil {
		return false
	}
	suffix, ok := strings.CutPrefix(text[len(stamp):], "-")
	if !ok {
		return suffix == ""
	}
	n, err := strconv.Atoi(suffix)
	return err == nil && n > 1
}

// OldLog is where an iteration's log lies once a newer run has started: in a
// directory named after the run it belongs to. Both paths use slashes.
func OldLog(logFile, run string) string {
	if logFile == "" {
		return ""
	}
	return path.Join(path.Dir(logFile), run, path.Base(logFile))
}
