package main

import (
	"context"
	"crypto/rand"
	"os"
	"runtime"

	"ralph/internal/awake"
	"ralph/internal/config"
	"ralph/internal/journal"
	"ralph/internal/notify"
	"ralph/internal/proc"
	"ralph/internal/run"
)

// watcher observes the events of a run: it keeps the machine awake, and notifies the user.
type watcher struct {
	keeper *awake.Keeper
	sender *notify.Sender
	status func() run.Status // with the event applied
}

// newWatcher starts nothing yet. root is the worktree.
func newWatcher(s *config.Settings, root string, status func() run.Status, warn func(string)) *watcher {
	var commands [][]string
	if s.KeepAwake && awake.CanAsk(runtime.GOOS, os.Getenv) {
		commands = awake.Commands(runtime.GOOS, os.Getpid())
	}
	return &watcher{keeper: awake.New(commands), sender: newSender(s, root, warn), status: status}
}

func newSender(s *config.Settings, root string, warn func(string)) *notify.Sender {
	return notify.New(notify.Options{
		Command: s.Notify.Command, Desktop: s.Notify.Desktop && notify.HasDesktop(runtime.GOOS, os.Getenv), GOOS: runtime.GOOS,
		Dir: root, Limit: notify.Limit, Warn: warn,
		// A guardian of its own: the run's may be busy, or closed already.
		Guardian: func() (*proc.Guardian, error) { return startGuardian(rand.Text()) },
	})
}

func (w *watcher) event(e journal.Event) {
	switch b := e.Body.(type) {
	case journal.RunStarted:
		w.keeper.Hold()
	case journal.WaitStarted:
		if b.Reason == journal.WaitPaused { // the user has paused it
			w.keeper.Release()
		}
	case journal.WaitEnded:
		w.keeper.Hold()
	case journal.RunEnded:
		w.keeper.Release()
	}
	if n, worth := notify.Of(e, w.status()); worth {
		w.sender.Send(n)
	}
}

// close waits until all notices are sent, for a limited time.
func (w *watcher) close(ctx context.Context) {
	w.keeper.Release()
	w.sender.Close(ctx)
}
