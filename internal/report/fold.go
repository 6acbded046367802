package report

import (
	"ralph/internal/journal"
)

// The outcomes of an iteration that has no iteration_ended.
const (
	outcomeRunning = "running"
	outcomeNoCall  = "no call" // the run ended before its agent was called
)

// Fold makes a report of events. It keeps one run in full: the one that was
// asked for, else the last.
type Fold struct {
	want    string
	unit    journal.RunStarted // of the last run
	runs    []Summary
	run     *Run // that the events are of
	kept    *Run // that was asked for, when a newer one follows it
	open    bool // the run's last iteration has begun and not ended
	stories map[string]int
	waiting int // behind the place of the wait that goes on among the run's notes; 0 is none
}

// New returns an empty fold for the run with that id, or for the last one where
// the id is empty.
func New(run string) *Fold { return &Fold{want: run} }

// Apply takes up the next event.
func (f *Fold) Apply(e journal.Event) {
	if b, ok := e.Body.(journal.RunStarted); ok {
		f.start(e, b)
		return
	}
	if f.run == nil {
		return // the beginning of the journal is damaged
	}
	f.run.UpdatedAt = journal.Time{Time: e.Time}
	if !f.iteration(e) && !f.evidence(e) {
		f.note(e)
	}
}

// Report returns what the events came to. dead says that the process of the last
// run is gone: if that run has not ended, it has crashed. The fold is not to be
// used any more.
func (f *Fold) Report(dead bool) Report {
	if f.run != nil && dead {
		f.crash()
	}
	f.finish()
	r := Report{Unit: clean(f.unit.Unit), Plan: clean(string(f.unit.Plan)), Branch: clean(f.unit.Branch),
		Worktree: clean(f.unit.Worktree), Run: f.kept, Runs: list(f.runs)}
	if r.Run == nil && f.run != nil && (f.want == "" || f.want == f.run.ID) {
		r.Run = f.run
	}
	if r.Run != nil {
		r.Run.fill()
	}
	return r
}

// start begins a run.
func (f *Fold) start(e journal.Event, b journal.RunStarted) {
	if f.run != nil {
		f.crash() // unless it has ended
		f.finish()
		if f.run.ID == f.want {
			f.run.moveLogs()
			f.kept = f.run
		}
	}
	f.unit, f.open, f.waiting = b, false, 0
	at := journal.Time{Time: e.Time}
	f.run = &Run{
		Summary: Summary{ID: clean(e.Run), Harness: clean(b.Harness), Model: clean(b.Model), StartedAt: at, UpdatedAt: at, Status: journal.StatusRunning},
		Plan:    clean(string(b.Plan)), Version: clean(b.Version), Task: clean(b.Task), Head: clean(b.Head), MaxIterations: b.MaxIterations,
		TimeoutSeconds: b.TimeoutSeconds, StallThreshold: b.StallThreshold, SameError: b.SameError,
	}
	f.stories = map[string]int{}
	f.setStories(b.Stories, true)
	f.run.count(e, len(f.run.Stories))
}

// finish puts the run into the list of all.
func (f *Fold) finish() {
	if f.run != nil {
		f.run.Complete, f.run.Total = f.run.progress()
		f.runs = append(f.runs, f.run.Summary)
	}
}

// crash ends a run that has no end.
func (f *Fold) crash() {
	if f.run.Status != journal.StatusRunning && f.run.Status != journal.StatusPaused {
		return
	}
	f.run.Status, f.run.Reason = journal.StatusFailed, string(journal.ReasonCrashed)
	f.run.Message = "ralph died before it could end this run"
	f.leave()
}

// leave closes an iteration that has no end of its own, as the run has one.
func (f *Fold) leave() {
	if !f.open {
		return
	}
	f.open = false
	it := f.at()
	switch n := len(it.Attempts); {
	case n == 0:
		it.Outcome = outcomeNoCall
	case it.Attempts[n-1].Outcome != "":
		it.Outcome = it.Attempts[n-1].Outcome
	default:
		it.Outcome = journal.OutcomeCrash
	}
}

// at is the iteration that is going on or was the last, or what came before the
// first.
func (f *Fold) at() *Iteration {
	if n := len(f.run.Iterations); n > 0 {
		return &f.run.Iterations[n-1]
	}
	return &f.run.Before
}

// of is the iteration with that number, where events of it can still come.
func (f *Fold) of(n int) *Iteration {
	if n == 0 {
		return &f.run.Before
	}
	return f.at()
}

// setStories takes up the plan as a person made it.
func (f *Fold) setStories(stories []journal.Story, first bool) {
	old, index := f.run.Stories, f.stories
	f.run.Stories, f.stories = make([]Story, 0, len(stories)), make(map[string]int, len(stories))
	for _, s := range stories {
		story := Story{ID: clean(s.ID)}
		if i, known := index[s.ID]; known {
			story = old[i]
		}
		story.Title, story.Done = clean(s.Title), s.Done
		if first {
			story.Earlier = s.Done
		}
		f.stories[s.ID] = len(f.run.Stories)
		f.run.Stories = append(f.run.Stories, story)
	}
}

// story is a story of the plan, nil where the plan has none of that name.
func (f *Fold) story(id string) *Story {
	if i, ok := f.stories[id]; ok {
		return &f.run.Stories[i]
	}
	return nil
}

// Iteration is the iteration with that number, nil where there is none.
func (r *Run) Iteration(n int) *Iteration {
	for i := range r.Iterations {
		if r.Iterations[i].N == n {
			return &r.Iterations[i]
		}
	}
	return nil
}

// count adds a point to the burn-up where something has changed.
func (r *Run) count(e journal.Event, total int) {
	complete := 0
	for _, s := range r.Stories {
		if s.Done {
			complete++
		}
	}
	r.point(e, complete, total)
}

func (r *Run) point(e journal.Event, complete, total int) {
	if n := len(r.Points); n > 0 && r.Points[n-1].Complete == complete && r.Points[n-1].Total == total {
		return
	}
	r.Points = append(r.Points, Point{journal.Time{Time: e.Time}, complete, total})
}

// progress is how far the plan is at the end.
func (r *Run) progress() (complete, total int) {
	if n := len(r.Points); n > 0 {
		return r.Points[n-1].Complete, r.Points[n-1].Total
	}
	return 0, 0
}

// moveLogs says where the logs lie once a newer run has begun.
func (r *Run) moveLogs() {
	for i := range r.Iterations {
		r.Iterations[i].LogFile = journal.OldLog(r.Iterations[i].LogFile, r.ID)
	}
}

// fill replaces the lists that are nil: in JSON a list is never null.
func (r *Run) fill() {
	r.Stories, r.Points, r.Iterations, r.Notes = list(r.Stories), list(r.Points), list(r.Iterations), list(r.Notes)
	r.Before.fill()
	for i := range r.Iterations {
		r.Iterations[i].fill()
	}
}

func (it *Iteration) fill() {
	it.Commits, it.Claimed, it.Accepted = list(it.Commits), list(it.Claimed), list(it.Accepted)
	it.Attempts, it.Checks, it.Proofs, it.Rejected = list(it.Attempts), list(it.Checks), list(it.Proofs), list(it.Rejected)
	it.NoWork, it.Restored, it.HeadMoved = list(it.NoWork), list(it.Restored), list(it.HeadMoved)
}

func list[T any](s []T) []T {
	if s == nil {
		return []T{}
	}
	return s
}
