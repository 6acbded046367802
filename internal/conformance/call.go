package conformance

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"syscall"
	"time"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/stream"
	"ralph/internal/words"
)

const (
	// grace is how long a run gives an agent that it ends.
	grace = 5 * time.Second
	// settle is how long the command may take until it works on its task.
	settle = 20 * time.Second
	// glance is how often the processes are listed meanwhile: the kernel sends no
	// event for those that are not our children.
	glance = 100 * time.Millisecond
)

// call is one call of the command.
type call struct {
	trial  string
	about  string // the call in words
	prompt string
	limit  time.Duration  // 0 is that of the session
	signal syscall.Signal // sent while it runs; 0 means no signal
	watch  string         // name of the process that shows that it works
}

// reply is the result of a call.
type reply struct {
	agent.Outcome
	heard
	limit      time.Duration
	signalled  bool // it was alive when the signal was sent
	working    bool // the process to watch for was seen
	afterwards time.Duration
}

// timedOut reports whether ralph had to end the command.
func (t reply) timedOut() bool {
	return t.Kind == journal.OutcomeTimeout || t.signalled && t.Exit.Signal == syscall.SIGKILL
}

// exited reports whether the command ended by itself with status 0.
func (t reply) exited() bool { return !t.timedOut() && t.Exit == (proc.Exit{}) }

var errAtWork = errors.New("the command is running")

// make makes a call as a run does, and returns when nothing of it is alive.
func (s *session) make(ctx context.Context, mode agent.PromptMode, c call) (reply, error) {
	s.card.Calls++
	if c.limit == 0 {
		c.limit = s.Limit
	}
	defer s.Calling(c.about, c.limit)()
	h := agent.Custom(s.name())
	h.Command, h.Prompt, h.Output = s.Command, mode, s.format
	if c.signal != 0 {
		h.Gentle = []syscall.Signal{c.signal}
	}
	l := newListener()
	inner, cancel := context.WithCancelCause(ctx)
	watched := make(chan bool, 1)
	go func() { watched <- s.watch(inner, c, cancel) }()
	o, err := agent.Run(inner, s.Guardian, agent.Call{Harness: h, Prompt: []byte(c.prompt), Dir: s.dir, Env: s.Env, Extra: []string{Variable + "=" + c.trial},
		Limits: agent.Limits{Timeout: c.limit}, Log: filepath.Join(filepath.Dir(s.dir), "output.log"), Stdout: l.take})
	ended := time.Now()
	cancel(nil)
	t := reply{Outcome: o, heard: l.end(), limit: c.limit, working: <-watched}
	if at, ok := signalledAt(inner); ok && o.Kind == journal.OutcomeInterrupted {
		t.signalled, t.afterwards = true, ended.Sub(at)
	}
	if err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	return t, err
}

// signalTime is the cause of the end of a call that was signalled.
type signalTime struct {
	error
	at time.Time
}

func signalledAt(ctx context.Context) (time.Time, bool) {
	var s signalTime
	ok := errors.As(context.Cause(ctx), &s)
	return s.at, ok
}

// watch waits until the process to watch for is seen, and ends the call then where it
// is to be signalled; at the latest when the command must have started its work.
func (s *session) watch(ctx context.Context, c call, end context.CancelCauseFunc) (seen bool) {
	if c.watch == "" {
		return false
	}
	ticker := time.NewTicker(glance)
	defer ticker.Stop()
	late := time.After(min(settle, c.limit/2))
	for !seen {
		select {
		case <-ctx.Done():
			return false
		case <-late:
			if c.signal != 0 {
				end(signalTime{errAtWork, time.Now()})
			}
			late = nil
		case <-ticker.C:
			alive, err := proc.ByToken(s.Token)
			seen = err == nil && slices.ContainsFunc(alive, func(n proc.Named) bool { return n.Name == c.watch })
		}
	}
	if c.signal != 0 {
		end(signalTime{errAtWork, time.Now()})
	}
	return true
}

// failing says in some words how a call went that should have answered.
func (t reply) failing() string {
	text := "exit status 0 without the answer"
	switch {
	case t.timedOut():
		text = "no end within " + words.Duration(t.limit)
	case t.Exit != (proc.Exit{}):
		text = t.Exit.String()
	}
	if said := t.said(); said != "" {
		text += " (" + said + ")"
	}
	return text
}

// said returns the command's own words for a failure.
func (t reply) said() string {
	const longest = 200
	said := t.Message
	if t.Kind == journal.OutcomeOK {
		said = stream.OneLine(t.Final)
	}
	if t.timedOut() {
		return ""
	}
	return said[:min(len(said), longest)]
}
