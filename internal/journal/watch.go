package journal

import (
	"context"
	"time"

	"github.com/fsnotify/fsnotify"
)

// lookAgain is how often a watched directory is inspected although nothing
// was heard of it: it may not exist yet, or lie where the kernel does not
// report changes.
const lookAgain = time.Second

// Watch sends when something in the directory dir may have changed: as soon
// as the kernel reports it, else once a second. The channel holds one signal
// and is closed when ctx is done. dir may appear, go and come back.
func Watch(ctx context.Context, dir string) <-chan struct{} {
	wake := make(chan struct{}, 1)
	// Without a watcher, for example beyond the user's limit of them, the
	// ticker alone has to do.
	var events chan fsnotify.Event
	var faults chan error
	watcher, err := fsnotify.NewWatcher()
	if err == nil {
		events, faults = watcher.Events, watcher.Errors
		_ = watcher.Add(dir)
	}
	go func() {
		defer close(wake)
		look := time.NewTimer(untilLook(time.Now()))
		defer look.Stop()
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
			case <-look.C:
				look.Reset(untilLook(time.Now()))
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

// untilLook is the time until the next full second. All watchers of a process look
// at once: to wake the processor up costs more than to look.
func untilLook(now time.Time) time.Duration {
	return now.Truncate(lookAgain).Add(lookAgain).Sub(now)
}
