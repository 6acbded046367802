package host

import (
	"context"
	"sync"
	"time"

	"ralph/fleet/internal/feature"
	"ralph/fleet/internal/repo"
)

const (
	pushAgain     = 10 * time.Second
	receiptsLimit = time.Minute // for the receipts after a push
)

// pusher puts snapshots on the remote next to the run: the newest one, as often as it
// takes. One that the remote refuses because the feature is not this host's any more
// ends the turn.
type pusher struct {
	turn   *turn
	next   chan repo.Snapshot // of size one, the newest
	cancel context.CancelFunc
	wg     sync.WaitGroup

	mu      sync.Mutex
	refused error
}

func startPusher(ctx context.Context, t *turn) *pusher {
	ctx, cancel := context.WithCancel(ctx)
	p := &pusher{turn: t, next: make(chan repo.Snapshot, 1), cancel: cancel}
	p.wg.Go(func() { p.work(ctx) })
	return p
}

// offer replaces what waits to be pushed.
func (p *pusher) offer(s repo.Snapshot) {
	select {
	case <-p.next:
	default:
	}
	p.next <- s
}

// stop ends the pushing; it returns why the remote has refused a snapshot, if it has.
func (p *pusher) stop() error {
	p.cancel()
	p.wg.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.refused
}

func (p *pusher) work(ctx context.Context) {
	for {
		var s repo.Snapshot
		select {
		case <-ctx.Done():
			return
		case s = <-p.next:
		}
		if !p.untilDone(ctx, s) {
			return
		}
	}
}

// untilDone pushes a snapshot, or the one that comes meanwhile.
func (p *pusher) untilDone(ctx context.Context, s repo.Snapshot) bool {
	for {
		err := p.turn.tree.Push(ctx, s)
		switch {
		case ctx.Err() != nil:
			return false
		case err == nil:
			p.turn.pushed(ctx)
			return true
		case repo.IsRefusal(err):
			p.mu.Lock()
			p.refused = err
			p.mu.Unlock()
			p.turn.end()
			return false
		}
		p.turn.troubled(err.Error())
		select {
		case <-ctx.Done():
			return false
		case s = <-p.next:
		case <-time.After(pushAgain):
		}
	}
}

// pushed notes that the remote has everything, and sends the receipts after it. The
// feature does not depend on them: those that cannot be pushed go with the next ones.
func (t *turn) pushed(ctx context.Context) {
	t.pulse.change(func(p *feature.Progress) { p.Pushed, p.Trouble = t.serverTime(t.tree.PushedAt()), t.clock })
	limited, cancel := context.WithTimeout(ctx, receiptsLimit)
	defer cancel()
	if err := t.tree.PushReceipts(limited); err != nil && ctx.Err() == nil {
		t.troubled(err.Error())
	}
}
