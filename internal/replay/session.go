package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"syscall"
	"time"
)

// The steps of this file concern the session as a process: its time, its
// signals, its prompt, its end.

// sleepStep waits.
type sleepStep struct{ duration }

func (s *sleepStep) play(ctx context.Context, _ *player) error {
	timer := time.NewTimer(time.Duration(s.duration))
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
	return nil
}

// hangStep waits for a signal.
type hangStep struct{ flag }

func (s *hangStep) play(ctx context.Context, _ *player) error {
	<-ctx.Done()
	return nil
}

// ignoreStep ignores signals from now on.
type ignoreStep []string

func signalNames() map[string]syscall.Signal {
	return map[string]syscall.Signal{"INT": syscall.SIGINT, "TERM": syscall.SIGTERM, "HUP": syscall.SIGHUP}
}

func (s *ignoreStep) check() error {
	for _, name := range *s {
		if _, ok := signalNames()[name]; !ok {
			return fmt.Errorf("%q cannot be ignored, only INT, TERM and HUP", name)
		}
	}
	return nil
}

func (s *ignoreStep) play(_ context.Context, p *player) error {
	for _, name := range *s {
		p.signals.ignore(signalNames()[name])
	}
	return nil
}

// stopSelfStep stops the process as Ctrl-Z would, until somebody continues it.
type stopSelfStep struct{ flag }

func (s *stopSelfStep) play(context.Context, *player) error {
	return syscall.Kill(os.Getpid(), syscall.SIGSTOP)
}

// closeStdoutStep closes standard output; the session goes on in silence.
type closeStdoutStep struct{ flag }

func (s *closeStdoutStep) play(_ context.Context, p *player) error {
	out := p.out.w
	p.out.w = io.Discard
	if c, ok := out.(io.Closer); ok {
		return c.Close()
	}
	return nil
}

// exitStep ends the turn with an exit status.
type exitStep int

func (s *exitStep) check() error {
	if *s < 0 || *s > 255 {
		return errors.New("an exit status is between 0 and 255")
	}
	return nil
}

func (s *exitStep) play(_ context.Context, p *player) error {
	p.end.code = int(*s)
	return errTurnOver
}

// readPromptStep with false leaves standard input unread; wherever it stands,
// it holds for the whole turn.
type readPromptStep bool

func (s *readPromptStep) play(context.Context, *player) error { return nil }

// savePromptStep writes the prompt to a file.
type savePromptStep string

func (s *savePromptStep) check() error { return needPath(string(*s)) }

func (s *savePromptStep) play(_ context.Context, p *player) error {
	return os.WriteFile(p.env.path(string(*s)), p.prompt, 0o600)
}

// expectPromptStep fails the turn unless the prompt holds a text.
type expectPromptStep string

func (s *expectPromptStep) play(_ context.Context, p *player) error {
	if !bytes.Contains(p.prompt, []byte(*s)) {
		return fmt.Errorf("the prompt (%d bytes) does not hold %q", len(p.prompt), string(*s))
	}
	return nil
}
