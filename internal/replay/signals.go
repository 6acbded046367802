package replay

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"sync"
	"syscall"
)

// interruption is the cause for which a session's context ends.
type interruption struct{ sig syscall.Signal }

func (i interruption) Error() string { return fmt.Sprintf("ended by signal %d", int(i.sig)) }

// signals turns INT, TERM and HUP into the end of a context. Signals are
// received and dropped rather than ignored: an ignored signal would stay
// ignored in every command that the script runs.
type signals struct {
	ctx    context.Context
	cancel context.CancelCauseFunc
	caught chan os.Signal

	mu      sync.Mutex
	ignored map[os.Signal]bool
}

func watchSignals(ctx context.Context) *signals {
	s := &signals{caught: make(chan os.Signal, 8), ignored: map[os.Signal]bool{}}
	s.ctx, s.cancel = context.WithCancelCause(ctx)
	signal.Notify(s.caught, syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP)
	go s.serve()
	return s
}

func (s *signals) serve() {
	for {
		select {
		case sig := <-s.caught:
			s.mu.Lock()
			ignored := s.ignored[sig]
			s.mu.Unlock()
			if !ignored {
				s.cancel(interruption{sig.(syscall.Signal)})
				return
			}
		case <-s.ctx.Done():
			return
		}
	}
}

// ignore drops sig from now on.
func (s *signals) ignore(sig os.Signal) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ignored[sig] = true
}

func (s *signals) stop() {
	signal.Stop(s.caught)
	s.cancel(nil)
}

// cause returns the signal that ended ctx; INT where ctx ended without one.
func cause(ctx context.Context) syscall.Signal {
	if i, ok := context.Cause(ctx).(interruption); ok {
		return i.sig
	}
	return syscall.SIGINT
}

// signalNamed returns a signal that a script may ignore, 0 for any other name.
func signalNamed(name string) syscall.Signal {
	switch name {
	case "INT":
		return syscall.SIGINT
	case "TERM":
		return syscall.SIGTERM
	case "HUP":
		return syscall.SIGHUP
	}
	return 0
}
