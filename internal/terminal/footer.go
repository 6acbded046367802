package terminal

import (
	"fmt"
	"sync"
	"time"

	"ralph/internal/words"
)

// patience is how long something may take before the terminal shows what it is.
const patience = time.Second

// Footer shows the current activity. On a terminal it is the last line, drawn every second and
// erased before other output. Elsewhere it is printed once. The caller of its methods must
// hold Lock.
type Footer struct {
	T    *Terminal
	Lock *sync.Mutex
	Line func(text string) // prints the text if there is no terminal
	now  *footing
}

// footing is one text at the foot.
type footing struct {
	text  func() string
	drawn bool
	done  chan struct{}
}

// Show shows a text in the footer after a delay, and updates it every second until Hide.
func (f *Footer) Show(text func() string) {
	f.Hide()
	now := &footing{text: text, done: make(chan struct{})}
	f.now = now
	go func() {
		next := time.NewTimer(patience)
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
func (f *Footer) draw(now *footing) bool {
	f.Lock.Lock()
	defer f.Lock.Unlock()
	if f.now != now {
		return false
	}
	if !f.T.Redraws {
		f.Line(now.text())
		return false
	}
	now.drawn = true
	fmt.Fprintf(f.T.Out, "\r\x1b[K  %s ", f.T.Paint(Dim, f.T.Fit(now.text(), f.T.Width()-4)))
	return true
}

// Erase removes the footer to make room for a line. The footer returns within a second.
func (f *Footer) Erase() {
	if f.now != nil && f.now.drawn {
		f.now.drawn = false
		fmt.Fprint(f.T.Out, "\r\x1b[K")
	}
}

// Hide removes the footer until the next Show.
func (f *Footer) Hide() {
	if f.now != nil {
		f.Erase()
		close(f.now.done)
		f.now = nil
	}
}

// Working shows an activity in the footer, with the time that it has taken.
func (f *Footer) Working(what string) {
	began := time.Now()
	f.Show(func() string {
		if !f.T.Redraws {
			return what
		}
		return what + ", " + words.Duration(time.Since(began).Truncate(time.Second))
	})
}

// ShowActivity shows a long activity on standard error, once it has taken a while. Call done to
// remove it.
func (t *Terminal) ShowActivity(what string) (done func()) {
	if !t.errTTY {
		return func() {}
	}
	var lock sync.Mutex
	shown := &Terminal{Out: t.Err, IsTTY: true, Redraws: true, Color: t.ErrColor, ASCII: t.ASCII}
	f := &Footer{T: shown, Lock: &lock}
	lock.Lock()
	defer lock.Unlock()
	f.Working(what)
	return func() {
		lock.Lock()
		defer lock.Unlock()
		f.Hide()
	}
}
