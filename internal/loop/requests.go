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

// requests are what other commands ask of the loop, which carries them out between two steps. A
// stop ends the run at once.
type requests struct {
	inbox    *journal.Inbox
	recorder *recorder.Recorder

	mail []journal.Mail // as it was read last, without what was carried out
	more chan struct{}  // of size one: something may be in the inbox
}

// own are the kinds of request that have a moment of their own.
var own = []journal.RequestKind{journal.RequestAllow, journal.RequestSet, journal.RequestUnpark, journal.RequestStop}

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
		if err := l.requests.read(); err != nil {
			return err
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
	others := l.requests.take(func(kind journal.RequestKind) bool { return !slices.Contains(own, kind) })
	return some || len(others) > 0, l.requests.done(others...)
}

// newPlan takes over the newest of the plans in the inbox. It comes before each decision whether
// the plan is done: a user who has just added a story must not find the feature finished
// without it.
func (l *Loop) newPlan() (some bool, err error) {
	mail := l.requests.of(journal.RequestPlan)
	if err := l.requests.done(mail...); len(mail) == 0 || err != nil {
		return len(mail) > 0, err
	}
	return true, l.renew(mail[len(mail)-1].Request)
}

// takeAllowed takes over what the user allowed, for the next judgement of the story. A mark that
// was refused is made again, and so judged again.
func (l *Loop) takeAllowed() error {
	if err := l.requests.done(l.requests.of(journal.RequestAllow)...); err != nil {
		return err
	}
	again := l.marks.allowed()
	if len(again) == 0 {
		return nil
	}
	if err := l.Plan.Mark(again, true); err != nil {
		return err
	}
	return l.marks.read()
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

// listen watches the inbox until the returned function is called. It calls stop for a request to
// stop.
func (r *requests) listen(ctx context.Context, stop func()) (end func()) {
	ctx, cancel := context.WithCancel(ctx)
	var wg sync.WaitGroup
	wg.Go(func() {
		for range r.inbox.Notify(ctx) {
			mail, _, _ := r.inbox.Take() // the next one tries again
			if slices.ContainsFunc(mail, func(m journal.Mail) bool { return m.Request.Kind == journal.RequestStop }) {
				stop()
			}
			select {
			case r.more <- struct{}{}:
			default:
			}
		}
	})
	return func() { cancel(); wg.Wait() }
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

// recordStop records the stop that ends the run. All other requests are left for the next run.
func (r *requests) recordStop() error {
	if err := r.read(); err != nil {
		return err
	}
	return r.done(r.of(journal.RequestStop)...)
}

// read reads the inbox.
func (r *requests) read() (err error) {
	if r.mail, _, err = r.inbox.Take(); err != nil {
		return r.recorder.Warn("what other commands ask for cannot be read: %v", err)
	}
	return nil
}

// of takes the requests of one kind.
func (r *requests) of(kind journal.RequestKind) []journal.Mail {
	return r.take(func(k journal.RequestKind) bool { return k == kind })
}

// take takes the requests of some kinds out of those that were read.
func (r *requests) take(is func(journal.RequestKind) bool) (some []journal.Mail) {
	r.mail = slices.DeleteFunc(r.mail, func(m journal.Mail) bool {
		if is(m.Request.Kind) {
			some = append(some, m)
		}
		return is(m.Request.Kind)
	})
	return some
}

// done records requests and removes them from the inbox.
func (r *requests) done(mail ...journal.Mail) error {
	for _, m := range mail {
		if err := r.recorder.Record(m.Request); err != nil {
			return err // it stays in the inbox
		}
		if err := r.inbox.Done(m.Name); err != nil {
			return err
		}
	}
	return nil
}
