package report

import (
	"iter"
	"strings"
	"time"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/stream"
)

// The outcomes of an iteration that has no iteration_ended.
const (
	outcomeRunning = "running"
	outcomeNoCall  = "no call" // the run ended before its agent was called
)

// New makes a report from a unit's state, with the run id in full. An empty id means the last
// run. The state must include the evidence of that run. If dead is true, the process of the
// last run is gone, and an unfinished last run counts as crashed.
func New(s *run.State, id string, dead bool) Report {
	r := Report{Runs: []Summary{}}
	for _, one := range s.Past() {
		last := one == s.Last()
		r.Runs = append(r.Runs, summaryOf(one, dead && last))
		if last {
			r.Unit, r.Plan = clean(one.Start.Unit), clean(one.Start.Plan)
			r.Branch, r.Worktree = clean(one.Start.Branch), clean(one.Start.Worktree)
		}
		if id == one.ID || id == "" && last {
			r.Run = runOf(one, r.Runs[len(r.Runs)-1], last)
		}
	}
	return r
}

// summaryOf is a run in brief.
func summaryOf(r *run.Run, dead bool) Summary {
	s := Summary{ID: clean(r.ID), Harness: clean(r.Start.Harness), Model: clean(r.Calls.Reported),
		StartedAt: moment(r.StartedAt), EndedAt: moment(r.EndedAt), UpdatedAt: moment(r.Updated), Status: journal.StatusRunning,
		Ended: r.Ended, Calls: r.Calls.Count, Commits: r.Commits,
		Tokens: r.Calls.Tokens, TokensEstimated: r.Calls.Estimated, CostUSD: r.Calls.CostUSD, Spent: timesOf(r.Spent)}
	s.Complete, s.Total = r.Plan.Counts()
	switch {
	case r.End != nil:
		s.Status, s.Reason, s.Message = clean(r.End.Status), clean(string(r.End.Reason)), clean(r.End.Message)
		if r.End.Reason != journal.ReasonCrashed {
			code := r.End.ExitCode
			s.ExitCode = &code
		}
	case r.Crashed || dead:
		s.Status, s.Reason = journal.StatusFailed, string(journal.ReasonCrashed)
		s.Message = "ralph died before it could end this run"
	case r.Wait != nil && r.Wait.Reason != journal.WaitTransient:
		s.Status, s.Reason, s.Message = journal.StatusPaused, clean(string(r.Wait.Reason)), clean(r.Wait.Message)
	}
	return s
}

// runOf is a run in full. Its logs are elsewhere once a newer run has started.
func runOf(r *run.Run, s Summary, last bool) *Run {
	b := r.Start
	out := &Run{Summary: s, Plan: clean(b.Plan), Version: clean(b.Version), Task: clean(b.Task),
		Head: clean(b.Head), MaxIterations: b.MaxIterations, TimeoutSeconds: b.TimeoutSeconds,
		StallThreshold: b.StallThreshold, SameError: b.SameError,
		Stories: []Story{}, Points: []Point{}, Before: iterationOf(&r.Before, s), Iterations: []Iteration{}, Notes: []Note{}}
	if r.End != nil {
		out.rule, out.facts = clean(r.End.Rule), r.End.Facts
	}
	for i := range r.Plan.Items {
		out.Stories = append(out.Stories, storyOf(&r.Plan.Items[i]))
	}
	for _, m := range r.Calls.Models {
		out.Models = append(out.Models, ModelUse{clean(m.Harness), clean(m.Model), m.Calls, m.Tokens, m.Estimated, m.CostUSD})
	}
	for _, p := range r.Plan.Points {
		out.Points = append(out.Points, Point{moment(p.At), p.Complete, p.Total})
	}
	for _, it := range r.Iterations {
		one := iterationOf(it, s)
		if !last {
			one.LogFile = journal.OldLog(one.LogFile, s.ID)
		}
		out.Iterations = append(out.Iterations, one)
	}
	for _, n := range r.Notes {
		out.Notes = append(out.Notes, noteOf(n))
	}
	return out
}

func storyOf(item *run.Item) Story {
	s := Story{ID: clean(item.ID), Title: clean(item.Title), Done: item.Done, Earlier: item.Earlier,
		Iteration: item.Iteration, Rejections: item.Refused, LastReason: clean(item.Reason),
		About: item.About, CostUSD: item.CostUSD}
	if b := item.Parked; b != nil {
		s.Parked = &Parked{clean(b.Story), clean(b.Message), clean(b.Notes), clean(b.Ref)}
	}
	if item.Proof != nil {
		p := receiptOf(*item.Proof)
		s.Proof = &p
	}
	return s
}

