package host

import "testing"

func TestSlotsAreSharedByTheQueues(t *testing.T) {
	s := newSlots(1)
	a, _ := s.reserve("a")
	b, _ := s.reserve("b")
	if a == nil || b == nil {
		t.Fatal("a queue that waits for work holds the slot of another one")
	}
	if again, _ := s.reserve("a"); again != nil {
		t.Error("a queue asks for more than there are slots")
	}
	s.take(a)
	if !s.enter() {
		t.Fatal("the first turn is refused")
	}
	s.take(b) // an answer that was on its way
	if s.enter() {
		t.Error("two turns are at work in one slot")
	}
	s.release(b)
	none, changed := s.reserve("b")
	if none != nil {
		t.Fatal("a full host asks for work")
	}
	s.leave()
	s.release(a)
	select {
	case <-changed:
	default:
		t.Error("no one learns of the free slot")
	}
	if r, _ := s.reserve("b"); r == nil {
		t.Error("the free slot cannot be had")
	}
}
