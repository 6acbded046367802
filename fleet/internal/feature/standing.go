package feature

import "time"

// Outcome is how a turn ended.
type Outcome string

// The outcomes of turns. All but the first two leave the feature open.
const (
	Done    Outcome = "done"
	Failed  Outcome = "failed"
	Limited Outcome = "limited" // the provider's usage limit is reached
	Ended   Outcome = "ended"   // the host was asked to end it, by the user or because it goes down
)

// Handback is a host's report at the end of a turn. The state of the feature at that time is on
// the remote.
type Handback struct {
	Outcome   Outcome    `json:"outcome"`
	Reason    string     `json:"reason"` // in the journal's word
	Message   string     `json:"message"`
	ExitCode  int        `json:"exitCode"` // of "ralph run"
	ResumesAt *time.Time `json:"resumesAt,omitempty"`
	Host      string     `json:"host"`
	Progress  Progress   `json:"progress"`
}

// Progress is how far a feature is; hosts send it along with every sign of life.
type Progress struct {
	Host          string    `json:"host"`
	Status        string    `json:"status"` // fetching, running, waiting, pushing
	Iteration     int       `json:"iteration"`
	MaxIterations int       `json:"maxIterations"`
	Stories       int       `json:"storiesComplete"`
	StoriesTotal  int       `json:"storiesTotal"`
	Story         string    `json:"currentStory,omitempty"`
	Spent         Spent     `json:"spent"`
	Pushed        time.Time `json:"pushed,omitzero"`   // when the remote had all last
	Trouble       string    `json:"trouble,omitempty"` // what the user should know of the host
	Events        int       `json:"events"`            // of the runs of this turn
	Event         string    `json:"event,omitempty"`   // the latest, as in the journal
	Lines         []string  `json:"lines,omitempty"`   // the last events, in words
}

// Phase is where a feature is in its life.
type Phase string

// The phases. A feature in the phase Working may still wait for a free host.
const (
	Working  Phase = "working"
	Waiting  Phase = "waiting" // until a moment
	Paused   Phase = "paused"  // until the user says so
	Finished Phase = "finished"
)

// Standing is what a feature's workflow knows of it.
type Standing struct {
	Submission Submission `json:"submission"`
	Submitted  time.Time  `json:"submitted,omitzero"`
	Phase      Phase      `json:"phase"`
	Turn       int        `json:"turn"`
	Outcome    Outcome    `json:"outcome,omitempty"` // where it is finished; Ended is: stopped by the user
	Reason     string     `json:"reason,omitempty"`
	Message    string     `json:"message,omitempty"`
	Until      *time.Time `json:"until,omitempty"` // where it waits
	Last       *Handback  `json:"last,omitempty"`
	Since      time.Time  `json:"since"` // of the phase, by the server's clock
	Lost       int        `json:"lost"`  // hosts that fell silent

	// Wish is what the user asked for that the host running has not answered yet: the
	// signal. The host reads it when its turn is cancelled.
	Wish string `json:"wish,omitempty"`
}

// ForLists is the standing without what a list does not show and what can be long: a
// workflow's memo, which lists read, has room for some kilobytes.
func (s Standing) ForLists() Standing {
	s.Submission.Flags.Text = ""
	s.Message = cut(s.Message, longestMessage)
	if s.Last != nil {
		last := *s.Last
		last.Message = cut(last.Message, longestMessage)
		s.Last = &last
	}
	return s
}

const longestMessage = 2000 // bytes

// Types of the errors with which a turn fails.
const (
	ErrBusy    = "busy"    // the host has no free slot after all: try again at once
	ErrTrouble = "trouble" // may pass: the remote cannot be reached, the disk is full
	ErrFeature = "feature" // will not pass: there is no such branch, or no plan
	ErrOusted  = "ousted"  // another host has the feature
)
