package host

import (
	"context"
	"os/exec"
	"time"

	"ralph/fleet/internal/hold"
)

const (
	deliverEvery = time.Minute
	tidyEvery    = time.Hour
	// quiet is how long a reported problem is not reported again.
	quiet = time.Minute
)

// clearLeftovers ends what a worker that was killed may have left alive in this
// workspace, and takes its worktrees away. What the remote lacks of the agents' commits
// is kept.
func (h *Host) clearLeftovers(ctx context.Context) {
	for _, dir := range h.space.Leftovers() {
		limited, cancel := context.WithTimeout(ctx, time.Minute)
		cmd := exec.CommandContext(limited, h.Ralph, "stop")
		cmd.Dir, cmd.Env = dir, hold.Environ()
		if out, err := cmd.CombinedOutput(); err != nil {
			h.Log.Warn("what an earlier worker left cannot be asked to stop", "dir", dir, "error", err, "said", tail(out))
		}
		cancel()
		if err := h.space.Discard(ctx, dir); err != nil {
			h.Log.Warn("what an earlier worker left cannot be put away, and stays until the feature comes here again", "dir", dir, "error", err)
		}
	}
	h.space.TidyUp(ctx, time.Now())
}

// upkeep delivers what is to be kept and keeps the mirrors small, until ctx is done.
func (h *Host) upkeep(ctx context.Context) {
	tidied := time.Now()
	for {
		if err := h.space.Deliver(ctx); err != nil && ctx.Err() == nil {
			h.trouble(err.Error())
		}
		if time.Since(tidied) >= tidyEvery {
			tidied = time.Now()
			h.space.TidyUp(ctx, tidied)
		}
		select {
		case <-ctx.Done():
			return
		case <-time.After(deliverEvery):
		}
	}
}

// trouble logs a lasting problem, once a minute.
func (h *Host) trouble(message string) {
	if h.isFresh(message, time.Now()) {
		h.Log.Warn(message)
	}
}

// isFresh reports whether a message was not logged lately.
func (h *Host) isFresh(message string, now time.Time) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	for old, at := range h.said {
		if now.Sub(at) >= quiet {
			delete(h.said, old)
		}
	}
	if _, known := h.said[message]; known {
		return false
	}
	h.said[message] = now
	return true
}
