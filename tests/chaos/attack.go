package main

import (
	"fmt"
	"math/rand/v2"
	"os/exec"
	"runtime"
	"strings"
	"syscall"
	"time"
)

// target is the process that a blow is for.
type target string

const (
	ralphItself target = "ralph"
	guardian    target = "guardian"
	agent       target = "agent"
)

// blow is one signal.
type blow struct {
	after  time.Duration // since the one before
	to     target
	signal syscall.Signal
}

// attack is what is done to one run.
type attack struct {
	how    string        // the sort of it
	line   int           // begin when so many lines are new in the journal; 0 is by time
	delay  time.Duration // begin so long after the start, or after the line
	blows  []blow
	follow bool   // start the next run before the guardian has finished
	fault  *fault // instead of blows
	tear   uint64 // cut so many bytes off the journal's end before the start, as a power cut may
}

// fault is what happens at one of ralph's own system calls: see strace(1).
type fault struct {
	call string
	when int
	what string // signal=SIGKILL, or error=...
}

// canInject reports whether faults can be injected here.
func canInject() bool {
	if runtime.GOOS != "linux" {
		return false
	}
	return exec.Command("strace", "-f", "-b", "execve", "--seccomp-bpf", "-qq", "-o", "/dev/null", "-e", "trace=fsync",
		"-e", "inject=fsync:error=EIO:when=1", "true").Run() == nil
}

const (
	// mostLines is a little more than what a run of a whole feature writes.
	mostLines = 24
	// mostTime is a little more than how long it takes, on an idle machine.
	mostTime = 300 * time.Millisecond
)

// newAttack draws an attack.
func newAttack(rng *rand.Rand, faults bool) attack {
	var a attack
	if faults && rng.IntN(4) == 0 {
		a.fault = newFault(rng)
		a.how = "kill -9 at a system call"
		if a.fails() {
			a.how = "a system call fails"
		}
		return a
	}
	if rng.IntN(2) == 0 {
		a.line = 1 + rng.IntN(mostLines)
		a.delay = time.Duration(rng.IntN(3)) * time.Millisecond
	} else {
		a.delay = time.Duration(rng.Int64N(int64(mostTime)))
	}
	a.follow = rng.IntN(3) == 0
	a.how, a.blows = newBlows(rng)
	if rng.IntN(12) == 0 {
		a.tear = 1 + rng.Uint64N(mostTorn)
		a.how = "a torn journal, and then: " + a.how
	}
	return a
}

// mostTorn is about the length of the last three lines.
const mostTorn = 1500

var targets = []target{ralphItself, guardian, agent}

// newBlows draws what is done, and names the sort of it.
func newBlows(rng *rand.Rand) (string, []blow) {
	shortly := func() time.Duration { return time.Duration(rng.IntN(4)) * time.Millisecond }
	kill := func(who ...target) (blows []blow) {
		for _, t := range who {
			blows = append(blows, blow{shortly(), t, syscall.SIGKILL})
		}
		return blows
	}
	polite := []syscall.Signal{syscall.SIGINT, syscall.SIGTERM, syscall.SIGHUP}
	sort := rng.IntN(20)
	switch {
	case sort < 6:
		return "kill -9 ralph", kill(ralphItself)
	case sort < 8:
		return "kill -9 guardian", kill(guardian)
	case sort < 9:
		return "kill -9 agent", kill(agent)
	case sort < 12:
		who := append([]target(nil), targets...)
		rng.Shuffle(len(who), func(i, j int) { who[i], who[j] = who[j], who[i] })
		return "kill -9 all three", kill(who...)
	case sort < 14:
		blows := kill(ralphItself, guardian)
		blows[1].after = time.Duration(rng.IntN(40)) * time.Millisecond // while it sweeps, or records
		return "kill -9 ralph, then its guardian", blows
	case sort < 16:
		var blows []blow
		for range 1 + rng.IntN(3) {
			blows = append(blows, blow{shortly(), ralphItself, polite[rng.IntN(3)]})
		}
		return "INT, TERM, HUP", blows
	case sort < 18:
		first := blow{shortly(), targets[rng.IntN(2)], polite[rng.IntN(3)]}
		return "a polite signal, then kill -9", append([]blow{first}, kill(targets[rng.IntN(3)])...)
	}
	t := targets[rng.IntN(3)]
	stop := []blow{{shortly(), t, syscall.SIGSTOP}, {time.Duration(rng.IntN(80)) * time.Millisecond, t, syscall.SIGCONT}}
	if rng.IntN(2) == 0 {
		return "STOP, CONT", stop
	}
	between := kill(targets[rng.IntN(3)])
	return "STOP, kill -9, CONT", []blow{stop[0], between[0], stop[1]}
}

// newFault draws a system call and its fate. Killed is before the call is carried out.
func newFault(rng *rand.Rand) *fault {
	calls := []string{"fsync", "write", "renameat", "openat", "pwrite64", "ftruncate", "unlinkat", "flock", "fcntl", "mkdirat", "clone"}
	f := &fault{call: calls[rng.IntN(len(calls))], when: 1 + rng.IntN(30), what: "signal=SIGKILL"}
	if f.call == "fsync" || f.call == "renameat" || f.call == "mkdirat" {
		f.when = 1 + rng.IntN(12)
	}
	if (f.call == "fsync" || f.call == "renameat" || f.call == "pwrite64") && rng.IntN(3) == 0 {
		f.what = []string{"error=EIO", "error=ENOSPC"}[rng.IntN(2)]
	}
	return f
}

// argv is the command that starts ralph so that the fault meets it, and nothing
// that it starts.
func (f *fault) argv(ralph []string) []string {
	return append([]string{"strace", "-f", "-b", "execve", "--seccomp-bpf", "-qq", "-o", "/dev/null",
		"-e", "trace=" + f.call, "-e", fmt.Sprintf("inject=%s:%s:when=%d", f.call, f.what, f.when)}, ralph...)
}

func (a attack) String() string {
	var b strings.Builder
	b.WriteString(a.how + ":")
	if a.tear > 0 {
		fmt.Fprintf(&b, " %d bytes less", a.tear)
	}
	if a.fault != nil {
		fmt.Fprintf(&b, " %s %d: %s", a.fault.call, a.fault.when, a.fault.what)
	}
	if a.line > 0 {
		fmt.Fprintf(&b, " line %d", a.line)
	}
	if a.fault == nil {
		fmt.Fprintf(&b, " +%v", a.delay)
	}
	for _, w := range a.blows {
		fmt.Fprintf(&b, ", +%v %v to %s", w.after, w.signal, w.to)
	}
	if a.follow {
		b.WriteString(", the next one follows at once")
	}
	return b.String()
}

// fails reports whether the attack makes a system call fail.
func (a attack) fails() bool { return a.fault != nil && strings.HasPrefix(a.fault.what, "error") }

// kills reports whether the attack sends SIGKILL to that target.
func (a attack) kills(t target) bool {
	for _, w := range a.blows {
		if w.to == t && w.signal == syscall.SIGKILL {
			return true
		}
	}
	return false
}
