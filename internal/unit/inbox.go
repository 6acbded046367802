package unit

import (
	"context"
	"fmt"
	"os"
	"syscall"
	"time"

	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/stream"
)

// Post puts a request into the inbox of the running loop.
func (p *Place) Post(q journal.Request) error {
	_, _, err := p.post(q)
	h, unread := journal.ReadHolder(p.StateDir)
	if q.Kind == journal.RequestResume && err == nil && unread == nil {
		wake(processOf(h))
	}
	return err
}

// post puts a request into the unit's inbox, and returns its name there.
func (p *Place) post(q journal.Request) (inbox *journal.Inbox, name string, err error) {
	q.PID = os.Getpid()
	if inbox, err = journal.OpenInbox(p.StateDir); err == nil {
		name, err = inbox.Post(time.Now(), q)
	}
	if err != nil {
		err = fmt.Errorf("the request to %s cannot be sent: %w", p.Unit, err)
	}
	return inbox, name, err
}

// processOf returns the process that holds a lock.
func processOf(h journal.Holder) proc.ID { return proc.ID{PID: h.PID, Start: h.PIDStart} }

// wake continues a loop that Ctrl-Z has stopped. It has no effect on one that runs.
func wake(loop proc.ID) { _ = loop.Signal(syscall.SIGCONT) }

// Running reports whether a loop is running on the unit, without touching its lock.
func Running(p *Place) bool {
	return holderAlive(p.StateDir)
}

// holderAlive reports whether the process lives that holds the lock of a directory.
func holderAlive(dir string) bool {
	h, err := journal.ReadHolder(dir)
	return err == nil && processOf(h).Alive()
}

// DropPlans removes the waiting plans from the inbox of a loop that has ended.
func (p *Place) DropPlans() error {
	inbox, waiting, err := p.PlansThatWait()
	for _, name := range waiting {
		if err == nil {
			err = inbox.Done(name)
		}
	}
	return err
}

// PlansThatWait returns the inbox and the names of the plans in it. The inbox is nil before
// the first run.
func (p *Place) PlansThatWait() (inbox *journal.Inbox, names []string, err error) {
	if _, err := os.Stat(p.StateDir); err != nil {
		return nil, nil, nil
	}
	if inbox, err = journal.OpenInbox(p.StateDir); err != nil {
		return nil, nil, err
	}
	mail, _, err := inbox.Take()
	for _, m := range mail {
		if m.Request.Kind == journal.RequestPlan {
			names = append(names, m.Name)
		}
	}
	return inbox, names, err
}

// Busy returns an error if a loop is running on the unit. If that loop has already recorded
// its end, Busy waits for it to exit.
func (p *Place) Busy() error {
	for giveUp := time.Now().Add(lockWait); p.Unit != "" && Running(p); time.Sleep(20 * time.Millisecond) {
		if ended, err := journal.Ended(p.JournalPath()); err != nil || !ended || time.Now().After(giveUp) {
			return hint.With(fmt.Errorf("a loop is already running on %s", stream.OneLine(p.Unit)), "watch it: ralph monitor; end it: ralph stop")
		}
	}
	return nil
}

// stopLimit is how long a loop may take to end before "ralph stop" gives up: its
// agent's grace, a guardian that hangs, and a machine that is busy with both.
const stopLimit = 30 * time.Second

// Stopping tracks a loop that was asked to stop.
type Stopping struct {
	Place  *Place
	holder proc.ID
	inbox  *journal.Inbox
	name   string // of the request
}

// Stop asks the running loop of the unit to stop. It returns nil if no loop is running.
func (p *Place) Stop() (*Stopping, error) {
	h, err := journal.ReadHolder(p.StateDir)
	if err != nil {
		return nil, err
	}
	s := &Stopping{Place: p, holder: processOf(h)}
	if !s.holder.Alive() {
		return nil, nil //nolint:nilnil // there is nothing to stop, and nothing wrong
	}
	if s.inbox, s.name, err = p.post(journal.Request{Kind: journal.RequestStop}); err != nil {
		return nil, err
	}
	wake(s.holder)
	return s, nil
}

// Wait waits until the loop has ended. answered reports whether the request was the reason.
func (s *Stopping) Wait(ctx context.Context) (answered bool, err error) {
	limit := time.NewTimer(stopLimit)
	defer limit.Stop()
	look := time.NewTicker(20 * time.Millisecond)
	defer look.Stop()
	for {
		if s.ended() {
			return s.answered()
		}
		select {
		case <-look.C:
		case <-ctx.Done():
			return false, context.Cause(ctx)
		case <-limit.C:
			return false, hint.With(fmt.Errorf("the loop of %s was asked to stop, and is still running after %s (pid %d)", s.Place.Unit, stopLimit, s.holder.PID),
				fmt.Sprintf("if it hangs: kill -9 %d, then run 'ralph stop' again to end what is left", s.holder.PID))
		}
	}
}

// ended reports whether the loop is gone: its process, or its hold on the unit.
func (s *Stopping) ended() bool {
	h, err := journal.ReadHolder(s.Place.StateDir)
	return err == nil && h.PID != s.holder.PID || !s.holder.Alive()
}

// answered reports whether the loop that has ended took the request: one that
// was done at that moment did not, and may be archived. A request without an
// answer is removed.
func (s *Stopping) answered() (bool, error) {
	_, err := os.Stat(s.Place.StateDir)
	if err == nil && !s.inbox.Pending(s.name) {
		return true, nil
	}
	return false, s.inbox.Done(s.name)
}

// CalledByAgent reports whether the unit's agent started this process. It also detects an
// agent that removed the variables of the run from its environment.
func (p *Place) CalledByAgent() bool {
	if os.Getenv("RALPH_ITERATION") != "" {
		return true
	}
	h, err := journal.ReadHolder(p.StateDir)
	return err == nil && processOf(h).IsAncestor()
}
