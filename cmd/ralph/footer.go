package main

import (
	"fmt"
	"time"
)

// patienceOfPeople is how long something may take before it is said what is
// going on.
const patienceOfPeople = time.Second

// footer is what goes on at the moment: on a terminal one line at its foot, drawn
// anew each second and gone before anything else is shown; elsewhere a line,
// once. The screen's lock guards it.
type footer struct {
	text  func() string
	drawn bool
	done  chan struct{}
}

// showFooter says what goes on, after a delay, until hideFooter. The caller holds
// the screen's lock.
func (s *screen) showFooter(delay time.Duration, text func() string) {
	s.hideFooter()
	f := &footer{text: text, done: make(chan struct{})}
	s.foot = f
	go func() {
		next := time.NewTimer(delay)
		defer next.Stop()
		for {
			select {
			case <-f.done:
				return
			case <-next.C:
			}
			if !s.drawFooter(f) {
				return
			}
			next.Reset(time.Second)
		}
	}()
}

// drawFooter tells whether the footer is to be drawn again.
func (s *screen) drawFooter(f *footer) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.foot != f {
		return false
	}
	if !s.t.isTTY {
		s.line(dim, "…", f.text())
		return false
	}
	f.drawn = true
	fmt.Fprintf(s.t.out, "\r\x1b[K  %s ", s.t.paint(dim, s.t.fit(f.text(), s.t.width()-4)))
	return true
}

// eraseFooter makes room for a line; the footer comes back with its next second.
func (s *screen) eraseFooter() {
	if s.foot != nil && s.foot.drawn {
		s.foot.drawn = false
		fmt.Fprint(s.t.out, "\r\x1b[K")
	}
}

func (s *screen) hideFooter() {
	if s.foot != nil {
		s.eraseFooter()
		close(s.foot.done)
		s.foot = nil
	}
}

// working says that something takes a while, until the next event.
func (s *screen) working(what string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	began := time.Now()
	s.showFooter(patienceOfPeople, func() string {
		if !s.t.isTTY {
			return what
		}
		return what + ", " + duration(time.Since(began).Truncate(time.Second))
	})
}

// slowly says what goes on, where a command has no other screen, once it has
// taken a while. The returned function takes it back.
func (t *terminal) slowly(what string) (done func()) {
	if !t.errTTY {
		return func() {}
	}
	s := &screen{t: &terminal{out: t.err, isTTY: true, color: t.errColor, ascii: t.ascii}}
	s.working(what)
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		s.hideFooter()
	}
}
