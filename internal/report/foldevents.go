package report

import (
	"slices"
	"strings"

	"ralph/internal/journal"
	"ralph/internal/stream"
)

// iteration takes up what makes an iteration and a run. It tells whether the
// event is such a one.
func (f *Fold) iteration(e journal.Event) bool {
	switch b := e.Body.(type) {
	case journal.IterationStarted:
		f.leave() // two beginnings in a row: an event between them was lost
		it := Iteration{N: b.N, StartedAt: journal.Time{Time: e.Time}, Outcome: outcomeRunning}
		if b.Story != nil {
			it.Story = &Title{clean(b.Story.ID), clean(b.Story.Title)}
		}
		it.Complete, it.Total = f.run.progress()
		f.run.Iterations = append(f.run.Iterations, it)
		f.open = true
		f.goOn()
	case journal.AttemptStarted:
		f.run.Calls++
		it := f.of(b.N)
		it.LogFile = clean(b.LogFile)
		it.Attempts = append(it.Attempts, Attempt{N: b.Attempt, StartedAt: journal.Time{Time: e.Time},
			Harness: clean(b.Harness), Model: clean(b.Model)})
	case journal.AgentStarted:
	case journal.AttemptEnded:
		f.attemptEnded(b)
	case journal.IterationEnded:
		f.iterationEnded(e, b)
	case journal.RunEnded:
		f.leave()
		f.run.EndedAt, f.run.Status, f.run.Reason = journal.Time{Time: e.Time}, clean(b.Status), clean(string(b.Reason))
		f.run.Message = clean(b.Message)
		if b.Reason != journal.ReasonCrashed {
			code := b.ExitCode
			f.run.ExitCode = &code
		}
	default:
		return false
	}
	return true
}

func (f *Fold) attemptEnded(b journal.AttemptEnded) {
	it := f.of(b.N)
	r := &f.run.Summary
	r.Tokens, r.CostUSD = r.Tokens.Add(b.Tokens), sum(r.CostUSD, b.CostUSD)
	r.TokensEstimated = r.TokensEstimated || b.TokensEstimated
	r.Spent.Agent += b.DurationSeconds
	it.Spent.Agent += b.DurationSeconds
	it.Tokens, it.CostUSD = it.Tokens.Add(b.Tokens), sum(it.CostUSD, b.CostUSD)
	it.TokensEstimated = it.TokensEstimated || b.TokensEstimated
	it.Promised = it.Promised || b.Promised
	if b.Model != "" {
		r.Model = clean(b.Model)
	}
	if len(it.Attempts) == 0 {
		return // its beginning was lost
	}
	a := &it.Attempts[len(it.Attempts)-1]
	a.Outcome, a.Message, a.Hint = clean(b.Outcome), clean(b.Message), clean(b.Hint)
	a.ExitCode, a.Signal, a.Seconds, a.Promised = b.ExitCode, clean(b.Signal), b.DurationSeconds, b.Promised
	a.Denied, a.Strays, a.Broken = plain(b.Denied), b.Strays, b.BrokenLines
	if b.Model != "" {
		a.Model = clean(b.Model)
	}
}

func (f *Fold) iterationEnded(e journal.Event, b journal.IterationEnded) {
	if !f.open {
		f.run.Iterations = append(f.run.Iterations, Iteration{N: b.N, StartedAt: journal.Time{Time: e.Time}})
	}
	f.open = false
	it := f.at()
	it.EndedAt, it.Ended, it.Outcome, it.Error, it.ExitCode = journal.Time{Time: e.Time}, true, clean(b.Outcome), clean(b.Error), b.ExitCode
	it.Commits, it.Accepted = plain(b.Commits), plain(b.StoriesPassed)
	it.Promised, it.Done, it.Complete, it.Total = b.Promised, b.Done, b.StoriesComplete, b.StoriesTotal
	it.Progress, it.NoProgress, it.SameError = b.Progress, b.NoProgress, b.SameError
	if b.LogFile != "" {
		it.LogFile = clean(b.LogFile)
	}
	f.run.Ended++
	f.run.Commits += len(b.Commits)
	it.claim(it.Accepted)
	for _, id := range b.StoriesPassed {
		if s := f.story(id); s != nil {
			s.Done, s.Iteration = true, b.N
		}
	}
	f.run.point(e, b.StoriesComplete, b.StoriesTotal)
}

