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

// Report is the outcome of all checks. Its JSON form is for programs.
type Report struct {
	Unit   string   `json:"unit"`   // empty where the branch names none
	Branch string   `json:"branch"` // empty where HEAD is detached
	Folder string   `json:"folder"` // from the worktree's root, such as .ralph/feature-x/; empty where the plan has none
	OK     bool     `json:"ok"`     // there is no error
	Checks []Check  `json:"checks"`
	Notes  []string `json:"notes,omitempty"` // warnings that have no effect on the verdict; shown next to the report

	kind string // of the folder, for people; empty for a feature's
}

// Check is the outcome of one check.
type Check struct {
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

// Detail is one of the things that a check found. In JSON it is a string that
// begins with the place, as compilers write it and editors read it.
type Detail struct {
	Text   string
	Note   string // a line of its own below the text, for people
	File   string // from the worktree's root; empty where there is no place
	Line   int    // from 1; 0 where the detail is about the whole file
	Column int    // from 1, in characters; 0 where unknown
}

// String is the detail with its place.
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
