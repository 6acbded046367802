package journal

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"
	"time"
)

// FetchNotes is the command that brings the receipts of a clone's origin.
const FetchNotes = "git fetch origin refs/notes/ralph:refs/notes/ralph"

// Receipt is the record of a story's acceptance in a git note: the content of story_proved, and
// what distinguishes the runs of all units of all clones.
type Receipt struct {
	Schema int       `json:"schema"` // SchemaVersion
	Time   time.Time `json:"time"`   // UTC
	Run    string    `json:"run"`
	Unit   string    `json:"unit"`
	StoryProved
}

// AppendTo appends the receipt as one line of JSON, newline included.
func (r Receipt) AppendTo(buf []byte) ([]byte, error) {
	r.StoryProved = withLists(r.StoryProved)
	out := bytes.NewBuffer(buf)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(r); err != nil {
		return buf, fmt.Errorf("the receipt of %s cannot be written: %w", r.Story, err)
	}
	return out.Bytes(), nil
}

// ParseReceipts reads the receipts of a note. Other programs and newer versions
// of this one may write there too: lines that are no receipt are passed over.
func ParseReceipts(note string) []Receipt {
	var list []Receipt
	for line := range strings.Lines(note) {
		var r Receipt
		if json.Unmarshal([]byte(line), &r) == nil && r.Schema > 0 && r.Schema <= SchemaVersion && r.Unit != "" && r.Story != "" {
			list = append(list, r)
		}
	}
	return list
}
