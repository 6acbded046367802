package proc

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"sync"
	"syscall"
	"time"
)

// Guardian controls the guardian process of a run. Its methods may be called from any
// goroutine.
type Guardian struct {
	conn  *conn
	cmd   *exec.Cmd
	id    ID
	token string

	starting sync.Mutex   // one start at a time
	answer   chan message // the answer to it
	lost     chan struct{}
	done     chan struct{} // the guardian process is gone and reaped

	mu      sync.Mutex
	current *Process // nil while nothing is running
	closing bool
}

const (
	// readyLimit is how long a guardian may take to come up.
	readyLimit = 30 * time.Second
	// answerLimit is how much longer than its own limits a guardian may take to
	// answer before it counts as hung.
	answerLimit = 10 * time.Second
)

// StartGuardian starts the guardian of a run, and returns when it is ready. argv is this
// program again, with the argument that makes it call [Guard]; token is the run's own. If the
// caller crashes, the guardian ends what was started, and then itself. [Guardian.Close] ends
// it in order.
func StartGuardian(argv []string, token string) (*Guardian, error) {
	if len(argv) == 0 || token == "" {
		return nil, errors.New("a guardian needs a command to start it with and a token")
	}
	ours, theirs, err := socketPair()
	if err != nil {
		return nil, err
	}
	defer theirs.Close()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Env = withToken(nil, token)
	cmd.ExtraFiles = []*os.File{theirs} // descriptor 3
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true}
	if err := cmd.Start(); err != nil {
		ours.Close()
		return nil, fmt.Errorf("cannot start the guardian: %w", err)
	}
	theirs.Close()
	_ = ours.SetReadDeadline(time.Now().Add(readyLimit))
	m, _, err := ours.receive()
	if err != nil || m.Kind != kindReady {
		ours.Close()
		_ = cmd.Process.Kill()
		return nil, fmt.Errorf("the guardian (%s) ended before it was ready: %w", argv[0], errors.Join(err, cmd.Wait()))
	}
	_ = ours.SetReadDeadline(time.Time{})
	g := &Guardian{
		conn: ours, cmd: cmd, id: m.ID, token: token,
		answer: make(chan message, 1), lost: make(chan struct{}), done: make(chan struct{}),
	}
	go g.listen()
	go g.keepAwake()
	return g, nil
}

// ID returns the identity of the guardian process.
func (g *Guardian) ID() ID { return g.id }

// Lost returns a channel that is closed if the guardian dies before Close. What it had
// started may still run: [Process.End] or [EndByToken] ends it.
func (g *Guardian) Lost() <-chan struct{} { return g.lost }

// IsLost reports whether the guardian has died before Close.
func (g *Guardian) IsLost() bool {
	select {
	case <-g.lost:
		return true
	default:
		return false
	}
}

// Start starts c as the leader of a new process tree. It returns an error that
// matches [exec.ErrNotFound], [fs.ErrNotExist] or [fs.ErrPermission] where c
// cannot be executed, [ErrBusy] until End has returned for the process before,
// and [ErrLost]; then nothing of c is alive.
func (g *Guardian) Start(c Command) (*Process, error) {
	r, err := c.resolve(g.token)
	if err != nil {
		return nil, err
	}
	m := message{
		Kind: kindStart, Path: []byte(r.path), Dir: []byte(r.dir),
		Argv: toBytes(r.argv), Env: toBytes(r.env), Room: r.room,
	}
	for i, f := range r.files {
		m.Files[i] = f != nil
	}
	g.starting.Lock()
	defer g.starting.Unlock()
	if g.process() != nil {
		return nil, ErrBusy
	}
	if err := g.conn.send(m, r.files[:]...); errors.Is(err, syscall.E2BIG) {
		return nil, err
	} else if err != nil {
		_ = g.cmd.Process.Kill() // it may have half a message
		within(answerLimit, g.done)
		return nil, fmt.Errorf("%w: %w", ErrLost, err)
	}
	if m, err = g.await(); err != nil {
		// The process may be there: it can have killed its guardian before the answer.
		_, endErr := EndByToken(g.token)
		return nil, errors.Join(err, endErr)
	}
	if m.Errno != 0 {
		return nil, &fs.PathError{Op: "start", Path: r.path, Err: m.Errno}
	}
	// listen has made the process known before it passed the answer on. Its end
	// may have made it unknown again.
	return m.process, nil
}

// await returns the answer to a start.
func (g *Guardian) await() (message, error) {
	select {
	case m := <-g.answer:
		return m, nil
	case <-g.done:
		return message{}, ErrLost
	}
}

// keepAwake wakes the guardian once a second until it is gone. A stopped guardian, for example
// after a "killall -STOP", reads no messages and reports no exit.
func (g *Guardian) keepAwake() {
	again := time.NewTicker(time.Second)
	defer again.Stop()
	for {
		select {
		case <-g.done:
			return
		case <-again.C:
			_ = g.id.Signal(syscall.SIGCONT) // a running one does not notice
		}
	}
}

// process returns the running process, or nil.
func (g *Guardian) process() *Process {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.current
}

// Close ends the running tree without a grace, and then the guardian; the guardian's callback is
// not called. It returns [ErrLost] if the guardian was dead. A second Close does nothing.
func (g *Guardian) Close() error {
	g.mu.Lock()
	first := !g.closing
	g.closing = true
	g.mu.Unlock()
	if first {
		_ = g.conn.send(message{Kind: kindClose}) // an error shows as its end
	}
	if !within(killLimit+answerLimit, g.done) {
		_ = g.cmd.Process.Kill()
		<-g.done
	}
	if g.cmd.ProcessState.Success() {
		return nil
	}
	_, err := EndByToken(g.token)
	return errors.Join(ErrLost, err)
}

// listen reads the guardian's messages until the guardian is gone.
func (g *Guardian) listen() {
	for {
		m, fds, err := g.conn.receive()
		if err != nil {
			break
		}
		closeAll(fds) // none is ever sent this way
		g.dispatch(m)
	}
	g.mu.Lock()
	p, closing := g.current, g.closing
	g.current = nil
	g.mu.Unlock()
	if !closing {
		_ = g.cmd.Process.Kill() // without its socket it is of no use
	}
	_ = g.cmd.Wait() // the process state has the result
	_ = g.conn.Close()
	if !closing {
		close(g.lost)
	}
	close(g.done)
	if p != nil {
		p.lose()
	}
}

func (g *Guardian) dispatch(m message) {
	g.mu.Lock()
	defer g.mu.Unlock()
	p := g.current
	switch {
	case m.Kind == kindStarted:
		if m.Errno == 0 {
			g.current = newProcess(g, m.ID)
			m.process = g.current
		}
		g.answer <- m
	case p == nil || p.id != m.ID:
	case m.Kind == kindExited:
		p.exit = m.Exit
		close(p.exited)
	case m.Kind == kindSwept:
		p.swept = m.Swept
		if m.Survivors != "" {
			p.err = errors.New(m.Survivors)
		}
		g.current = nil
		close(p.gone)
	}
}

// within waits for done, but not longer than limit of the time in which this
// process runs: ticks that pass while it is stopped (Ctrl-Z) do not count.
func within(limit time.Duration, done <-chan struct{}) bool {
	const tick = 100 * time.Millisecond
	ticker := time.NewTicker(tick)
	defer ticker.Stop()
	for range limit / tick {
		select {
		case <-done:
			return true
		case <-ticker.C:
		}
	}
	select {
	case <-done:
		return true
	default:
		return false
	}
}
