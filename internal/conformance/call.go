package conformance

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"ralph/internal/agent"
	"ralph/internal/proc"
)

const (
	// grace is how long a run gives an agent that it ends.
	grace = 5 * time.Second
	// settle is how long the command may take until it is at work on its task.
	settle = 20 * time.Second
	// glance is how often the processes are looked at meanwhile: the kernel sends
	// no event for those that are not our children.
	glance = 100 * time.Millisecond
	// drain bounds the wait for output that somebody still holds open.
	drain = 200 * time.Millisecond
)

// call is one call of the command.
type call struct {
	trial  string
	about  string // the call in words
	prompt string
	limit  time.Duration  // 0 is that of the session
	signal syscall.Signal // sent once it is at work; 0 is none
	watch  string         // name of the process that shows that it is at work
}

// told is what came of a call.
type told struct {
	heard
	taken      int // bytes of the prompt that were taken on standard input
	size       int // of the prompt
	exit       proc.Exit
	timedOut   bool
	signalled  bool // it was alive when the signal was sent
	working    bool // the process to watch for was seen
	afterwards time.Duration
	took       time.Duration
	swept      proc.Swept
}

// make makes a call and returns when nothing of it is alive.
func (s *session) make(ctx context.Context, mode agent.PromptMode, c call) (told, error) {
	s.card.Calls++
	if c.limit == 0 {
		c.limit = s.Limit
	}
	defer s.calling(c.about, c.limit)()
	argv := slices.Clone(s.Command)
	file := filepath.Join(filepath.Dir(s.dir), "prompt.md")
	switch mode {
	case agent.PromptArg:
		argv = append(argv, c.prompt)
	case agent.PromptFile:
		if err := os.WriteFile(file, []byte(c.prompt), 0o600); err != nil {
			return told{}, fmt.Errorf("the prompt's file cannot be written: %w", err)
		}
		argv = append(argv, file)
	}
	pipes, err := newPipes()
	if err != nil {
		return told{}, err
	}
	defer pipes.close()
	began := time.Now()
	p, err := s.Guardian.Start(proc.Command{Argv: argv, Dir: s.dir, Env: append(slices.Clone(s.Env), Variable+"="+c.trial),
		Stdin: pipes.theirs[0], Stdout: pipes.theirs[1], Stderr: pipes.theirs[2]})
	pipes.handOver()
	if err != nil {
		return told{}, fmt.Errorf("%s cannot be started: %w", argv[0], err)
	}
	t := told{size: len(c.prompt)}
	l := newListener(began)
	var wg sync.WaitGroup
	wg.Go(func() {
		defer pipes.ours[0].Close()
		if mode == agent.PromptStdin {
			t.taken, _ = pipes.ours[0].Write([]byte(c.prompt)) // one that does not read shows in the count
		}
	})
	wg.Go(func() { l.read(pipes.ours[1], false) })
	wg.Go(func() { l.read(pipes.ours[2], true) })

	s.await(ctx, p, c, &t)
	t.took = time.Since(began)
	gentle := []syscall.Signal{syscall.SIGTERM}
	if t.signalled {
		gentle = nil // it had its grace
	}
	if t.swept, err = p.End(gentle, grace); err == nil && ctx.Err() != nil {
		err = context.Cause(ctx)
	}
	t.exit = p.Exit()
	pipes.drain(&wg)
	t.heard = l.end()
	return t, err
}

// await waits for the end of the command, and sends it the signal of the call.
func (s *session) await(ctx context.Context, p *proc.Process, c call, t *told) {
	limit := time.NewTimer(c.limit)
	defer limit.Stop()
	ticker := time.NewTicker(glance)
	defer ticker.Stop()
	settled := time.NewTimer(min(settle, c.limit/2))
	defer settled.Stop()
	due := settled.C
	look := ticker.C
	if c.watch == "" {
		look = nil
	}
	if c.signal == 0 {
		due = nil
	}
	for {
		select {
		case <-p.Exited():
			return
		case <-ctx.Done():
			return
		case <-limit.C:
			t.timedOut = true
			return
		case <-look:
			if !s.sees(c.watch) {
				continue
			}
			t.working, look = true, nil
		case <-due:
		}
		if c.signal != 0 {
			s.strike(ctx, p, c.signal, t)
			return
		}
	}
}

// strike sends the signal and waits as long as a run would.
func (s *session) strike(ctx context.Context, p *proc.Process, sig syscall.Signal, t *told) {
	at := time.Now()
	if err := p.Signal(sig); errors.Is(err, os.ErrProcessDone) {
		return
	}
	t.signalled = true
	select {
	case <-p.Exited():
	case <-ctx.Done():
	case <-time.After(grace):
		t.timedOut = true
	}
	t.afterwards = time.Since(at)
}

// sees tells whether a process of that name is at work under the guardian.
func (s *session) sees(name string) bool {
	alive, err := proc.ByToken(s.Token)
	return err == nil && slices.ContainsFunc(alive, func(n proc.Named) bool { return n.Name == name })
}

// pipes are the three standard files of the command.
type pipes struct{ ours, theirs [3]*os.File }

func newPipes() (*pipes, error) {
	p := &pipes{}
	for i := range p.ours {
		r, w, err := os.Pipe()
		if err != nil {
			p.close()
			return nil, fmt.Errorf("the command's pipes cannot be made: %w", err)
		}
		if i == 0 {
			r, w = w, r
		}
		p.ours[i], p.theirs[i] = r, w
	}
	return p, nil
}

// handOver closes the ends that the command has now.
func (p *pipes) handOver() {
	for _, f := range p.theirs {
		f.Close()
	}
}

// drain waits until all is read, or until it is clear that somebody holds a pipe
// who does not belong to the command.
func (p *pipes) drain(wg *sync.WaitGroup) {
	done := make(chan struct{})
	go func() { wg.Wait(); close(done) }()
	select {
	case <-done:
	case <-time.After(drain):
		p.close()
		<-done
	}
}

func (p *pipes) close() {
	for _, f := range append(p.ours[:], p.theirs[:]...) {
		if f != nil {
			f.Close()
		}
	}
}