// iterationOf is an iteration of the run with that summary.
func iterationOf(it *run.Iteration, s Summary) Iteration {
	out := Iteration{N: it.N, StartedAt: moment(it.StartedAt), Complete: it.Complete, Total: it.Total,
		Commits: []string{}, Accepted: []string{}, Claimed: plain(it.Claimed),
		Tokens: it.Tokens, TokensEstimated: it.Estimated, CostUSD: it.CostUSD, Spent: timesOf(it.Spent),
		Attempts: []Attempt{}, Checks: []Check{}, Proofs: []Receipt{}, Rejected: []Rejection{},
		NoWork: []NoWork{}, Restored: []Restored{}, HeadMoved: []string{}}
	if it.Story != nil {
		out.Story = &Title{clean(it.Story.ID), clean(it.Story.Title)}
	}
	if it.Call != nil {
		out.LogFile = clean(it.Call.LogFile)
	}
	for _, a := range it.Attempts {
		out.Attempts = append(out.Attempts, attemptOf(a))
		out.Promised = out.Promised || a.End != nil && a.End.Promised
	}
	out.evidence(&it.Evidence)
	switch {
	case it.End != nil:
		out.end(it)
	case it.N > 0:
		out.Outcome = unended(it, s.Active())
	}
	return out
}

// unended is the outcome of an iteration that has no end of its own.
func unended(it *run.Iteration, active bool) journal.Outcome {
	switch {
	case active && !it.Closed:
		return outcomeRunning
	case it.Call == nil:
		return outcomeNoCall
	case it.Outcome != "":
		return clean(it.Outcome)
	}
	return journal.OutcomeCrash
}

func (it *Iteration) end(of *run.Iteration) {
	b := of.End
	it.EndedAt, it.Ended, it.Outcome, it.Error, it.ExitCode = moment(of.EndedAt), true, clean(b.Outcome), clean(b.Error), b.ExitCode
	if of.StartedAt.IsZero() {
		it.StartedAt = it.EndedAt
	}
	it.Commits, it.Accepted = plain(b.Commits), plain(b.StoriesPassed)
	it.Promised, it.Done, it.Complete, it.Total = b.Promised, b.Done, b.StoriesComplete, b.StoriesTotal
	it.Progress, it.NoProgress, it.SameError = b.Progress, b.NoProgress, b.SameError
	if b.LogFile != "" {
		it.LogFile = clean(b.LogFile)
	}
}

// evidence fills in what ralph found out by itself.
func (it *Iteration) evidence(e *run.Evidence) {
	for _, b := range e.Checks {
		it.Checks = append(it.Checks, Check{Phase: clean(b.Phase), Name: clean(b.Name), Command: clean(b.Command), Outcome: clean(b.Outcome),
			ExitCode: b.ExitCode, Seconds: b.DurationSeconds, Clean: b.Clean, Same: b.Same, Compares: b.Compares(), Tail: tailOf(b)})
	}
	for _, b := range e.Proofs {
		it.Proofs = append(it.Proofs, receiptOf(b))
	}
	for _, b := range e.Reviews {
		it.Reviews = append(it.Reviews, Review{
			Stories: plain(b.Stories), By: clean(b.By()),
			Verdict: clean(b.Verdict), Because: clean(b.Because()),
			Seconds: b.DurationSeconds, CostUSD: b.CostUSD, text: clean(b.String()),
		})
	}
	for _, b := range e.Rejected {
		it.Rejected = append(it.Rejected, Rejection{clean(b.Claim), plain(b.Stories), clean(b.Reason), clean(b.Rule), b.Facts})
	}
	for _, b := range e.Accepted {
		it.Decided = append(it.Decided, Acceptance{plain(b.Stories), clean(b.Rule), b.Facts})
	}
	for _, b := range e.NoWork {
		it.NoWork = append(it.NoWork, NoWork{plain(b.Stories), b.Accepted})
	}
	for _, b := range e.Restored {
		it.Restored = append(it.Restored, Restored{clean(b.Path), clean(b.What), clean(b.Kept)})
	}
	for _, b := range e.HeadMoved {
		it.HeadMoved = append(it.HeadMoved, clean(b.Message))
	}
	if e.Tamper != nil {
		it.Tamper = tamperOf(*e.Tamper)
	}
}

