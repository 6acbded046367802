package journal

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
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

// RunIDs returns the ids of the runs in the journal at path, in the order in which
// they began. It reads no more of an event than who wrote it, and passes over what
// it cannot read. A journal that does not exist is an error that is fs.ErrNotExist.
func RunIDs(path string) ([]string, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("the journal cannot be read: %w", err)
	}
	defer f.Close()
	var ids []string
	s := lineScanner{r: bufio.NewReaderSize(f, 64<<10)}
	for {
		line, _, err := s.next()
		if err != nil && err != io.EOF {
			return nil, fmt.Errorf("the journal cannot be read: %w", err)
		}
		if at := bytes.LastIndex(line, []byte(lineStart)); at > 0 {
			line = line[at:] // after a torn one
		}
		head, ok := cutHead(line)
		if !ok {
			head = findHead(line)
		}
		if head.run != "" && (len(ids) == 0 || ids[len(ids)-1] != head.run) {
			ids = append(ids, head.run)
		}
		if err == io.EOF {
			return ids, nil
		}
	}
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
