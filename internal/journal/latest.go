package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"

	"github.com/tidwall/gjson"
)

// Latest is how far the last run of a journal is: what a list of many units
// shows. It reads a few lines of each.
type Latest struct {
	Status        RunStatus // running, paused, completed, failed or stopped
	Reason        Reason
	Iteration     int
	MaxIterations int
	PID           PID // of a run that has not ended
	PIDStart      string
	LastUpdated   Time
}

// ReadLatest reads the end of the journal at path, from its last run on. A
// journal that does not exist is an error that is fs.ErrNotExist; one without a
// run is an empty Latest.
func ReadLatest(path string) (Latest, error) {
	f, err := os.Open(path)
	if err != nil {
		return Latest{}, fmt.Errorf("the journal cannot be read: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return Latest{}, fmt.Errorf("the journal cannot be read: %w", err)
	}
	s, ok := onlyRun(f, info.Size())
	for n := int64(tailRead); !ok; n *= 8 {
		tail := make([]byte, min(n, info.Size()))
		if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
			return Latest{}, fmt.Errorf("the journal cannot be read: %w", err)
		}
		if s, ok = latestOf(tail); !ok && n >= info.Size() {
			return Latest{}, nil
		}
	}
	return Latest{s.Status, s.Reason, s.Iteration, s.MaxIterations, s.PID, s.PIDStart, s.LastUpdated}, nil
}

// onlyRun is the shortcut for the journal of one run: its beginning and its end
// have all that is needed. ok is false where that is not so.
func onlyRun(f *os.File, size int64) (s Status, ok bool) {
	buf := make([]byte, 2*edgeRead)
	if size < int64(len(buf)) {
		return s, false // reading all of it is as cheap
	}
	head, tail := buf[:edgeRead], buf[edgeRead:]
	if n, _ := f.ReadAt(head, 0); n < edgeRead {
		return s, false
	}
	if n, _ := f.ReadAt(tail, size-edgeRead); n < edgeRead {
		return s, false
	}
	end := bytes.IndexByte(head, '\n')
	if end < 0 || !bytes.Contains(head[:end], []byte(runMark)) {
		return s, false
	}
	if s, ok = startOf(head[:end]); !ok {
		return s, false
	}
	run := findHead(head[:end]).run
	tail = tail[:bytes.LastIndexByte(tail, '\n')+1]
	from := lastIteration(tail)
	if from <= 0 {
		return s, false
	}
	for _, e := range eventsOf(tail[from:]) {
		if e.Run != run {
			return s, false
		}
		s.Apply(e)
	}
	return s, true
}

// edgeRead is how much of either end of a journal the shortcut reads.
const edgeRead = 8 << 10

// The marks of the lines that matter. In a text the quotes would be escaped.
const (
	runMark       = `"type":"run_started"`
	iterationMark = `"type":"iteration_started"`
)

// latestOf folds the events of the last run whose beginning is in tail; ok is
// false where there is none. Of the status it sets what [Latest] has: an
// iteration's start begins it anew but for that, so that all before the last one
// can be passed over.
func latestOf(tail []byte) (s Status, ok bool) {
	tail = tail[:bytes.LastIndexByte(tail, '\n')+1] // the last line may be torn
	rest := tail
	for {
		at := bytes.Index(rest, []byte(runMark))
		if at < 0 {
			break
		}
		line, behind := lineAt(rest, at)
		if started, valid := startOf(line); valid {
			s, ok, tail = started, true, behind
		}
		rest = behind
	}
	if !ok {
		return Status{}, false
	}
	for _, e := range eventsOf(tail[max(lastIteration(tail), 0):]) {
		s.Apply(e)
	}
	return s, true
}

// lastIteration is where the line begins that tells of the start of an iteration,
// the last one of such lines, or -1.
func lastIteration(text []byte) int {
	at := bytes.LastIndex(text, []byte(iterationMark)) // it is near the end
	if at < 0 {
		return -1
	}
	return bytes.LastIndexByte(text[:at], '\n') + 1
}

// eventsOf are the events of whole lines; what is torn has none.
func eventsOf(text []byte) []Event {
	var list []Event
	for line := range bytes.Lines(text) {
		events, _ := parseLine(line)
		list = append(list, events...)
	}
	return list
}

// lineAt is the line that holds the byte at, and what stands behind it.
func lineAt(text []byte, at int) (line, behind []byte) {
	begin := bytes.LastIndexByte(text[:at], '\n') + 1
	end := at + bytes.IndexByte(text[at:], '\n') + 1
	return text[begin:end], text[end:]
}

// startOf is the status at the start of a run, as far as [Latest] has it. The
// line holds the whole plan: to decode all of it would take longer than the rest.
func startOf(line []byte) (Status, bool) {
	if at := bytes.LastIndex(line, []byte(lineStart)); at > 0 {
		line = line[at:] // behind a torn one
	}
	if !gjson.ValidBytes(line) {
		return Status{}, false
	}
	var s Status
	v := gjson.GetManyBytes(line, "time", "maxIterations", "pid", "pidStart")
	if err := s.LastUpdated.UnmarshalText([]byte(v[0].String())); err != nil {
		return Status{}, false
	}
	s.Status, s.MaxIterations, s.PID, s.PIDStart = StatusRunning, int(v[1].Int()), PID(v[2].Int()), v[3].String()
	return s, true
}
