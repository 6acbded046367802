package notify

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"time"

	"ralph/internal/proc"
	"ralph/internal/stream"
)

// Limit is the time that a command may take to show a notice. At the end of a run it also
// bounds the whole wait for the remaining notices.
const Limit = 10 * time.Second

// Options says how to show notices.
type Options struct {
	Command []string // the user's own program and its arguments; empty for no program
	Desktop bool     // show them on the desktop too
	GOOS    string   // the operating system of the desktop
	Dir     string   // working directory of the programs
	Limit   time.Duration

	// Guardian starts the process under which a program runs, so that it ends
	// with all its children.
	Guardian func() (*proc.Guardian, error)
	// Warn is called when the user's command has failed. It may be called from another goroutine,
	// but not after Close.
	Warn func(string)
}

// Sender shows notices one after the other, in the background. Its methods are called one
// after the other.
type Sender struct {
	o      Options
	ctx    context.Context
	cancel context.CancelFunc
	last   chan struct{} // closed when the last notice so far is shown
}

// New returns a sender. The caller closes it.
func New(o Options) *Sender {
	s := &Sender{o: o, last: make(chan struct{})}
	close(s.last)
	s.ctx, s.cancel = context.WithCancel(context.Background())
	return s
}

// Send shows a notice after those before it. It returns at once.
func (s *Sender) Send(n Notice) {
	if len(s.o.Command) == 0 && !s.o.Desktop {
		return
	}
	before, shown := s.last, make(chan struct{})
	s.last = shown
	go func() {
		defer close(shown)
		<-before
		s.deliver(n)
	}()
}

// Close waits until all notices are shown, but not longer than the limit, nor than ctx. Then it
// ends what still runs, with its children.
func (s *Sender) Close(ctx context.Context) {
	defer s.cancel()
	stop := context.AfterFunc(ctx, s.cancel)
	defer stop()
	timer := time.AfterFunc(s.o.Limit, s.cancel)
	defer timer.Stop()
	<-s.last
}

// deliver shows the notice and calls the user's command, in parallel: neither may use up
// the time of the other.
func (s *Sender) deliver(n Notice) {
	var desktop sync.WaitGroup
	defer desktop.Wait()
	if s.o.Desktop {
		// No one has asked for it by name: a desktop that cannot show it is no news.
		desktop.Go(func() { _ = s.run(desktopArgv(s.o.GOOS, n), nil) })
	}
	if len(s.o.Command) == 0 {
		return
	}
	if err := s.run(s.o.Command, n.line()); err != nil {
		s.o.Warn(fmt.Sprintf("cannot notify you that the run is %s: notify.command: %v", n.Event, err))
	}
}

// run runs one program to its end.
func (s *Sender) run(argv []string, input []byte) error {
	if s.ctx.Err() != nil {
		return errors.New("there was no time left for it")
	}
	g, err := s.o.Guardian()
	if err != nil {
		return err
	}
	defer g.Close()
	in, inOurs, err := os.Pipe()
	if err != nil {
		return err
	}
	defer inOurs.Close()
	outOurs, out, err := os.Pipe()
	if err != nil {
		in.Close()
		return err
	}
	defer outOurs.Close()
	p, err := g.Start(proc.Command{Argv: argv, Dir: s.o.Dir, Stdin: in, Stdout: out, Stderr: out})
	in.Close()
	out.Close()
	if errors.Is(err, exec.ErrNotFound) {
		return fmt.Errorf("the program %q was not found in PATH", argv[0])
	}
	if err != nil {
		return err
	}
	go func() {
		_, _ = inOurs.Write(input) // a command that does not care need not read it
		inOurs.Close()
	}()
	said := make(chan string, 1)
	go func() { said <- lastLine(outOurs) }()
	return s.await(p, said)
}

// await waits for the end of the program, or ends it.
func (s *Sender) await(p *proc.Process, said <-chan string) error {
	timeout := time.NewTimer(s.o.Limit)
	defer timeout.Stop()
	late := false
	select {
	case <-p.Exited():
	case <-timeout.C:
		late = true
	case <-s.ctx.Done():
		late = true
	}
	_, err := p.End([]syscall.Signal{syscall.SIGTERM}, grace)
	exit := p.Exit()
	switch {
	case late:
		return errors.New("it took too long and was ended")
	case err != nil:
		return err
	case exit.Code == 0 && exit.Signal == 0:
		return nil
	}
	return errors.New(strings.TrimSuffix(exit.String()+": "+<-said, ": "))
}

// grace is how long a program that is ended may take.
const grace = 500 * time.Millisecond

// lastLine reads to the end and returns the last line of what it has read,
// bounded and harmless.
func lastLine(r io.Reader) string {
	var tail []byte
	buf := make([]byte, 4<<10)
	for {
		n, err := r.Read(buf)
		tail = append(tail, buf[:n]...)
		tail = tail[max(0, len(tail)-500):]
		if err != nil {
			break
		}
	}
	text := strings.TrimSpace(stream.Sanitize(strings.ToValidUTF8(string(tail), "")))
	return text[strings.LastIndexByte(text, '\n')+1:]
}