// claim notes stories that the agent marked.
func (it *Iteration) claim(ids []string) {
	if len(it.Claimed) == 0 {
		it.Claimed = slices.Clone(ids)
		return
	}
	known := make(map[string]bool, len(it.Claimed))
	for _, id := range it.Claimed {
		known[id] = true
	}
	for _, id := range ids {
		if !known[id] {
			it.Claimed = append(it.Claimed, id)
		}
	}
}

// evidence takes up what ralph found out by itself in an iteration. It tells
// whether the event is such a one.
func (f *Fold) evidence(e journal.Event) bool {
	switch b := e.Body.(type) {
	case journal.CheckEnded:
		it := f.of(b.N)
		it.Checks = append(it.Checks, Check{Phase: clean(b.Phase), Name: clean(b.Name), Command: clean(b.Command), Outcome: clean(b.Outcome),
			ExitCode: b.ExitCode, Seconds: b.DurationSeconds, Clean: b.Clean, Same: b.Same, Compares: b.Compares(), Tail: tailOf(b)})
		if !b.Same {
			it.Spent.Check += b.DurationSeconds
			f.run.Spent.Check += b.DurationSeconds
		}
	case journal.StoryProved:
		it := f.of(b.N)
		p := proofOf(b)
		it.Proofs = append(it.Proofs, p)
		if s := f.story(b.Story); s != nil {
			s.Proof = &p
		}
	case journal.TamperFound:
		f.of(b.N).Tamper = tamperOf(b)
	case journal.ClaimRejected:
		f.rejected(b)
	case journal.PlanRestored:
		it := f.of(b.N)
		it.Restored = append(it.Restored, Restored{clean(b.Path), clean(b.What), clean(b.Kept)})
	case journal.NoWork:
		it := f.of(b.N)
		stories := plain(b.Stories)
		it.NoWork = append(it.NoWork, NoWork{stories, b.Accepted})
		it.claim(stories)
	case journal.HeadMoved:
		it := f.of(b.N)
		it.HeadMoved = append(it.HeadMoved, clean(b.Message))
	default:
		return false
	}
	return true
}

func (f *Fold) rejected(b journal.ClaimRejected) {
	it := f.of(b.N)
	reason := clean(string(b.Reason))
	stories := plain(b.Stories)
	it.Rejected = append(it.Rejected, Rejection{clean(b.Claim), stories, reason})
	it.claim(stories)
	for _, id := range b.Stories {
		if s := f.story(id); s != nil {
			s.Done, s.LastReason = false, reason
			s.Rejections++
		}
	}
}

// goOn ends a wait that has no end of its own.
func (f *Fold) goOn() {
	if f.run.Status == journal.StatusPaused {
		f.run.Status, f.run.Reason, f.run.Message = journal.StatusRunning, "", ""
	}
}

func proofOf(b journal.StoryProved) Proof {
	p := Proof{Story: clean(b.Story), Commit: clean(b.Commit), Mode: clean(b.Mode), Why: clean(b.Why),
		Checks: []Check{}, Harness: clean(b.Harness), Model: clean(b.Model), Noted: b.Noted}
	for _, c := range b.Checks {
		p.Checks = append(p.Checks, Check{Name: clean(c.Name), Command: clean(c.Command), Outcome: clean(c.Outcome),
			ExitCode: c.ExitCode, Seconds: c.DurationSeconds, Clean: b.Mode == "clean"})
	}
	return p
}

func tamperOf(b journal.TamperFound) *Tamper {
	t := &Tamper{Findings: []Finding{}, More: b.More, Accepted: b.Accepted}
	for _, f := range b.Findings {
		t.Findings = append(t.Findings, Finding{clean(f.Path), f.Line, clean(f.Rule), clean(f.Message), clean(f.Text)})
	}
	return t
}

// The end of a failed check's output that a report keeps.
const (
	tailLines = 12
	tailBytes = 1500
)

// tailOf is the end of what a check printed, where somebody will want to read it.
func tailOf(b journal.CheckEnded) string {
	if b.Outcome == journal.CheckPassed {
		return ""
	}
	lines := strings.Split(strings.TrimRight(clean(b.Tail), "\n "), "\n")
	tail := strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
	if len(tail) > tailBytes {
		tail = "…" + strings.ToValidUTF8(tail[len(tail)-tailBytes:], "")
	}
	return strings.Clone(tail) // else the whole output is kept
}

// clean makes a text harmless wherever it is shown.
func clean[T ~string](text T) T { return T(stream.Sanitize(string(text))) }

// plain returns the texts, harmless.
func plain(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = clean(t)
	}
	return out
}

func sum(a, b *float64) *float64 {
	if b == nil {
		return a
	}
	total := *b
	if a != nil {
		total += *a
	}
	return &total
}
