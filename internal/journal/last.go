package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
)

// edgeRead is how much of either end of a journal [ReadLast] reads first.
const edgeRead = 8 << 10

// The marks of the lines that matter. In a text the quotes would be escaped.
const (
	runMark       = `"type":"run_started"`
	iterationMark = `"type":"iteration_started"`
)

// ReadLast returns the start of the last run of the journal at path, and its events from
// the last iteration on: enough for its status, but for what it has used. It reads little
// of a long journal. A journal that does not exist is an error that is fs.ErrNotExist;
// one without a run has no events.
func ReadLast(path string) (events []Event, err error) {
	first := true
	err = readEnds(path, edgeRead, func(f io.ReaderAt, tail []byte, whole bool) bool {
		if events = lastRun(tail); events == nil && first && !whole {
			events = onlyRun(f, tail)
		}
		first = false
		return events != nil
	})
	return events, err
}

// ReadEnd returns the events at the end of the journal at path, from more and more of it until
// there are enough.
func ReadEnd(path string, enough func([]Event) bool) (events []Event, err error) {
	err = readEnds(path, 8*edgeRead, func(_ io.ReaderAt, tail []byte, whole bool) bool {
		if !whole {
			tail = tail[bytes.IndexByte(tail, '\n')+1:] // the first line may be cut
		}
		events = eventsOf(tail)
		return enough(events)
	})
	return events, err
}

// readEnds hands growing ends of a journal to done until that returns true, or the end is the
// whole journal. An end stops at the end of a line: the last line may be torn.
func readEnds(path string, n int64, done func(f io.ReaderAt, tail []byte, whole bool) bool) error {
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("the journal cannot be read: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return fmt.Errorf("the journal cannot be read: %w", err)
	}
	for ; ; n *= 8 {
		tail := make([]byte, min(n, info.Size()))
		if _, err := f.ReadAt(tail, info.Size()-int64(len(tail))); err != nil && !errors.Is(err, io.EOF) {
			return fmt.Errorf("the journal cannot be read: %w", err)
		}
		whole := n >= info.Size()
		if done(f, tail[:bytes.LastIndexByte(tail, '\n')+1], whole) || whole {
			return nil
		}
	}
}

// lastRun returns the events of the last run that starts in tail, nil where none does.
func lastRun(tail []byte) []Event {
	for end := len(tail); ; {
		at := bytes.LastIndex(tail[:end], []byte(runMark))
		if at < 0 {
			return nil
		}
		from := bytes.LastIndexByte(tail[:at], '\n') + 1
		line := from + bytes.IndexByte(tail[from:], '\n') + 1
		if start, _ := parseLine(tail[from:line]); isStart(start) {
			return append([]Event{start}, eventsOf(tail[line+max(lastIteration(tail[line:]), 0):])...)
		}
		end = from
	}
}

// onlyRun is lastRun for a journal of one run, which starts at its first line.
func onlyRun(f io.ReaderAt, tail []byte) []Event {
	from := lastIteration(tail)
	head := make([]byte, edgeRead)
	n, _ := f.ReadAt(head, 0)
	end := bytes.IndexByte(head[:n], '\n')
	if from <= 0 || end < 0 {
		return nil
	}
	start, err := parseLine(head[:end])
	if err != nil || !isStart(start) {
		return nil
	}
	events := []Event{start}
	for _, e := range eventsOf(tail[from:]) {
		if e.Run != start.Run {
			return nil
		}
		events = append(events, e)
	}
	return events
}

func isStart(e Event) bool { _, ok := e.Body.(RunStarted); return ok }

func isEnd(e Event) bool { _, ok := e.Body.(RunEnded); return ok }

// lastIteration returns where the last line with the start of an iteration begins, or -1.
func lastIteration(text []byte) int {
	at := bytes.LastIndex(text, []byte(iterationMark))
	if at < 0 {
		return -1
	}
	return bytes.LastIndexByte(text[:at], '\n') + 1
}

// eventsOf returns the events of whole lines; torn ones have none.
func eventsOf(text []byte) []Event {
	var list []Event
	for line := range bytes.Lines(text) {
		if e, _ := parseLine(line); e.Body != nil {
			list = append(list, e)
		}
	}
	return list
}
