package proc

import (
	"errors"
	"syscall"
	"time"
)

// Process is the leader of a process tree that a guardian started.
type Process struct {
	g      *Guardian
	id     ID
	exited chan struct{}
	gone   chan struct{} // nothing of the tree is left, or the guardian is lost

	exit  Exit  // valid when exited is closed
	swept Swept // valid when gone is closed
	err   error
}

func newProcess(g *Guardian, id ID) *Process {
	return &Process{g: g, id: id, exited: make(chan struct{}), gone: make(chan struct{})}
}

// ID returns the identity of the leader.
func (p *Process) ID() ID { return p.id }

// Exited returns a channel that is closed when the leader has exited or the guardian is lost.
// The guardian is then killing the leader's children; End waits for that.
func (p *Process) Exited() <-chan struct{} { return p.exited }

// Exit returns how the leader ended. It is valid after Exited. If the guardian was lost, it
// is Code -1 without a signal.
func (p *Process) Exit() Exit { return p.exit }

// End ends the whole process tree and returns when no process of it is alive. It sends the
// gentle signals to the leader's group: one at once, the others at even steps of the grace.
// When the leader has exited or the grace is over, it sends SIGKILL to every remaining
// process, whatever its group or session. Without a gentle signal there is no grace.
//
// It may be called at any time, more than once and at the same time; a shorter grace replaces
// a longer one. The error names processes that survived SIGKILL, or is [ErrLost]: then End
// has killed the processes with the run's token.
func (p *Process) End(gentle []syscall.Signal, grace time.Duration) (Swept, error) {
	select {
	case <-p.gone:
	default:
		// An error shows as the guardian's end.
		_ = p.g.conn.send(message{Kind: kindEnd, ID: p.id, Signals: gentle, Grace: grace})
	}
	if !within(max(grace, 0)+killLimit+answerLimit, p.gone) {
		_ = p.g.cmd.Process.Kill() // it hangs; what follows is done by token
		<-p.gone
	}
	if errors.Is(p.err, ErrLost) {
		// The leader is dying already, where the kernel does that for us, and
		// does not show its environment then.
		_ = p.id.Signal(syscall.SIGKILL)
		n, err := EndByToken(p.g.token)
		for limit := time.Now().Add(killLimit); p.id.Alive() && time.Now().Before(limit); {
			time.Sleep(pollStep)
		}
		return Swept{Strays: n}, errors.Join(ErrLost, err)
	}
	return p.swept, p.err
}

// lose is what happens to p when the guardian is gone.
func (p *Process) lose() {
	select {
	case <-p.exited:
	default:
		p.exit = unknownExit
		close(p.exited)
	}
	p.err = ErrLost
	close(p.gone)
}
