package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"time"
)

// tailRead is how much of a journal's end is read to find its last line.
const tailRead = 64 << 10

// Ended reports, at the cost of one read, whether the journal at path ends with the end of a run
// or does not exist. Then no run can have died without a record. False is only a suspicion, which
// a full reading confirms.
func Ended(path string) (bool, error) {
	last, err := lastHead(path)
	switch last.Type {
	case "none", RunEnded{}.EventType(), Archived{}.EventType(), Undone{}.EventType():
		return err == nil, err
	}
	return false, err
}

// LastTime returns the time of the journal's last event. It is zero if the journal at path does
// not exist, is empty or has a broken end.
func LastTime(path string) time.Time {
	last, _ := lastHead(path)
	return last.Time
}

// eventHead is the head of an event. Of a journal without events, Type is "none".
type eventHead struct {
	Type string
	Time time.Time
}

// lastHead reads the head of the journal's last line. It is empty where that cannot be decoded: a
// full reading reports what is wrong.
func lastHead(path string) (eventHead, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return eventHead{Type: "none"}, nil
	}
	if err != nil {
		return eventHead{}, fmt.Errorf("the journal cannot be read: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return eventHead{}, fmt.Errorf("the journal cannot be read: %w", err)
	}
	tail := make([]byte, min(info.Size(), tailRead))
	if n, err := f.ReadAt(tail, info.Size()-int64(len(tail))); n < len(tail) {
		return eventHead{}, fmt.Errorf("the journal cannot be read: %w", err)
	}
	tail = tail[:bytes.LastIndexByte(tail, '\n')+1]
	if len(tail) == 0 && info.Size() == 0 {
		return eventHead{Type: "none"}, nil
	}
	if len(tail) == 0 {
		return eventHead{}, nil
	}
	var head eventHead
	if err := json.Unmarshal(tail[bytes.LastIndexByte(tail[:len(tail)-1], '\n')+1:], &head); err != nil {
		return eventHead{}, nil //nolint:nilerr // see above
	}
	return head, nil
}
