package monitor

import (
	"context"
	"os"
	"os/signal"
	"syscall"

	"ralph/internal/tmux"
)

// arranger keeps a dashboard and the loop's pane of use when the window that they
// share changes its size: a session that was made wide may be attached from a phone,
// and tmux takes as much from each pane as from the other, down to a column.
type arranger struct {
	tmux          *tmux.Client
	pane          string // the dashboard's
	width, height int    // of the window at the last check
	stacked       bool   // the dashboard was next to the loop and is below it now
}

// KeepArranged rearranges the panes of the loop and the dashboard when their window changes
// size. pane is the dashboard's. It returns when ctx is done.
func KeepArranged(ctx context.Context, c *tmux.Client, pane string) {
	resized := make(chan os.Signal, 1)
	signal.Notify(resized, syscall.SIGWINCH)
	defer signal.Stop(resized)
	a := &arranger{tmux: c, pane: pane}
	for {
		a.rearrange(ctx)
		select {
		case <-ctx.Done():
			return
		case <-resized:
		}
	}
}

// rearrange arranges the panes again if the window has another size and they do not fit
// into it. Panes that the user has moved stay as they are as long as the window does.
func (a *arranger) rearrange(ctx context.Context) {
	p, ok := a.tmux.Pair(ctx, a.pane)
	if !ok || p.Width == a.width && p.Height == a.height {
		return
	}
	a.width, a.height = p.Width, p.Height
	side, size := place(p.Width, p.Height)
	switch {
	case side == tmux.Below && p.SideBySide:
		a.stacked = true
	case side == tmux.Right && a.stacked:
		a.stacked = false
	case side == tmux.Right && p.SideBySide && p.Least < leastColumns-1: // a column is the border
	default:
		return
	}
	_ = a.tmux.Arrange(ctx, a.pane, side, size) // a pane that has gone needs no room
}
