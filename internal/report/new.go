package report

import (
	"iter"
	"reflect"
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
// last run is gone, and an unfinished last run counts as crashed. All texts of the report are
// harmless wherever they are shown.
func New(s *run.State, id string, dead bool) Report {
	r := Report{Runs: []Summary{}}
	for _, one := range s.Past() {
		last := one == s.Last()
		r.Runs = append(r.Runs, summaryOf(one, dead && last))
		if last {
			r.Unit, r.Plan = one.Start.Unit, one.Start.Plan
			r.Branch, r.Worktree = one.Start.Branch, one.Start.Worktree
		}
		if id == one.ID || id == "" && last {
			r.Run = runOf(one, r.Runs[len(r.Runs)-1], last)
		}
	}
	sanitize(reflect.ValueOf(&r))
	return r
}

// summaryOf is a run in brief.
func summaryOf(r *run.Run, dead bool) Summary {
	s := Summary{ID: r.ID, Harness: r.Start.Harness, Model: r.Calls.Reported,
		StartedAt: moment(r.StartedAt), EndedAt: moment(r.EndedAt), UpdatedAt: moment(r.Updated), Status: journal.StatusRunning,
		Ended: r.Ended, Calls: r.Calls.Count, Commits: r.Commits,
		Tokens: r.Calls.Tokens, TokensEstimated: r.Calls.Estimated, CostUSD: r.Calls.CostUSD, Spent: r.Spent}
	s.Complete, s.Total = r.Plan.Counts()
	switch {
	case r.End != nil:
		s.Status, s.Reason, s.Message = r.End.Status, string(r.End.Reason), r.End.Message
		if r.End.Reason != journal.ReasonCrashed {
			code := r.End.ExitCode
			s.ExitCode = &code
		}
	case r.Crashed || dead:
		s.Status, s.Reason = journal.StatusFailed, string(journal.ReasonCrashed)
		s.Message = "ralph died before it could end this run"
	case r.Wait != nil && r.Wait.Reason != journal.WaitTransient:
		s.Status, s.Reason, s.Message = journal.StatusPaused, string(r.Wait.Reason), r.Wait.Message
	}
	return s
}

// runOf is a run in full. Its logs are elsewhere once a newer run has started.
func runOf(r *run.Run, s Summary, last bool) *Run {
	b := r.Start
	out := &Run{Summary: s, Plan: b.Plan, Version: b.Version, Task: b.Task,
		Head: b.Head, MaxIterations: b.MaxIterations, TimeoutSeconds: b.TimeoutSeconds,
		StallThreshold: b.StallThreshold, SameError: b.SameError,
		Stories: []Story{}, Models: list(r.Calls.Models), Points: list(r.Plan.Points), Before: iterationOf(&r.Before, s), Iterations: []Iteration{}, Notes: []Note{}}
	if r.End != nil {
		out.EndRule, out.EndFacts = r.End.Rule, r.End.Facts
	}
	for i := range r.Plan.Items {
		out.Stories = append(out.Stories, storyOf(&r.Plan.Items[i]))
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
	s := Story{ID: item.ID, Title: item.Title, Done: item.Done, Earlier: item.Earlier,
		Iteration: item.Iteration, Rejections: item.Refused, LastReason: item.Reason,
		About: item.About, CostUSD: item.CostUSD}
	if b := item.Parked; b != nil {
		s.Parked = &Parked{b.Story, b.Message, b.Notes, b.Ref}
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
		Commits: []string{}, Accepted: []string{}, Claimed: list(it.Claimed),
		Tokens: it.Tokens, TokensEstimated: it.Estimated, CostUSD: it.CostUSD, Spent: it.Spent,
		Attempts: []Attempt{}, Checks: []Check{}, Proofs: []Receipt{}, Rejected: []Rejection{},
		NoWork: []NoWork{}, Restored: []Restored{}, HeadMoved: []string{}}
	if it.Story != nil {
		out.Story = &Title{it.Story.ID, it.Story.Title}
	}
	if it.Call != nil {
		out.LogFile = it.Call.LogFile
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
		return it.Outcome
	}
	return journal.OutcomeCrash
}

func (it *Iteration) end(of *run.Iteration) {
	b := of.End
	it.EndedAt, it.Ended, it.Outcome, it.Error, it.ExitCode = moment(of.EndedAt), true, b.Outcome, b.Error, b.ExitCode
	if of.StartedAt.IsZero() {
		it.StartedAt = it.EndedAt
	}
	it.Commits, it.Accepted = list(b.Commits), list(b.StoriesPassed)
	it.Promised, it.Done, it.Complete, it.Total = b.Promised, b.Done, b.StoriesComplete, b.StoriesTotal
	it.Progress, it.NoProgress, it.SameError = b.Progress, b.NoProgress, b.SameError
	if b.LogFile != "" {
		it.LogFile = b.LogFile
	}
}

// evidence fills in what ralph found out by itself.
func (it *Iteration) evidence(e *run.Evidence) {
	for _, b := range e.Checks {
		it.Checks = append(it.Checks, Check{Phase: b.Phase, Name: b.Name, Command: b.Command, Outcome: b.Outcome,
			ExitCode: b.ExitCode, Seconds: b.DurationSeconds, Clean: b.Clean, Same: b.Same, Compares: b.Compares(), Tail: tailOf(b)})
	}
	for _, b := range e.Proofs {
		it.Proofs = append(it.Proofs, receiptOf(b))
	}
	for _, b := range e.Reviews {
		it.Reviews = append(it.Reviews, Review{
			Stories: list(b.Stories), By: b.By(),
			Verdict: b.Verdict, Because: b.Because(),
			Seconds: b.DurationSeconds, CostUSD: b.CostUSD, Text: b.String(),
		})
	}
	for _, b := range e.Rejected {
		it.Rejected = append(it.Rejected, Rejection{b.Claim, list(b.Stories), b.Reason, b.Rule, b.Facts})
	}
	for _, b := range e.Accepted {
		it.Decided = append(it.Decided, Acceptance{list(b.Stories), b.Rule, b.Facts})
	}
	for _, b := range e.NoWork {
		it.NoWork = append(it.NoWork, NoWork{list(b.Stories), b.Accepted})
	}
	for _, b := range e.Restored {
		it.Restored = append(it.Restored, Restored{b.Path, b.What, b.Kept})
	}
	for _, b := range e.HeadMoved {
		it.HeadMoved = append(it.HeadMoved, b.Message)
	}
	if e.Tamper != nil {
		it.Tamper = tamperOf(*e.Tamper)
	}
}

func attemptOf(of run.Attempt) Attempt {
	a := Attempt{N: of.Attempt, StartedAt: moment(of.At), Harness: of.Harness, Model: of.Model}
	b := of.End
	if b == nil {
		return a
	}
	a.Outcome, a.Message, a.Hint = b.Outcome, b.Message, b.Hint
	a.ExitCode, a.Signal, a.Seconds, a.Promised = b.ExitCode, b.Signal, b.DurationSeconds, b.Promised
	a.Denied, a.Strays, a.Broken = list(b.Denied), b.Strays, b.BrokenLines
	if b.Model != "" {
		a.Model = b.Model
	}
	return a
}

func receiptOf(b journal.StoryProved) Receipt {
	p := Receipt{Story: b.Story, Commit: b.Commit, Mode: b.Mode, Why: b.Why,
		Checks: []Check{}, Unsealed: list(journal.Unsealed(b.Checks)), Harness: b.Harness, Model: b.Model, Noted: b.Noted}
	if b.Proof != nil {
		_, shown, _ := strings.Cut(b.Proof.Line, "; ") // after the number of checks
		p.Shown, p.Runs, p.Seconds = shown, b.Proof.Runs, b.Proof.Seconds
	}
	if b.Review != nil && b.Review.Verdict == journal.ReviewAccept {
		p.Reviewer = b.Review.Harness
	}
	for _, c := range b.Checks {
		p.Checks = append(p.Checks, Check{Name: c.Name, Command: c.Command, Outcome: c.Outcome,
			ExitCode: c.ExitCode, Seconds: c.DurationSeconds, Clean: b.Mode == journal.ProvedClean})
	}
	return p
}

func tamperOf(b journal.TamperFound) *Tamper {
	t := &Tamper{Findings: []Finding{}, More: b.More, Accepted: b.Accepted}
	for _, f := range b.Findings {
		t.Findings = append(t.Findings, Finding(f))
	}
	return t
}

// noteOf is an event that decided nothing about a story.
func noteOf(of run.Note) Note {
	n := Note{At: moment(of.At), Iteration: of.N, Text: journal.Sentence(of.Body)}
	switch b := of.Body.(type) {
	case journal.WaitStarted:
		n.Kind, n.Reason, n.Text = NoteWait, string(b.Reason), b.Message
		if b.Until != nil {
			n.Until = moment(b.Until.UTC())
		}
		if of.Over != nil {
			n.Seconds, n.Over = of.Over.Seconds, true
		}
	case journal.ClockJumped:
		n.Kind, n.Seconds = NoteClock, b.Seconds
	case journal.HarnessSwitched:
		n.Kind, n.Reason = NoteHarness, b.Reason
	case journal.Request:
		n.Kind, n.Reason = NoteRequest, string(b.Kind)
	case journal.PlanChanged:
		n.Kind = NotePlan
	case journal.BreakerOpened:
		n.Kind, n.Reason = NoteBreaker, string(b.Reason)
	case journal.BreakerReset:
		n.Kind = NoteBreaker
	case journal.StoryParked:
		n.Kind, n.Reason = NoteParked, string(b.Reason)
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
	lines := strings.Split(strings.TrimRight(stream.Sanitize(b.Tail), "\n "), "\n")
	tail := strings.Join(lines[max(0, len(lines)-tailLines):], "\n")
	if len(tail) > tailBytes {
		tail = "…" + strings.ToValidUTF8(tail[len(tail)-tailBytes:], "")
	}
	return tail
}

func moment(t time.Time) journal.Time { return journal.Time{Time: t} }

// sanitize makes all texts in a value harmless wherever they are shown.
func sanitize(v reflect.Value) {
	switch v.Kind() {
	case reflect.String:
		v.SetString(stream.Sanitize(v.String()))
	case reflect.Pointer:
		if !v.IsNil() {
			sanitize(v.Elem())
		}
	case reflect.Slice:
		for i := range v.Len() {
			sanitize(v.Index(i))
		}
	case reflect.Struct:
		for i := range v.NumField() {
			if field := v.Field(i); field.CanSet() {
				sanitize(field)
			}
		}
	}
}

// list returns a copy of a list that is not null in JSON.
func list[T any](s []T) []T { return append([]T{}, s...) }

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
