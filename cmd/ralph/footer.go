package main

import (
	"fmt"
	"sync"
	"time"

	"ralph/internal/words"
)

// patienceOfPeople is how long something may take before it is said what is
// going on.
const patienceOfPeople = time.Second

// footer shows what goes on at the moment: on a terminal one line at its foot, drawn
// anew each second and gone before anything else is shown; elsewhere a line, once. The
// caller of its methods holds lock.
type footer struct {
	t    *terminal
	lock *sync.Mutex
	line func(text string) // shows it where there is no terminal
	now  *footing
}

// footing is one text at the foot.
type footing struct {
	text  func() string
	drawn bool
	done  chan struct{}
}

// show shows a text, after a second, until hide.
func (f *footer) show(text func() string) {
	f.hide()
	now := &footing{text: text, done: make(chan struct{})}
	f.now = now
	go func() {
		next := time.NewTimer(patienceOfPeople)
		defer next.Stop()
		for {
			select {
			case <-now.done:
				return
			case <-next.C:
			}
			if !f.draw(now) {
				return
			}
			next.Reset(time.Second)
		}
	}()
}

// draw reports whether the text is to be drawn again.
func (f *footer) draw(now *footing) bool {
	f.lock.Lock()
	defer f.lock.Unlock()
	if f.now != now {
		return false
	}
	if !f.t.isTTY {
		f.line(now.text())
		return false
	}
	now.drawn = true
	fmt.Fprintf(f.t.out, "\r\x1b[K  %s ", f.t.paint(dim, f.t.fit(now.text(), f.t.width()-4)))
	return true
}

// erase makes room for a line; the footer comes back with its next second.
func (f *footer) erase() {
	if f.now != nil && f.now.drawn {
		f.now.drawn = false
		fmt.Fprint(f.t.out, "\r\x1b[K")
	}
}

// hide ends the footer.
func (f *footer) hide() {
	if f.now != nil {
		f.erase()
		close(f.now.done)
		f.now = nil
	}
}

// working shows that something takes a while, and how long it has taken.
func (f *footer) working(what string) {
	began := time.Now()
	f.show(func() string {
		if !f.t.isTTY {
			return what
		}
		return what + ", " + words.Duration(time.Since(began).Truncate(time.Second))
	})
}

// slowly shows on standard error what a command without a screen does, once it has
// taken a while. The returned function removes it.
func (t *terminal) slowly(what string) (done func()) {
	if !t.errTTY {
		return func() {}
	}
	var lock sync.Mutex
	f := &footer{t: &terminal{out: t.err, isTTY: true, color: t.errColor, ascii: t.ascii}, lock: &lock}
	lock.Lock()
	defer lock.Unlock()
	f.working(what)
	return func() {
		lock.Lock()
		defer lock.Unlock()
		f.hide()
	}
}
