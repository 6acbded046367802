package loop

import (
	"context"
	"slices"
	"sync"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/stopwatch"
)

// requests are what was asked of the loop and not answered yet. The listener
// puts them in, the loop takes them out between two iterations; a stop is
// carried out at once. A new plan only wakes the loop, which reads it from the
// inbox: a newer one may have come meanwhile.
type requests struct {
	mu    sync.Mutex
	seen  map[string]bool // by name of the mail
	queue []journal.Mail
	more  chan struct{} // of size one: something was added
}

// ownTime are the kinds of request that only wake the loop, which reads them from the inbox.
var ownTime = []journal.RequestKind{journal.RequestPlan, journal.RequestAllow, journal.RequestSet}

func (r *requests) put(m journal.Mail) {
	r.mu.Lock()
	known := r.seen[m.Name]
	if !known {
		r.seen[m.Name] = true
		if !slices.Contains(ownTime, m.Request.Kind) {
			r.queue = append(r.queue, m)
		}
	}
	r.mu.Unlock()
	if known {
		return
	}
	select {
	case r.more <- struct{}{}:
	default:
	}
}

func (r *requests) take() []journal.Mail {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := r.queue
	r.queue = nil
	return q
}

// clearInbox drops what was asked of a loop that has ended meanwhile: a stop of
// yesterday must not end today's run. What is about the plan still counts.
func (l *Loop) clearInbox() error {
	mail, _, err := l.Inbox.Take()
	for _, m := range mail {
		switch m.Request.Kind {
		case journal.RequestStop, journal.RequestPause, journal.RequestResume, journal.RequestSet:
			if m.Posted().After(l.Since) {
				continue // somebody was quick: it is meant for this run
			}
			if err := l.Inbox.Done(m.Name); err != nil {
				return err
			}
		}
	}
	return err
}

// listen reads the inbox until the returned function is called.
func (l *Loop) listen(ctx context.Context, cancel context.CancelCauseFunc) (stop func()) {
	l.requests.more, l.requests.seen = make(chan struct{}, 1), map[string]bool{}
	ctx, end := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range l.Inbox.Notify(ctx) {
			mail, _, err := l.Inbox.Take()
			if err != nil {
				continue // it is tried again with the next one
			}
			for _, m := range mail {
				l.requests.put(m)
				if m.Request.Kind == journal.RequestStop {
					cancel(ErrStopped)
				}
			}
		}
	})
	return func() { end(); wg.Wait() }
}

// acknowledge records the stop that ends the run; everything else that waits is
// left for the next one.
func (l *Loop) acknowledge() error {
	for _, m := range l.requests.take() {
		if m.Request.Kind != journal.RequestStop {
			continue
		}
		if err := l.record(m.Request); err != nil {
			return err
		}
		if err := l.Inbox.Done(m.Name); err != nil {
			return err
		}
	}
	return nil
}

// rest waits until the user resumes the run.
func (l *Loop) rest(ctx context.Context, s run.Step) error {
	watch := stopwatch.Start()
	if err := l.record(journal.WaitStarted{Reason: s.Reason, Message: s.Message, Rule: string(s.Rule), Facts: s.Facts}); err != nil {
		return err
	}
	for l.Recorder.Position().Paused {
		select {
		case <-ctx.Done():
			return context.Cause(ctx)
		case <-l.requests.more:
		}
		if _, err := l.answer(); err != nil {
			return err
		}
	}
	return l.record(journal.WaitEnded{Reason: s.Reason, Seconds: watch.Passed().Real.Seconds()})
}

// answer carries out what other commands asked for, and reports whether there was any.
func (l *Loop) answer() (some bool, err error) {
	if some, err = l.newPlan(); err != nil {
		return some, err
	}
	for _, m := range l.requests.take() {
		some = true
		if err := l.record(m.Request); err != nil {
			return some, err
		}
		if err := l.Inbox.Done(m.Name); err != nil {
			return some, err
		}
		switch m.Request.Kind {
		case journal.RequestContext:
			l.notes.steer = append(l.notes.steer, m.Request.Text)
		case journal.RequestClearContext:
			l.notes.steer = nil
		}
	}
	return some, nil
}

// newPlan takes over the newest of the plans that wait, and leaves all other
// requests for later: an older plan is what a person has thought better of, and
// could drop a finished story on the way. It comes before every judgement of whether
// the plan is done: a person who has just added a story must not find the feature
// finished without it.
func (l *Loop) newPlan() (some bool, err error) {
	mail, _, err := l.Inbox.Take()
	if err != nil {
		return false, l.warn("what other commands ask for cannot be read: %v", err)
	}
	mail = slices.DeleteFunc(mail, func(m journal.Mail) bool { return m.Request.Kind != journal.RequestPlan })
	for _, m := range mail {
		if err := l.record(m.Request); err != nil {
			return true, err // it stays in the inbox
		}
		if err := l.Inbox.Done(m.Name); err != nil {
			return true, err
		}
	}
	if len(mail) == 0 {
		return false, nil
	}
	return true, l.renew(mail[len(mail)-1].Request)
}

// renewer is a plan that a person can replace while the loop works on it.
type renewer interface {
	// Renew takes over the text of a new spec.md and returns what has changed.
	// dropFinished lets it lack stories that are finished. With an error the plan
	// is as it was.
	Renew(text string, dropFinished bool) (what string, err error)
}

// renew takes over a plan that a person made while the loop was running.
func (l *Loop) renew(q journal.Request) error {
	r, ok := l.Plan.(renewer)
	if !ok {
		return l.warn("a %s plan cannot be renewed", l.Plan.Kind())
	}
	what, err := r.Renew(q.Text, q.DropFinished)
	if err != nil {
		return l.warn("the new plan was not taken over: %v", err)
	}
	state, err := l.Plan.Read()
	if err != nil {
		return err
	}
	l.state = state
	return l.record(journal.PlanChanged{Stories: l.stories(), Message: what})
}
