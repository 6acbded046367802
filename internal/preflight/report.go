package preflight

import (
	"encoding/json"
	"fmt"
)

// Severity says whether the result of a check prevents a run.
type Severity string

// The severities. A run begins unless there is an Error.
const (
	OK    Severity = "ok"
	Warn  Severity = "warn"
	Error Severity = "error"
)

// Report holds the results of all checks. Its JSON form is for programs.
type Report struct {
	Unit   string      `json:"unit"`   // empty if the branch cannot name a unit
	Branch string      `json:"branch"` // empty if HEAD is detached
	Folder string      `json:"folder"` // from the worktree's root, such as .ralph/x/; may be empty
	OK     bool        `json:"ok"`     // there is no error
	Checks []Condition `json:"checks"`
	Notes  []string    `json:"notes,omitempty"` // warnings that have no effect on the verdict; shown next to the report

	kind string // of the folder, for people; empty for a feature's
}

// Condition holds the result of one check.
type Condition struct {
	ID       string   `json:"id"` // which check; one that warns of several things occurs several times
	Severity Severity `json:"severity"`
	Message  string   `json:"message"` // one line
	Details  []Detail `json:"details"`
	Hint     string   `json:"hint"` // what to do about it; may have several lines

	// How much of it people are shown.
	quiet   bool // nothing
	brief   bool // no details
	located bool // the places of the details too
	hinted  bool // the hint too, of what is only a warning
}

// Detail describes one thing that a check found. Its JSON form is a string that starts with
// the place, in the form of compilers and editors.
type Detail struct {
	Text   string
	Note   string // a line of its own below the text, for people
	File   string // from the worktree's root; empty without a place
	Line   int    // from 1; 0 where the detail is about the whole file
	Column int    // from 1, in characters; 0 where unknown
}

// String returns the detail with its place.
func (d Detail) String() string {
	switch {
	case d.File == "":
		return d.Text
	case d.Line == 0:
		return fmt.Sprintf("%s: %s", d.File, d.Text)
	case d.Column == 0:
		return fmt.Sprintf("%s:%d: %s", d.File, d.Line, d.Text)
	}
	return fmt.Sprintf("%s:%d:%d: %s", d.File, d.Line, d.Column, d.Text)
}

// MarshalJSON implements json.Marshaler.
func (d Detail) MarshalJSON() ([]byte, error) {
	s := d.String()
	if d.Note != "" {
		s += ": " + d.Note
	}
	return json.Marshal(s)
}