func attemptOf(of run.Attempt) Attempt {
	a := Attempt{N: of.Attempt, StartedAt: moment(of.At), Harness: clean(of.Harness), Model: clean(of.Model)}
	b := of.End
	if b == nil {
		return a
	}
	a.Outcome, a.Message, a.Hint = clean(b.Outcome), clean(b.Message), clean(b.Hint)
	a.ExitCode, a.Signal, a.Seconds, a.Promised = b.ExitCode, clean(b.Signal), b.DurationSeconds, b.Promised
	a.Denied, a.Strays, a.Broken = plain(b.Denied), b.Strays, b.BrokenLines
	if b.Model != "" {
		a.Model = clean(b.Model)
	}
	return a
}

func receiptOf(b journal.StoryProved) Receipt {
	p := Receipt{Story: clean(b.Story), Commit: clean(b.Commit), Mode: clean(b.Mode), Why: clean(b.Why),
		Checks: []Check{}, Unsealed: plain(journal.Unsealed(b.Checks)), Harness: clean(b.Harness), Model: clean(b.Model), Noted: b.Noted}
	if b.Proof != nil {
		_, shown, _ := strings.Cut(clean(b.Proof.Line), "; ") // after the number of checks
		p.Shown, p.Runs, p.Seconds = shown, b.Proof.Runs, b.Proof.Seconds
	}
	if b.Review != nil && b.Review.Verdict == journal.ReviewAccept {
		p.Reviewer = clean(b.Review.Harness)
	}
	for _, c := range b.Checks {
		p.Checks = append(p.Checks, Check{Name: clean(c.Name), Command: clean(c.Command), Outcome: clean(c.Outcome),
			ExitCode: c.ExitCode, Seconds: c.DurationSeconds, Clean: b.Mode == journal.ProvedClean})
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

// noteOf is an event that decided nothing about a story.
func noteOf(of run.Note) Note {
	n := Note{At: moment(of.At), Iteration: of.N, Text: clean(journal.Sentence(of.Body))}
	switch b := of.Body.(type) {
	case journal.WaitStarted:
		n.Kind, n.Reason, n.Text = NoteWait, clean(string(b.Reason)), clean(b.Message)
		if b.Until != nil {
			n.Until = moment(b.Until.UTC())
		}
		if of.Over != nil {
			n.Seconds, n.Over = of.Over.Seconds, true
		}
	case journal.ClockJumped:
		n.Kind, n.Seconds = NoteClock, b.Seconds
	case journal.HarnessSwitched:
		n.Kind, n.Reason = NoteHarness, clean(b.Reason)
	case journal.Request:
		n.Kind, n.Reason = NoteRequest, clean(string(b.Kind))
	case journal.PlanChanged:
		n.Kind = NotePlan
	case journal.BreakerOpened:
		n.Kind, n.Reason = NoteBreaker, clean(string(b.Reason))
	case journal.BreakerReset:
		n.Kind = NoteBreaker
	case journal.StoryParked:
		n.Kind, n.Reason = NoteParked, clean(string(b.Reason))
	case journal.Warning:
		n.Kind = NoteWarning
	}
	return n
}

// The end of a failed check's output that a report keeps.
const (
	tailLines = 12
	tailBytes = 1500
)

// tailOf returns the end of a failed check's output.
func tailOf(b journal.CheckEnded) string {
	if b.Outcome == journal.CheckPassed {
		return ""
	}
	lines := strings.Split(strings.TrimRight(clean(b.Tail), "\n "), "\n")
	tail := strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
	if len(tail) > tailBytes {
		tail = "…" + strings.ToValidUTF8(tail[len(tail)-tailBytes:], "")
	}
	return tail
}

func timesOf(s run.Spent) Times { return Times{s.Agent, s.Check, s.Wait} }

func moment(t time.Time) journal.Time { return journal.Time{Time: t} }

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

// list replaces a nil list: in JSON a list is never null.
func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}

// all yields what came before the first iteration, and then the iterations.
func (r *Run) all() iter.Seq[*Iteration] {
	return func(yield func(*Iteration) bool) {
		for i := -1; i < len(r.Iterations); i++ {
			it := &r.Before
			if i >= 0 {
				it = &r.Iterations[i]
			}
			if !yield(it) {
				return
			}
		}
	}
}

// Iteration returns the iteration with this number, or nil.
func (r *Run) Iteration(n int) *Iteration {
	for i := range r.Iterations {
		if r.Iterations[i].N == n {
			return &r.Iterations[i]
		}
	}
	return nil
}
