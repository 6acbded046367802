package loop

import (
	"context"
	"slices"
	"sync"
	"time"

	"ralph/internal/journal"
	"ralph/internal/recorder"
	"ralph/internal/run"
	"ralph/internal/stopwatch"
)

// requests are what other commands ask of the loop. The listener adds them, and the loop takes
// them between two iterations. A stop ends the run at once.
type requests struct {
	inbox    *journal.Inbox
	recorder *recorder.Recorder

	mu    sync.Mutex
	seen  map[string]bool // by name of the mail
	queue []journal.Mail
	more  chan struct{} // of size one: something was added
}

// own are the kinds of request that only wake the loop, which reads them from the inbox: a newer
// one may have come.
var own = []journal.RequestKind{journal.RequestPlan, journal.RequestAllow, journal.RequestSet, journal.RequestUnpark}

// rest waits until the user resumes the run.
func (l *Loop) rest(ctx context.Context, s run.Step) error {
	watch := stopwatch.Start()
	if err := l.Recorder.Record(journal.WaitStarted{Reason: s.Reason, Message: s.Message, Rule: string(s.Rule), Facts: s.Facts}); err != nil {
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
	return l.Recorder.Record(journal.WaitEnded{Reason: s.Reason, Seconds: watch.Passed().Real.Seconds()})
}

// answer carries out what other commands asked for, and reports whether there was any.
func (l *Loop) answer() (some bool, err error) {
	if some, err = l.newPlan(); err != nil {
		return some, err
	}
	for _, m := range l.requests.take() {
		some = true
		if err := l.requests.done(m); err != nil {
			return some, err
		}
	}
	return some, nil
}

// newPlan takes over the newest of the plans in the inbox. It comes before each decision whether
// the plan is done: a user who has just added a story must not find the feature finished
// without it.
func (l *Loop) newPlan() (some bool, err error) {
	mail, err := l.requests.waiting(journal.RequestPlan)
	if len(mail) == 0 || err != nil {
		return false, err
	}
	for _, m := range mail {
		if err := l.requests.done(m); err != nil {
			return true, err
		}
	}
	return true, l.renew(mail[len(mail)-1].Request)
}

// renew takes over a plan that the user made while the loop was running.
func (l *Loop) renew(q journal.Request) error {
	what, err := l.Plan.Renew(q.Text, q.DropFinished)
	if err != nil {
		return l.Recorder.Warn("the new plan was not taken over: %v", err)
	}
	if err := l.marks.read(); err != nil {
		return err
	}
	return l.Recorder.Record(journal.PlanChanged{Stories: l.marks.stories(), Message: what})
}

// listen reads the inbox until the returned function is called. It calls stop for a request to
// stop.
func (r *requests) listen(ctx context.Context, stop func()) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range r.inbox.Notify(ctx) {
			mail, _, err := r.inbox.Take()
			if err != nil {
				continue // the next one tries again
			}
			for _, m := range mail {
				r.add(m)
				if m.Request.Kind == journal.RequestStop {
					stop()
				}
			}
		}
	})
	return func() { cancel(); wg.Wait() }
}

// add notes a request that was not seen before.
func (r *requests) add(m journal.Mail) {
	r.mu.Lock()
	known := r.seen[m.Name]
	if !known {
		r.seen[m.Name] = true
		if !slices.Contains(own, m.Request.Kind) {
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

// clear removes requests to a loop that has ended: a stop of yesterday must not end today's run.
// What is about the plan still counts, and so does what came since the time.
func (r *requests) clear(since time.Time) error {
	mail, _, err := r.inbox.Take()
	for _, m := range mail {
		if !m.Request.Passing() || m.Posted().After(since) {
			continue
		}
		if err := r.inbox.Done(m.Name); err != nil {
			return err
		}
	}
	return err
}

// record records the requests of one kind that are in the inbox.
func (r *requests) record(kind journal.RequestKind) error {
	mail, err := r.waiting(kind)
	for _, m := range mail {
		if err := r.done(m); err != nil {
			return err
		}
	}
	return err
}

// recordStop records the stop that ends the run. All other requests are left for the next run.
func (r *requests) recordStop() error {
	for _, m := range r.take() {
		if m.Request.Kind == journal.RequestStop {
			if err := r.done(m); err != nil {
				return err
			}
		}
	}
	return nil
}

// waiting returns the requests of one kind that are in the inbox.
func (r *requests) waiting(kind journal.RequestKind) ([]journal.Mail, error) {
	mail, _, err := r.inbox.Take()
	if err != nil {
		return nil, r.recorder.Warn("what other commands ask for cannot be read: %v", err)
	}
	return slices.DeleteFunc(mail, func(m journal.Mail) bool { return m.Request.Kind != kind }), nil
}

// take returns the requests that were added, and removes them from the queue.
func (r *requests) take() []journal.Mail {
	r.mu.Lock()
	defer r.mu.Unlock()
	q := r.queue
	r.queue = nil
	return q
}

// done records a request and removes it from the inbox.
func (r *requests) done(m journal.Mail) error {
	if err := r.recorder.Record(m.Request); err != nil {
		return err // it stays in the inbox
	}
	return r.inbox.Done(m.Name)
}
