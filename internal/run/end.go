package run

import (
	"time"

	"ralph/internal/journal"
)

// End describes how and why a run ended.
type End struct {
	Reason    journal.Reason
	Message   string    // a sentence for the user
	Hint      string    // what the user can do next, may be empty
	ResumesAt time.Time // when a usage limit ends, zero where it does not matter
}

// Status returns the status that status.json shows for the end.
func (e End) Status() journal.RunStatus { return e.Reason.Status() }

// ExitCode returns the exit status of ralph for the end.
func (e End) ExitCode() int { return e.Reason.ExitCode() }

// Done reports whether the plan is done.
func (e End) Done() bool { return e.ExitCode() == journal.ExitDone }
