package main

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"time"
)

// longest is when a run counts as hung.
const longest = 2 * time.Minute

// ending is how a run of ralph ended.
type ending struct {
	code   int   // -1 where a signal ended it
	memory int64 // its peak, in the kernel's unit
	killed bool
	output string
}

// round starts ralph, attacks it and reads what is left.
func (s *scratch) round(ctx context.Context, a attack) {
	s.attacks = append(s.attacks, a.String())
	s.last = played{how: a.how}
	before, chains := s.left, s.comets()
	argv := s.argv()
	if a.fault != nil {
		argv = a.fault.argv(argv)
	}
	if a.tear > 0 {
		s.tear(a.tear)
	}
	runs := len(s.runs())
	e, struck := s.play(ctx, argv, a)
	if ctx.Err() != nil {
		return
	}
	s.last.killed, s.last.failed = e.killed, a.fails()
	s.refused = s.refused || a.fails()
	guarded, started := !a.kills(guardian), len(s.runs()) > runs
	// Where no run had started there is no one yet who would end what was alive before,
	// nor what that starts meanwhile.
	if e.killed && guarded && !a.follow && (started || len(before)+len(flying(chains)) == 0) {
		s.sweep(struck, started)
	}
	if !started && !e.killed { // it may have met an earlier run's guardian, which is at its work
		s.awaitDeath(longest, guards)
	}
	if !e.killed || guarded && !a.follow {
		s.judge(e, a, started)
	}
	s.left = s.alive()
	// A new run begins when everything of those before is dead. A guardian that had
	// started nothing yet goes by itself.
	if started {
		s.awaitDeath(s.dead, func(list []process) []process { return guards(s.still(before)) })
		if left := s.still(before); len(left) > 0 {
			s.complain(survivor, "alive although a later run has started: %s", names(left))
		}
		s.auditComets(chains)
	}
}

// sweep waits for the guardian to end everything, to record the crash, and to exit.
func (s *scratch) sweep(since time.Time, started bool) {
	left := s.awaitDeath(s.dead-time.Since(since), others)
	s.last.swept = time.Since(since)
	if len(left) > 0 {
		s.complain(survivor, "alive %v after ralph's death: %s", s.last.swept.Round(time.Millisecond), names(left))
	}
	if left := s.awaitDeath(longest, nil); len(left) > 0 {
		s.complain(hang, "alive %v after ralph's death: %s", longest, names(left))
	}
	if started {
		s.auditComets(s.comets())
	}
}

// tear cuts the journal's end off, though not the whole of it. What is lost had
// been confirmed: from now on the counts cannot be exact, but all else must hold.
// A power cut leaves no guardian that continues writing; and what is archived, or is
// about to be, has no next run that would repair it.
func (s *scratch) tear(bytes uint64) {
	path := s.journal()
	info, err := os.Stat(path)
	putAway := strings.Contains(s.folder(), "archive") || exists(filepath.Join(s.stateDir(), "archiving.json"))
	if err != nil || putAway || uint64(info.Size()) <= bytes || len(s.alive()) > 0 || len(flying(s.comets())) > 0 {
		return
	}
	if err := os.Truncate(path, info.Size()-int64(bytes)); err != nil {
		s.complain(hang, "%v", err)
	}
	s.torn = true
}

// play runs ralph once under attack. It returns how ralph ended, and when the last
// blow fell that was for ralph itself.
func (s *scratch) play(ctx context.Context, argv []string, a attack) (ending, time.Time) {
	out, err := os.Create(filepath.Join(s.dir, "output"))
	if err != nil {
		s.complain(hang, "%v", err)
		return ending{}, time.Time{}
	}
	defer out.Close()
	cmd := s.command(ctx, argv...)
	cmd.Stdout, cmd.Stderr = out, out
	j := s.watch()
	if err := cmd.Start(); err != nil {
		s.complain(hang, "%v", err)
		return ending{}, time.Time{}
	}
	gone := make(chan struct{})
	go func() { _ = cmd.Wait(); close(gone) }()
	struck := time.Now()
	if a.fault == nil && j.await(a, gone) {
		struck = s.strike(cmd.Process.Pid, a.blows)
	}
	select {
	case <-gone:
	case <-time.After(longest):
		s.complain(hang, "ralph did not end within %v", longest)
		_ = cmd.Process.Signal(syscall.SIGQUIT) // a Go program reports where it is
		select {
		case <-gone:
		case <-time.After(time.Second):
			_ = cmd.Process.Kill()
			<-gone
		}
	}
	if a.fault != nil {
		struck = time.Now()
	}
	text, _ := os.ReadFile(out.Name())
	return endingOf(cmd, string(text)), struck
}

func endingOf(cmd *exec.Cmd, output string) ending {
	ws, _ := cmd.ProcessState.Sys().(syscall.WaitStatus)
	var memory int64
	if ru, ok := cmd.ProcessState.SysUsage().(*syscall.Rusage); ok {
		memory = ru.Maxrss
	}
	return ending{memory: memory, code: ws.ExitStatus(), killed: ws.Signaled(), output: output}
}

// strike delivers the blows to the processes that are there when the first one falls.
func (s *scratch) strike(ralph int, blows []blow) time.Time {
	found := map[target]*os.Process{}
	list := s.alive()
	for _, t := range targets {
		if p, ok := s.find(list, ralph, t); ok {
			// A handle, not a number: the process may be gone by the time of the blow.
			if h, err := os.FindProcess(p.pid); err == nil && len(s.still([]process{p})) > 0 {
				found[t] = h
				defer h.Release()
			}
		}
	}
	struck := time.Now()
	for _, b := range blows {
		time.Sleep(b.after)
		h := found[b.to]
		if h == nil {
			continue
		}
		if err := h.Signal(b.signal); err != nil && !errors.Is(err, os.ErrProcessDone) {
			s.complain(hang, "%v to %s: %v", b.signal, b.to, err)
		}
		if b.to == ralphItself {
			struck = time.Now()
		}
	}
	return struck
}

// journalWatch sees lines come into the journal.
type journalWatch struct {
	path string
	size int64
}

func (s *scratch) watch() journalWatch {
	w := journalWatch{path: s.journal()}
	if info, err := os.Stat(w.path); err == nil {
		w.size = info.Size()
	}
	return w
}

// await waits until the attack is to begin; false says that ralph ended before.
func (w journalWatch) await(a attack, gone <-chan struct{}) bool {
	for a.line > 0 && w.lines() < a.line {
		select {
		case <-gone:
			return false
		case <-time.After(100 * time.Microsecond):
		}
	}
	select {
	case <-gone:
		return false
	case <-time.After(a.delay):
		return true
	}
}

// lines counts the lines that are new.
func (w journalWatch) lines() int {
	info, err := os.Stat(w.path)
	if err != nil || info.Size() <= w.size {
		return 0
	}
	data, err := os.ReadFile(w.path)
	if err != nil || int64(len(data)) < w.size {
		return 0
	}
	return strings.Count(string(data[w.size:]), "\n")
}
