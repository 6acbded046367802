package journal

// Unfinished is a run that has not recorded its end, with all that is needed
// to clean up behind it: what was at work and how to recognise it. It is the
// fold of the journal's events by [Unfinished.Apply].
type Unfinished struct {
	Run       string // empty where the last run has ended
	Start     RunStarted
	Iteration *IterationStarted // under way; nil between two
	Attempt   *AttemptStarted   // under way
	Agent     *AgentStarted     // the agent's process, where it came to that
	Last      Event             // the last event of the run
}

// Apply takes up the next event.
func (u *Unfinished) Apply(e Event) {
	switch b := e.Body.(type) {
	case RunStarted:
		*u = Unfinished{Run: e.Run, Start: b}
	case IterationStarted:
		u.Iteration, u.Attempt, u.Agent = &b, nil, nil
	case AttemptStarted:
		u.Attempt, u.Agent = &b, nil
	case AgentStarted:
		u.Agent = &b
	case AttemptEnded:
		u.Attempt, u.Agent = nil, nil
	case IterationEnded:
		u.Iteration = nil
	case RunEnded:
		*u = Unfinished{}
		return
	}
	if u.Run != "" {
		u.Last = e
	}
}
