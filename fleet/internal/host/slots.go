package host

import (
	"context"
	"sync"
	"time"

	"go.temporal.io/sdk/worker"
)

// slots bounds the turns of a host over all its task queues. The SDK reserves a slot
// before it asks a queue for work, and an answer may take a minute: were the slots
// divided, a queue without work would hold those that another one needs. So each queue
// may ask while any slot is free, and a turn for which none exists after all goes
// back to the queue at once.
type slots struct {
	size int

	mu      sync.Mutex
	asking  map[string]int // reservations by queue that have no turn yet
	taken   int            // reservations with a turn
	running int            // turns running
	changed chan struct{}  // closed when something becomes free
}

func newSlots(n int) *slots {
	return &slots{size: n, asking: map[string]int{}, changed: make(chan struct{})}
}

// reservation is what a permit of the SDK carries.
type reservation struct {
	queue string
	taken bool
}

// reserve takes a slot for a queue that wants to ask; nil where none is free, with a
// channel that reports when to try again.
func (s *slots) reserve(queue string) (*reservation, <-chan struct{}) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.taken+s.asking[queue] >= s.size {
		return nil, s.changed
	}
	s.asking[queue]++
	return &reservation{queue: queue}, nil
}

// take marks that a reservation has got a turn.
func (s *slots) take(r *reservation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.asking[r.queue]--
	s.taken++
	r.taken = true
}

func (s *slots) release(r *reservation) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if r.taken {
		s.taken--
	} else {
		s.asking[r.queue]--
	}
	close(s.changed)
	s.changed = make(chan struct{})
}

// enter begins a turn; false where the host is full.
func (s *slots) enter() bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.running >= s.size {
		return false
	}
	s.running++
	return true
}

func (s *slots) leave() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.running--
}

// supplier is the slots as the SDK asks for them, of a host that may not be ready.
type supplier struct {
	*slots
	ready func() bool
}

// readyAgain is how often a host that is not ready looks whether it is.
const readyAgain = 5 * time.Second

func (s supplier) ReserveSlot(ctx context.Context, info worker.SlotReservationInfo) (*worker.SlotPermit, error) {
	for {
		var changed <-chan struct{}
		var again <-chan time.Time
		if s.ready() {
			var r *reservation
			if r, changed = s.reserve(info.TaskQueue()); r != nil {
				return &worker.SlotPermit{UserData: r}, nil
			}
		} else {
			again = time.After(readyAgain)
		}
		select {
		case <-changed:
		case <-again:
		case <-ctx.Done():
			return nil, ctx.Err()
		}
	}
}

func (s supplier) TryReserveSlot(worker.SlotReservationInfo) *worker.SlotPermit { return nil }

func (s supplier) MarkSlotUsed(info worker.SlotMarkUsedInfo) {
	if r, ok := info.Permit().UserData.(*reservation); ok {
		s.take(r)
	}
}

func (s supplier) ReleaseSlot(info worker.SlotReleaseInfo) {
	if r, ok := info.Permit().UserData.(*reservation); ok {
		s.release(r)
	}
}

func (s supplier) MaxSlots() int { return s.size }
