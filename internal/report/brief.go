package report

import (
	"fmt"
	"strings"

	"ralph/internal/journal"
	"ralph/internal/words"
)

// Mark is the state of an iteration or a story in one word.
type Mark string

// The marks.
const (
	Good Mark = "good" // something was accepted
	Bad  Mark = "bad"  // an error
	None Mark = "none" // neither
)

// Mark returns Good for progress, Bad for an error, and None otherwise or while it runs.
func (it *Iteration) Mark() Mark {
	switch {
	case it.Outcome == outcomeRunning:
		return None
	case it.Outcome != "ok":
		return Bad
	case it.Progress:
		return Good
	}
	return None
}

// Brief summarizes the results of the iteration in one line.
func (it *Iteration) Brief() string {
	var parts []string
	switch {
	case it.Outcome == outcomeRunning:
		parts = append(parts, "running")
	case !it.Ended && it.Outcome == outcomeNoCall:
		parts = append(parts, "its agent was not called")
	case !it.Ended && it.Outcome != journal.OutcomeCrash:
		parts = append(parts, words.WithSpaces(it.Outcome)+": no iteration")
	case it.Outcome != "ok":
		text := words.WithSpaces(it.Outcome)
		if it.Error != "" {
			text += ": " + it.Error
		}
		parts = append(parts, text)
	}
	if len(it.Accepted) > 0 {
		parts = append(parts, "accepted: "+some(it.Accepted, 4))
	}
	if n := len(it.Commits); n > 0 {
		parts = append(parts, words.Count(n, "commit"))
	}
	for _, r := range it.Rejected {
		parts = append(parts, fmt.Sprintf("not accepted: %s: %s", r.what(4), r.Reason))
	}
	if len(it.Rejected) == 0 || it.Rejected[0].Claim == "promise" {
		for _, c := range it.lastChecks() {
			if c.Outcome != "passed" {
				parts = append(parts, "check "+c.Name+" "+c.ended())
			}
		}
	}
	if it.Tamper != nil {
		parts = append(parts, words.Count(len(it.Tamper.Findings)+it.Tamper.More, "sign")+" of tampering")
	}
	if len(it.Restored) > 0 {
		parts = append(parts, words.Count(len(it.Restored), "file")+" of the plan restored")
	}
	if it.Ended && !it.Progress && it.NoProgress > 0 {
		parts = append(parts, fmt.Sprintf("no progress (%d in a row)", it.NoProgress))
	}
	return strings.Join(parts, "; ")
}

// what names the claim, with at most so many stories.
func (r Rejection) what(most int) string {
	switch {
	case len(r.Stories) > 0:
		return some(r.Stories, most)
	case r.Claim == journal.ClaimPromise:
		return "the promise that all is done"
	case r.Claim == journal.ClaimDone:
		return "the plan as done"
	}
	return string(r.Claim)
}

// Mark returns Good for a story that counts as done, else None.
func (s *Story) Mark() Mark {
	if s.Done {
		return Good
	}
	return None
}

// Brief returns the state of the story and its reason in one line.
func (s *Story) Brief() string {
	var parts []string
	switch {
	case s.Done && s.Earlier && s.Iteration == 0:
		parts = append(parts, "done before this run")
	case s.Done && s.Iteration > 0:
		parts = append(parts, fmt.Sprintf("accepted in iteration %d", s.Iteration))
	case s.Done:
		parts = append(parts, "accepted")
	case s.Parked != nil && s.Parked.Story != s.ID:
		parts = append(parts, "waits for "+s.Parked.Story+", which is parked")
	case s.Parked != nil:
		parts = append(parts, "parked: "+s.Parked.Message, "see its work with git diff HEAD..."+s.Parked.Ref)
		if s.Parked.Notes != "" {
			parts = append(parts, "the agent's notes: "+s.Parked.Notes)
		}
	default:
		parts = append(parts, "open")
	}
	if s.Done && s.Proof != nil {
		parts = append(parts, s.Proof.where())
		if s.Proof.Shown != "" && len(s.Proof.Checks) > 0 {
			parts = append(parts, s.Proof.Shown)
		}
		if len(s.Proof.Unsealed) > 0 {
			parts = append(parts, "unsealed: "+strings.Join(s.Proof.Unsealed, ", "))
		}
	}
	if s.Rejections > 0 {
		parts = append(parts, fmt.Sprintf("not accepted %s: %s", times(s.Rejections), s.LastReason))
	}
	return strings.Join(parts, "; ")
}

func times(n int) string {
	if n == 1 {
		return "once"
	}
	return fmt.Sprintf("%d times, the last time", n)
}

// Name returns the story's id and title, or only one of them if they are the same.
func (s Title) Name() string { return journal.Story{ID: s.ID, Title: s.Title}.Name() }

// Name returns the story's id and title.
func (s *Story) Name() string { return Title{s.ID, s.Title}.Name() }
