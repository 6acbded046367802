package journal

import (
	"context"
	"time"

	"github.com/fsnotify/fsnotify"
)

// pollInterval is how often Watch signals without an event of the kernel: the directory
// may not exist yet, or be on a file system that does not report changes.
const pollInterval = time.Second

// Watch sends a signal when something in the directory dir may have changed: when the
// kernel reports it, and once a second. The channel holds one signal and is closed when
// ctx is done. dir may be created, removed and created again.
func Watch(ctx context.Context, dir string) <-chan struct{} {
	wake := make(chan struct{}, 1)
	// Without a watcher, for example beyond the user's limit of them, only the timer signals.
	var events chan fsnotify.Event
	var faults chan error
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		events, faults = watcher.Events, watcher.Errors
		_ = watcher.Add(dir)
	}
	go func() {
		defer close(wake)
		poll := time.NewTimer(untilPoll(time.Now()))
		defer poll.Stop()
		if watcher != nil {
			defer watcher.Close()
		}
		for {
			select {
			case <-ctx.Done():
				return
			case _, ok := <-events:
				if !ok {
					events = nil
				}
			case _, ok := <-faults:
				if !ok {
					faults = nil
				}
			case <-poll.C:
				poll.Reset(untilPoll(time.Now()))
				if watcher != nil {
					_ = watcher.Add(dir) // a new directory under the old name is another one
				}
			}
			select {
			case wake <- struct{}{}:
			default: // one signal is as good as many
			}
		}
	}()
	return wake
}

// untilPoll returns the time until the next full second. All watchers of a process poll
// at the same moment, because waking the processor costs more than polling.
func untilPoll(now time.Time) time.Duration {
	return now.Truncate(pollInterval).Add(pollInterval).Sub(now)
}
