package monitor

import (
	"testing"

	"ralph/internal/tmux"
)

func TestWhereTheDashboardGoes(t *testing.T) {
	for _, c := range []struct {
		width, height int
		side          tmux.Side
		size          int
	}{
		{80, 24, tmux.Right, 40}, {120, 30, tmux.Right, 48}, {400, 100, tmux.Right, 100}, {79, 24, tmux.Below, 12}, {40, 1, tmux.Below, 1},
	} {
		if side, size := place(c.width, c.height); side != c.side || size != c.size {
			t.Errorf("%dx%d: %s %d, want %s %d", c.width, c.height, side, size, c.side, c.size)
		}
	}
}

func TestHowToComeBack(t *testing.T) {
	for variable, want := range map[string]string{
		"":                        "tmux attach -t '=ralph-x'",
		"/tmp/tmux-0/default,1,0": "tmux attach -t '=ralph-x'",
		"/tmp/tmux-0/work,1,0":    "tmux -S '/tmp/tmux-0/work' attach -t '=ralph-x'",
	} {
		s := &Session{tmux.Session{Name: "ralph-x"}, unusualSocket(variable)}
		if got := s.How(); got != want {
			t.Errorf("%q: %s, want %s", variable, got, want)
		}
	}
}
