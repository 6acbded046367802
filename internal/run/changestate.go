package run

import "ralph/internal/journal"

// ChangeStateSchema is the version of a change's state.json.
const ChangeStateSchema = 1

// ChangeState holds the content of a change's state.json: the keys that Ito's own programs
// read, and more that ralph knows. docs/schemas/change-state.schema.json describes it.
type ChangeState struct {
	ChangeID      string            `json:"changeId"` // empty for any other plan
	Module        journal.Text      `json:"module"`
	SchemaVersion int               `json:"schemaVersion"`
	Iteration     int               `json:"iteration"` // of the last run, that runs or ran last; 0 before the first
	LastOutcome   journal.Text      `json:"lastOutcome"`
	LastFailure   journal.Text      `json:"lastFailure"` // of the last iteration, null where it had none
	History       []ChangeIteration `json:"history"`     // of all runs, the oldest first
	ContextFile   string            `json:"contextFile"` // empty: the user's context for the agent is in the journal
}

// ChangeIteration is one iteration of a [ChangeState].
type ChangeIteration struct {
	Run          string          `json:"run"`
	N            int             `json:"iteration"` // from 1 in each run
	Timestamp    int64           `json:"timestamp"` // of its end, in milliseconds since 1970
	Duration     int64           `json:"duration"`  // in milliseconds; 0 where its start is not known
	Promised     bool            `json:"completionPromiseFound"`
	ChangedFiles int             `json:"fileChangesCount"` // committed or not; 0 where they were not counted
	ExitCode     int             `json:"exitCode"`
	Outcome      journal.Outcome `json:"outcome"`
	Validated    bool            `json:"validated"` // ralph found the change done
}

// ChangeState returns the content of the change's state.json. A branch with the same name has
// the same journal: its runs are left out.
func (s *State) ChangeState() ChangeState {
	out := ChangeState{History: []ChangeIteration{}}
	for _, r := range s.Runs {
		if out.ChangeID = r.Start.Change; out.ChangeID == "" {
			continue
		}
		out.Module, out.SchemaVersion, out.Iteration = journal.Text(r.Start.Module), ChangeStateSchema, r.At().N
		for _, it := range r.Iterations {
			if it.End != nil {
				out.add(r.ID, it)
			}
		}
	}
	return out
}

func (s *ChangeState) add(run string, it *Iteration) {
	b := it.End
	row := ChangeIteration{Run: run, N: b.N, Timestamp: it.EndedAt.UnixMilli(), Promised: b.Promised,
		ExitCode: b.ExitCode, Outcome: b.Outcome, Validated: b.Done}
	if !it.StartedAt.IsZero() {
		row.Duration = max(0, it.EndedAt.Sub(it.StartedAt).Milliseconds())
	}
	if b.ChangedFiles != nil {
		row.ChangedFiles = *b.ChangedFiles
	}
	s.History = append(s.History, row)
	s.LastOutcome, s.LastFailure = journal.Text(b.Outcome), journal.Text(b.Error)
	if b.Error == "" {
		s.LastFailure = journal.Text(it.Refused)
	}
}

// JSON returns the text of the file.
func (s ChangeState) JSON() ([]byte, error) { return indented(s) }
