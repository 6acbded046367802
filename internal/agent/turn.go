// Package agent runs one attempt of one coding agent and returns a typed outcome. It builds the
// call, starts it under the run's guardian, writes the prompt, reads the output and enforces
// the limits.
package agent

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"time"

	"ralph/internal/proc"
	"ralph/internal/stopwatch"
	"ralph/internal/stream"
)

const (
	// grace is how long an agent that is asked to end may take.
	grace = 5 * time.Second
	// resultGrace is how long an agent may stay after its terminal event.
	resultGrace = 10 * time.Second
	// drain bounds the wait for output that is still held open after every
	// process of the agent is gone.
	drain = 200 * time.Millisecond
	// maxArg is what Linux takes as one argument, less its final NUL and then some.
	maxArg = 127 << 10
	// step is how often the limits are checked: a timer alone stops while a laptop
	// sleeps.
	step = time.Second
	// settle is how long the news that the agent has exited may take to arrive.
	settle = 100 * time.Millisecond
)

// Limits are the time limits of an attempt. Zero means no limit.
type Limits struct {
	Timeout time.Duration // from the start, in real time: the machine's sleep counts
	Idle    time.Duration // since the last byte of output, while ralph and the machine were running
}

// Call describes one attempt: which agent to start, with which prompt, where and how long.
type Call struct {
	Harness Harness
	Options Options
	Prompt  []byte
	Dir     string
	Env     []string // the environment before the harness adds and drops its own
	Extra   []string // ralph's own variables for the agent
	Limits  Limits
	Log     string // file that gets every byte the agent prints

	Started func(proc.ID)      // called once the agent runs
	Event   func(stream.Event) // called for each event of its output, one at a time
	Stdout  func([]byte)       // called with each piece of standard output, before its events
	Drained func()             // called when all output so far has been read
}

// Run runs one attempt and returns when all its processes have ended. The outcome says how the
// agent fared. The error is about ralph itself: a *MissingError, a log that cannot be written,
// or a guardian that cannot be reached.
func Run(ctx context.Context, g *proc.Guardian, c Call) (Outcome, error) {
	log, err := os.OpenFile(c.Log, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o600)
	if err != nil {
		return Outcome{}, fmt.Errorf("the agent's log cannot be written: %w", err)
	}
	defer log.Close()
	if err := log.Chmod(0o600); err != nil { // it may have been there before
		return Outcome{}, fmt.Errorf("the permissions of the agent's log cannot be set: %w", err)
	}
	t := &turn{call: c, watch: stopwatch.Start()}
	t.out = newOutput(c, log)
	before := c.Options.Guard.backup()
	p, err := t.start(g)
	if errors.Is(err, proc.ErrLost) {
		o := outcomeOf(c.Harness, endLost, proc.Exit{Code: -1}, stream.Summary{}, "", c.Limits, time.Now())
		return o, nil // as for a guardian that dies a moment later
	}
	if err != nil {
		return Outcome{}, err
	}
	why := t.await(ctx, g, p)
	swept, endErr := t.finish(p, why)
	if errors.Is(endErr, proc.ErrLost) {
		// That is the outcome, or the guardian died after the agent had ended.
		// The next turn gets a new one, which looks again for what is left.
		endErr = nil
	}
	sum := t.out.reader.Summary()
	c.Harness.CountFromSession(c.Env, &sum)
	said := strings.TrimSpace(strings.ToValidUTF8(string(t.out.tail), "\ufffd"))
	o := outcomeOf(c.Harness, why, p.Exit(), sum, said, c.Limits, time.Now())
	if plain(c.Harness, o.Summary) {
		// An echo of the prompt is not the agent's own word.
		o.Final = strings.Replace(o.Final, strings.TrimSpace(string(c.Prompt)), "", 1)
	}
	o.Duration = t.watch.Passed().Real
	o.Strays, o.Names = swept.Strays, swept.Names
	o.LogLost = putBack(log, c.Log, c.Dir)
	restored, guardErr := c.Options.Guard.restore(ctx, before)
	o.Boundary = restored
	if rooms := c.Options.Rooms; rooms != nil && !rooms.ReadOnly {
		if text := unwritten(log); text != "" {
			o.Boundary = append(o.Boundary, text)
		}
	}
	if err := errors.Join(t.out.broken, endErr, guardErr); err != nil {
		return o, err
	}
	return o, t.hidden(o, said)
}

// hidden returns a MissingError if the program that makes the room could not start the agent.
func (t *turn) hidden(o Outcome, said string) error {
	text, ok := strings.CutPrefix(said, "bwrap: execvp ")
	if !ok || !t.sealed || o.Summary.Lines > 0 || o.Exit.Code != 1 {
		return nil
	}
	program, why, _ := strings.Cut(firstLine(text), ": ")
	return &MissingError{Harness: t.call.Harness.Name, Program: program, Err: hiddenError(why)}
}

type turn struct {
	call   Call
	out    *output
	watch  stopwatch.Watch // since its beginning
	wg     sync.WaitGroup
	ours   []*os.File // our ends of the agent's pipes
	sealed bool       // it runs in a room
}

