package journal

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// tailRead is how much of a journal's end is read to find its last line.
const tailRead = 64 << 10

// Ended reports, at the cost of one read, whether the journal at path ends with the end of a run
// or does not exist. Then no run can have died without a record. False is only a suspicion, which
// a full reading confirms.
func Ended(path string) (bool, error) {
	f, err := os.Open(path)
	if errors.Is(err, fs.ErrNotExist) {
		return true, nil
	}
	if err != nil {
		return false, fmt.Errorf("the journal cannot be read: %w", err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return false, fmt.Errorf("the journal cannot be read: %w", err)
	}
	tail := make([]byte, min(info.Size(), tailRead))
	if n, err := f.ReadAt(tail, info.Size()-int64(len(tail))); n < len(tail) {
		return false, fmt.Errorf("the journal cannot be read: %w", err)
	}
	tail = tail[:bytes.LastIndexByte(tail, '\n')+1]
	if len(tail) == 0 {
		return info.Size() == 0, nil
	}
	last := tail[bytes.LastIndexByte(tail[:len(tail)-1], '\n')+1:]
	var head struct {
		Type string `json:"type"`
	}
	if err := json.Unmarshal(last, &head); err != nil {
		return false, nil //nolint:nilerr // a full reading reports what is wrong
	}
	switch head.Type {
	case RunEnded{}.EventType(), Archived{}.EventType(), Undone{}.EventType():
		return true, nil
	}
	return false, nil
}
