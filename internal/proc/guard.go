package proc

import (
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime"
	"strconv"
	"syscall"
	"time"
)

// ErrOrphaned is what Guard returns after ralph has died and all that it had
// started is ended.
var ErrOrphaned = errors.New("ralph has died; everything that it had started is ended")

// controlFD is where the guardian finds its end of the control socket.
const controlFD = 3

// shielded are the signals that a terminal, a session's end or a careless kill
// send: the guardian drops them, as its death would leave the agent unguarded.
var shielded = []os.Signal{
	syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP, syscall.SIGQUIT,
	syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU,
	syscall.SIGUSR1, syscall.SIGUSR2, syscall.SIGALRM, syscall.SIGPIPE,
}

// guard is the guardian's side of a Guardian: one goroutine that forks, reaps
// and kills, so that no two of these can meet.
type guard struct {
	conn    *conn
	token   string
	tree    *tree // nil while nothing is running
	leaving bool  // exit when nothing is left
	orphan  bool  // ralph has died
}

type request struct {
	message
	fds []int
}

// Guard runs the guardian process that [StartGuardian] starts. It returns nil after ralph has
// closed it. After ralph's death it ends everything that was started, calls orphaned (may be
// nil) and returns ErrOrphaned. The caller must call Guard first, because ralph waits for its
// first message, and must exit after it.
func Guard(orphaned func()) error {
	if err := closeOnExec(); err != nil {
		return err
	}
	c, err := newConn(os.NewFile(controlFD, "control socket"))
	if err != nil {
		return fmt.Errorf("the guardian is started by ralph itself, and is of no use otherwise: %w", err)
	}
	defer c.Close()
	g := &guard{conn: c, token: os.Getenv(TokenVar)}
	if err := g.run(); err != nil {
		return err
	}
	if !g.orphan {
		return nil
	}
	if orphaned != nil {
		orphaned()
	}
	return ErrOrphaned
}

// run makes the process a guardian and serves until it is to exit.
func (g *guard) run() error {
	// The agents' parent-death signal is tied to the thread that forks them.
	runtime.LockOSThread()
	defer runtime.UnlockOSThread()
	// Caught and dropped, as the channel is never read: an ignored signal would
	// stay ignored in the agents.
	signal.Notify(make(chan os.Signal, 1), shielded...)
	children := make(chan os.Signal, 1) // one is enough: reap takes all there are
	signal.Notify(children, syscall.SIGCHLD)
	if err := adoptOrphans(); err != nil {
		return fmt.Errorf("cannot become the parent of orphaned processes: %w", err)
	}
	setMark(g.token)
	self, err := Self()
	if err != nil {
		return err
	}
	requests := make(chan request)
	go g.listen(requests)
	g.report(message{Kind: kindReady, ID: self})
	g.serve(requests, children)
	return nil
}

// closeOnExec keeps every file that this process was given, the control socket
// and what ralph itself inherited, out of the agents.
func closeOnExec() error {
	names, err := os.ReadDir(fdDir)
	if err != nil {
		return fmt.Errorf("cannot list the open files: %w", err)
	}
	for _, n := range names {
		if fd, err := strconv.Atoi(n.Name()); err == nil && fd > 2 {
			syscall.CloseOnExec(fd)
		}
	}
	return nil
}

// listen passes requests on, and closes the channel when ralph is gone.
func (g *guard) listen(requests chan<- request) {
	defer close(requests)
	for {
		m, fds, err := g.conn.receive()
		if err != nil {
			return
		}
		requests <- request{message: m, fds: fds}
		if m.Kind == kindClose {
			return
		}
	}
}

// report sends a message to ralph. An error means that ralph is gone; listen handles that.
func (g *guard) report(m message) { _ = g.conn.send(m) }

// serve is the guardian's only loop: an event, then what follows from it.
func (g *guard) serve(requests <-chan request, children <-chan os.Signal) {
	for {
		childless := g.reap()
		due := g.advance(childless)
		if g.leaving && g.tree == nil {
			return
		}
		select {
		case <-children:
		case <-due:
		case r, ok := <-requests:
			if !ok {
				requests, g.orphan = nil, true
				g.leave()
				continue
			}
			if r.Kind == kindClose {
				requests = nil
			}
			g.handle(r)
		}
	}
}

// reap takes the exit status of every dead child, adopted ones too. It reports whether no child,
// dead or alive, is left.
func (g *guard) reap() (childless bool) {
	for {
		var ws syscall.WaitStatus
		pid, err := syscall.Wait4(-1, &ws, syscall.WNOHANG, nil)
		switch {
		case err == syscall.EINTR:
		case err != nil:
			return true // ECHILD
		case pid == 0:
			return false
		case g.tree != nil && !g.tree.exited && pid == g.tree.leader.PID:
			g.tree.exited = true
			exit := exitOf(ws)
			if g.tree.room {
				exit = exit.fromRoom()
			}
			g.report(message{Kind: kindExited, ID: g.tree.leader, Exit: exit})
		}
	}
}

// advance moves the tree's end on. The channel fires when more is due.
func (g *guard) advance(childless bool) <-chan time.Time {
	if g.tree == nil {
		return nil
	}
	due := g.tree.advance(time.Now(), childless)
	if g.tree.phase == finished {
		m := message{Kind: kindSwept, ID: g.tree.leader, Swept: sweptFrom(g.tree.strays)}
		if left := g.tree.survivors; len(left) > 0 {
			m.Survivors = survivors(left).Error()
		}
		g.report(m)
		g.tree = nil
	}
	if due.IsZero() {
		return nil
	}
	return time.After(time.Until(due))
}

func (g *guard) handle(r request) {
	defer closeAll(r.fds)
	switch {
	case r.Kind == kindStart:
		g.report(g.start(r))
	case r.Kind == kindClose:
		g.leave()
	case g.tree == nil || g.tree.leader != r.ID: // of a tree that is gone
	case r.Kind == kindEnd:
		g.tree.end(time.Now(), r.Signals, r.Grace)
	}
}

// leave ends what is left, at once, and then serve.
func (g *guard) leave() {
	g.leaving = true
	if g.tree == nil { // survivors of an earlier end, where there are any
		g.tree = &tree{token: g.token, exited: true, strays: map[ID]string{}}
	}
	g.tree.kill(time.Now())
}

// start forks. os/exec has no place here: it would wait for its child, which
// belongs to reap.
func (g *guard) start(r request) message {
	if g.tree != nil {
		return message{Kind: kindStarted, Errno: syscall.EBUSY}
	}
	files, rest := []uintptr{0, 1, 2}, r.fds // the guardian's own are /dev/null
	for i, given := range r.Files {
		if given && len(rest) > 0 {
			files[i], rest = uintptr(rest[0]), rest[1:]
		}
	}
	pid, err := syscall.ForkExec(string(r.Path), toStrings(r.Argv), &syscall.ProcAttr{
		Dir: string(r.Dir), Env: toStrings(r.Env), Files: files, Sys: leaderAttr(),
	})
	if err != nil {
		errno := syscall.EINVAL
		errors.As(err, &errno)
		return message{Kind: kindStarted, Errno: errno}
	}
	id := ID{PID: pid}
	if e, err := readEntry(pid); err == nil { // not reaped yet, so it is the one
		id = e.id
	}
	g.tree = &tree{leader: id, room: r.Room, token: g.token, strays: map[ID]string{}}
	return message{Kind: kindStarted, ID: id}
}