// start gives the agent its pipes and starts it.
func (t *turn) start(g *proc.Guardian) (*proc.Process, error) {
	argv, err := t.argv()
	if err != nil {
		return nil, err
	}
	cmd := proc.Command{Argv: argv, Dir: t.call.Dir, Env: t.call.Harness.Environ(t.call.Env, t.call.Extra)}
	if cmd.Room, err = t.call.Options.Rooms.of(t.call.Harness, argv, t.call.Dir).Wrap(t.call.Dir); err != nil {
		return nil, err
	}
	t.sealed = len(cmd.Room) > 0
	var theirs []*os.File
	defer func() {
		for _, f := range theirs {
			f.Close()
		}
	}()
	var ends [3]*os.File
	for i, dst := range []**os.File{&cmd.Stdin, &cmd.Stdout, &cmd.Stderr} {
		r, w, err := os.Pipe()
		if err != nil {
			t.close()
			return nil, fmt.Errorf("the agent's pipes cannot be made: %w", err)
		}
		if i == 0 {
			r, w = w, r
		}
		ends[i], *dst = r, w
		t.ours, theirs = append(t.ours, r), append(theirs, w)
	}
	p, err := g.Start(cmd)
	if err != nil {
		t.close()
		if errors.Is(err, proc.ErrLost) || errors.Is(err, proc.ErrBusy) {
			return nil, err
		}
		return nil, &MissingError{Harness: t.call.Harness.Name, Program: argv[0], Err: err}
	}
	if t.call.Started != nil {
		t.call.Started(p.ID())
	}
	go func() {
		defer ends[0].Close()
		if t.call.Harness.Prompt != PromptStdin {
			return
		}
		// An agent that ends without reading its prompt is no error of its own.
		_, _ = ends[0].Write(t.call.Prompt)
	}()
	t.wg.Go(func() { t.out.read(ends[1], false) })
	t.wg.Go(func() { t.out.read(ends[2], true) })
	return p, nil
}

// argv is the call, with the prompt where it does not go to standard input.
func (t *turn) argv() ([]string, error) {
	argv := t.call.Harness.Argv(t.call.Options)
	switch t.call.Harness.Prompt {
	case PromptArg:
		if len(t.call.Prompt) > maxArg {
			return nil, fmt.Errorf("the prompt has %d KB, and the harness %s takes it as an argument, of at most %d KB: use prompt: stdin or prompt: file in its settings",
				len(t.call.Prompt)>>10, t.call.Harness.Name, maxArg>>10)
		}
		return append(argv, string(t.call.Prompt)), nil
	case PromptFile:
		path := t.call.Log + ".prompt"
		_ = os.Remove(path) // of an earlier attempt, or planted with other permissions
		if err := os.WriteFile(path, t.call.Prompt, 0o600); err != nil {
			return nil, fmt.Errorf("the prompt's file cannot be written: %w", err)
		}
		return append(argv, path), nil
	}
	return argv, nil
}

func (t *turn) close() {
	for _, f := range t.ours {
		f.Close()
	}
}

// await waits until the agent has exited or has to be ended, and says which.
func (t *turn) await(ctx context.Context, g *proc.Guardian, p *proc.Process) end {
	tick := time.NewTicker(step)
	defer tick.Stop()
	var deadline, lingering <-chan time.Time
	if limit := t.call.Limits.Timeout; limit > 0 {
		deadline = time.After(limit) // for precision; the ticks are for a machine that slept
	}
	look := stopwatch.Start()
	result := t.out.result
	for {
		select {
		case <-p.Exited():
			return endItself
		case <-ctx.Done():
			return endAsked
		case <-g.Lost():
			return endLost
		case <-t.out.failed:
			return endFailed
		case <-result:
			result = nil
			lingering = time.After(resultGrace)
		case <-lingering:
			return endLingering
		case <-deadline:
			return t.expired(p)
		case <-tick.C:
			switch t.overdue(look.Lap()) {
			case endTimeout:
				return t.expired(p)
			case endIdle:
				return endIdle
			}
		}
	}
}

// overdue is the limit that was reached, if one was: endTimeout, endIdle, or
// endItself for none. lap is what has passed since the last look.
func (t *turn) overdue(lap stopwatch.Passed) end {
	if lap.Real > 3*step {
		t.out.touch() // ralph was not reading, after Ctrl-Z or in sleep: the silence means nothing
	}
	limits := t.call.Limits
	switch {
	case limits.Timeout > 0 && t.watch.Passed().Real >= limits.Timeout:
		return endTimeout
	case limits.Idle > 0 && t.out.silence() >= limits.Idle:
		return endIdle
	}
	return endItself
}

// expired is the end at the time limit, unless the agent had exited by then: a
// ralph that was stopped by Ctrl-Z learns of both at once.
func (t *turn) expired(p *proc.Process) end {
	select {
	case <-p.Exited():
		return endItself
	case <-time.After(settle):
		return endTimeout
	}
}

// finish ends what is left of the agent and reads its output to the end. After it nothing
// writes to t.out.
func (t *turn) finish(p *proc.Process, why end) (proc.Swept, error) {
	var swept proc.Swept
	var err error
	if why == endItself || why == endLost {
		swept, err = p.End(nil, 0)
	} else {
		swept, err = p.End(t.call.Harness.Gentle, grace)
	}
	done := make(chan struct{})
	go func() { t.wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(drain):
	}
	t.close() // wakes readers of pipes that another process still holds
	<-done
	t.out.close()
	return swept, err
}
