package proc

import (
	"maps"
	"os"
	"syscall"
	"time"
)

// settle is how long the children of a leader that obeyed a gentle signal may
// take to end from the same signal before they count as strays.
const settle = 20 * time.Millisecond

// roomProcess is the kernel's name of the processes that only hold a room.
const roomProcess = "bwrap"

// phase is how far the end of a tree has come.
type phase int

const (
	working  phase = iota // no one has asked for the end
	asking                // gentle signals are being sent
	killing               // everything gets SIGKILL
	finished              // nothing is left, or what is left outlived killLimit
)

// tree is the running process tree, as the guardian sees it. It is a state machine without a
// goroutine: the guardian calls advance after each event.
type tree struct {
	leader ID
	room   bool // the leader only waits for its child, in the command's process group
	token  string
	exited bool // the leader has been reaped

	phase    phase
	gentle   []syscall.Signal // still to be sent, step apart
	step     time.Duration
	next     time.Time // when the next signal, or the next round of kills, is due
	deadline time.Time // end of the grace; in killing when to give up

	strays    map[ID]string
	survivors map[ID]string
}

// end asks for the tree's end. A second request can only make it come sooner.
func (t *tree) end(now time.Time, gentle []syscall.Signal, grace time.Duration) {
	if len(gentle) == 0 {
		grace = 0 // no process got a signal: nothing to wait for
	}
	deadline := now.Add(grace)
	switch {
	case t.phase == working:
		t.phase, t.gentle, t.next, t.deadline = asking, gentle, now, deadline
		t.step = grace / time.Duration(max(len(gentle), 1))
	case t.phase == asking && deadline.Before(t.deadline):
		t.deadline = deadline
	}
}

// kill ends the grace.
func (t *tree) kill(now time.Time) {
	if t.phase < killing {
		t.phase, t.next, t.deadline = killing, now, now.Add(killLimit)
	}
}

// advance does what is due, and returns when the next thing is; zero is never.
// childless says that the guardian has no child left to wait for.
func (t *tree) advance(now time.Time, childless bool) time.Time {
	if t.exited && t.phase == working {
		t.kill(now)
	}
	if t.phase != working && t.gone(childless) {
		t.phase = finished
	}
	if t.phase == asking {
		t.ask(now)
	}
	if t.phase == killing {
		t.killAll(now)
	}
	switch t.phase {
	case asking:
		if len(t.gentle) > 0 && t.next.Before(t.deadline) {
			return t.next
		}
		return t.deadline
	case killing:
		return t.next
	}
	return time.Time{}
}

// gone reports whether no process of the tree is left.
func (t *tree) gone(childless bool) bool {
	if !childless || adopts {
		return childless
	}
	left, err := members(t.token)
	return err == nil && len(left) == 0
}

// ask sends the gentle signals that are due.
func (t *tree) ask(now time.Time) {
	if t.exited {
		if soon := now.Add(settle); soon.Before(t.deadline) {
			t.deadline = soon
		}
		t.gentle = nil
	}
	if !now.Before(t.deadline) {
		t.kill(now)
		return
	}
	for len(t.gentle) > 0 && !now.Before(t.next) {
		t.signal(t.gentle[0])
		t.gentle, t.next = t.gentle[1:], t.next.Add(t.step)
	}
}

// signal sends sig to the leader's group, and wakes it where it was stopped.
func (t *tree) signal(sig syscall.Signal) {
	if t.exited {
		return // its number, and the group's, may be another's by now
	}
	group := t.leader.PID
	if t.room {
		if group = t.inside(); group == 0 {
			t.kill(time.Now()) // the command has not started: nothing is lost
			return
		}
	}
	_ = syscall.Kill(-group, sig)
	if sig != syscall.SIGSTOP && sig != syscall.SIGTSTP {
		_ = syscall.Kill(-group, syscall.SIGCONT)
	}
}

// inside returns the process group of the command in the room, 0 if there is no command yet. The
// first process of the room is also in the group. It handles no signals, so it ignores those from
// here.
func (t *tree) inside() int {
	found, _ := members(t.token)
	for _, e := range found {
		if e.ppid == t.leader.PID && e.pgid != t.leader.PID && e.pgid > 1 {
			return e.pgid
		}
	}
	return 0
}

// killAll kills all members that it can see. The next round finds later forks; rounds continue until
// wait finds no child. At the deadline it gives up on processes that it killed before. In a chain
// each process forks the next one and exits, so a chain has no such process and does not get
// away.
func (t *tree) killAll(now time.Time) {
	if now.Before(t.next) {
		return
	}
	t.next = now.Add(pollStep)
	found, err := members(t.token)
	if now.After(t.deadline) {
		left := alive(found)
		maps.DeleteFunc(left, func(id ID, _ string) bool { _, struck := t.strays[id]; return !struck && id != t.leader })
		if len(left) > 0 || len(found) == 0 {
			t.phase, t.survivors = finished, left
			return
		}
	}
	if err != nil && !t.exited {
		_ = syscall.Kill(-t.leader.PID, syscall.SIGKILL) // blind, but not idle
	}
	for id, name := range alive(found) {
		if id != t.leader && !(t.room && name == roomProcess) {
			t.strays[id] = name
		}
	}
	self, group := os.Getpid(), syscall.Getpgrp()
	for _, e := range found {
		// Our own child keeps its group's number in use until we reap it. The
		// group gets what forks faster than it can be looked up.
		if e.ppid == self && e.pgid != group && e.pgid > 1 {
			_ = syscall.Kill(-e.pgid, syscall.SIGKILL)
		}
		_ = e.id.Signal(syscall.SIGKILL)
	}
}

// alive are the living ones among found, with their names.
func alive(found []entry) map[ID]string {
	left := map[ID]string{}
	for _, e := range found {
		if !e.zombie {
			left[e.id] = e.name
		}
	}
	return left
}
