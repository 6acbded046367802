package journal

import "time"

// ChangeStateSchema is the version of a change's state.json.
const ChangeStateSchema = 1

// ChangeState is the file state.json of a change: the keys that Ito's own programs
// read, and what ralph knows besides. It is the fold of the journal's events by
// [ChangeState.Apply]; docs/schemas/change-state.schema.json describes it.
type ChangeState struct {
	ChangeID      string            `json:"changeId"` // empty where the events are of no change
	Module        Text              `json:"module"`
	SchemaVersion int               `json:"schemaVersion"`
	Iteration     int               `json:"iteration"` // of the last run, that runs or ran last; 0 before the first
	LastOutcome   Text              `json:"lastOutcome"`
	LastFailure   Text              `json:"lastFailure"` // of the last iteration, null where it had none
	History       []ChangeIteration `json:"history"`     // of all runs, the oldest first
	ContextFile   string            `json:"contextFile"` // empty: what a person tells the agent is in the journal

	began   time.Time
	failure string // of the iteration at work
	rows    listText[ChangeIteration]
}

// ChangeIteration is one iteration of a [ChangeState].
type ChangeIteration struct {
	Run          string  `json:"run"`
	N            int     `json:"iteration"` // from 1 in each run
	Timestamp    int64   `json:"timestamp"` // of its end, in milliseconds since 1970
	Duration     int64   `json:"duration"`  // in milliseconds; 0 where its begin is not known
	Promised     bool    `json:"completionPromiseFound"`
	ChangedFiles int     `json:"fileChangesCount"` // committed or not; 0 where nobody counted
	ExitCode     int     `json:"exitCode"`
	Outcome      Outcome `json:"outcome"`
	Validated    bool    `json:"validated"` // ralph found the change done
}

// Apply brings the state up to date with the next event. What earlier runs of the
// change did stays in the history. A branch may have the change's name, and its unit
// the same journal: its runs are none of the change's.
func (s *ChangeState) Apply(e Event) {
	if b, ok := e.Body.(RunStarted); ok {
		if s.ChangeID = b.Change; s.ChangeID != "" {
			s.Module, s.SchemaVersion, s.Iteration = Text(b.Module), ChangeStateSchema, 0
		}
	}
	if s.ChangeID == "" {
		return
	}
	switch b := e.Body.(type) {
	case IterationStarted:
		s.Iteration, s.began, s.failure = b.N, e.Time, ""
	case ClaimRejected:
		s.failure = b.Reason
	case IterationEnded:
		s.endIteration(e, b)
	}
}

func (s *ChangeState) endIteration(e Event, b IterationEnded) {
	row := ChangeIteration{Run: e.Run, N: b.N, Timestamp: e.Time.UnixMilli(), Promised: b.Promised, ExitCode: b.ExitCode,
		Outcome: b.Outcome, Validated: b.Done}
	if !s.began.IsZero() {
		row.Duration = max(0, e.Time.Sub(s.began).Milliseconds())
	}
	if b.ChangedFiles != nil {
		row.ChangedFiles = *b.ChangedFiles
	}
	s.History = append(s.History, row)
	s.LastOutcome, s.LastFailure = Text(b.Outcome), Text(b.Error)
	if b.Error == "" {
		s.LastFailure = Text(s.failure)
	}
	s.began, s.failure = time.Time{}, ""
}

// WriteChangeState replaces the file at path (0644) by the state as JSON, and
// creates its directory where it is missing.
func WriteChangeState(path string, s *ChangeState) error {
	head := *s
	head.History = []ChangeIteration{}
	return writeWithList(path, head, "history", s.History, len(s.History), &s.rows)
}
