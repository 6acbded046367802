package monitor

import (
	"fmt"
	"os"
	"strings"

	"golang.org/x/term"
)

// screen draws rows on a terminal and sends only what has changed.
type screen struct {
	in, out       *os.File
	was           *term.State // of the terminal, before it was taken over
	width, height int
	rows          []string // that are on it
}

// The sequences are those of xterm, which all terminals of today have taken
// over. Lines are not wrapped: a character that the terminal finds wider than
// expected must not push the rest out of place.
const (
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[2J"
	leaveScreen = "\x1b[0m\x1b[?7h\x1b[?25h\x1b[?1049l"
	clearScreen = "\x1b[0m\x1b[2J"
	clearRow    = "\x1b[2K"
	plainStyle  = "\x1b[0m"
)

// newScreen takes over the terminal until [screen.leave]; in is where its keys come from.
func newScreen(in, out *os.File) (*screen, error) {
	s := &screen{in: in, out: out}
	if err := s.enter(); err != nil {
		s.leave()
		return nil, err
	}
	return s, nil
}

// enter takes the terminal over, also once more.
func (s *screen) enter() error {
	was, err := term.MakeRaw(int(s.in.Fd()))
	if err != nil {
		return fmt.Errorf("the terminal cannot be taken over: %w", err)
	}
	if s.was == nil {
		s.was = was
	}
	if _, err := s.out.WriteString(enterScreen); err != nil {
		return fmt.Errorf("the terminal cannot be written to: %w", err)
	}
	s.resize(size(s.out))
	return nil
}

// leave puts the terminal back as it was.
func (s *screen) leave() {
	if s.was != nil {
		_, _ = s.out.WriteString(leaveScreen)
		_ = term.Restore(int(s.in.Fd()), s.was)
	}
}

// size returns the size of the terminal, 80 by 24 if it is unknown.
func size(f *os.File) (width, height int) {
	w, h, err := term.GetSize(int(f.Fd()))
	if err != nil || w < 1 || h < 1 {
		return 80, 24
	}
	return w, h
}

// resize forgets what is on the terminal: at another size it shows it as it
// likes.
func (s *screen) resize(width, height int) {
	s.width, s.height, s.rows = width, height, nil
}

// draw brings the terminal up to date in one write.
func (s *screen) draw(rows []string) error {
	var out strings.Builder
	if s.rows == nil {
		out.WriteString(clearScreen)
	}
	for i := range max(len(rows), len(s.rows)) {
		row := ""
		if i < len(rows) {
			row = rows[i]
		}
		if i < len(s.rows) && s.rows[i] == row || i >= len(s.rows) && row == "" {
			continue
		}
		fmt.Fprintf(&out, "\x1b[%d;1H%s%s%s", i+1, clearRow, row, plainStyle)
	}
	s.rows = append(s.rows[:0:0], rows...)
	if out.Len() == 0 {
		return nil
	}
	_, err := s.out.WriteString(out.String())
	return err
}
