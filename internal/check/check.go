// Package check runs the quality checks of a project. They are commands of the user. ralph
// starts them itself, under the run's guardian, with a time limit, and keeps only the end of
// their output.
package check

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"syscall"
	"time"

	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/room"
	"ralph/internal/stopwatch"
)

// When names the points of a run at which a check runs.
type When string

// The points at which a check can run.
const (
	Claim When = "claim" // when a story was newly marked as passing, or a promise was made
	Every When = "every" // after each iteration
	End   When = "end"   // when the plan would be done
)

// Check is one quality check.
type Check struct {
	Name           string
	Command        string // for the shell sh, as the user wrote it
	When           When
	Timeout        time.Duration
	AcceptBaseline bool   // a failure from before the run does not block the plan
	Rooms          *Rooms // the rooms it runs in; nil: it runs without a room
	Input          []byte // standard input; nil: empty
}

// Result is the result of one run of one check.
type Result struct {
	Check    Check
	Outcome  journal.CheckOutcome
	ExitCode int
	Duration time.Duration
	Tail     string // the end of what it printed
	Commit   string // the commit of the clean worktree; empty in place
	Lost     bool   // the guardian was killed while it ran
	Open     bool   // it ran without a room, at least once
	Unsealed string // not empty: it passes only without a room; settings that may help
	Outside  bool   // it passes only outside its room, and Rooms.Require is set
	Touched  string // not empty: what of the repository it changed; then it does not count

	Tests     int  // number of tests that ran, if Counted
	Counted   bool // the output or a report says how many tests ran
	Uncounted bool // go test ran, but it prints its tests only with -v
}

// Green reports whether the check passed.
func (r Result) Green() bool { return r.Outcome == journal.CheckPassed }

const (
	// grace is how long a check that is ended may take.
	grace = 2 * time.Second
	// settle is how long the news that a check has exited may take to arrive.
	settle = 100 * time.Millisecond
	// step is how often a check's time is compared with its limit.
	step = time.Second
	// tailKept bounds what is kept of a check's output, in bytes.
	tailKept = 8 << 10
	// killed is the end of the output where the guardian died.
	killed = "(the process that ralph starts checks with was killed while this one ran)"
)

// Due returns the checks to run at a point of the run. Every selects the checks for every
// iteration, Claim adds those for claims, and End selects all.
func Due(checks []Check, at When) []Check {
	return slices.DeleteFunc(slices.Clone(checks), func(c Check) bool {
		switch at {
		case Every:
			return c.When != Every
		case Claim:
			return c.When == End
		}
		return false
	})
}

// Run runs one check in dir and returns when all its processes have ended. The result says how
// the check fared. The error is about ralph itself: it is proc.ErrLost if the guardian was
// already dead.
func Run(ctx context.Context, g *proc.Guardian, c Check, dir string, env []string) (Result, error) {
	if c.Rooms != nil {
		return c.Rooms.run(ctx, g, c, dir, env)
	}
	return runIn(ctx, g, c, dir, env, nil)
}

// runIn runs one check in a room; nil is no room.
func runIn(ctx context.Context, g *proc.Guardian, c Check, dir string, env []string, sealed *room.Room) (Result, error) {
	words, err := sealed.Wrap(dir)
	if err != nil {
		return Result{}, fmt.Errorf("check %s: %w", c.Name, err)
	}
	watch, began := stopwatch.Start(), time.Now()
	r, w, err := os.Pipe()
	if err != nil {
		return Result{}, fmt.Errorf("check %s: %w", c.Name, err)
	}
	defer r.Close()
	in, err := input(c.Input)
	if err != nil {
		w.Close()
		return Result{}, fmt.Errorf("check %s: %w", c.Name, err)
	}
	// The command is the user's own line of shell; nothing of ralph's is in it.
	dead := g.IsLost()
	p, err := g.Start(proc.Command{Room: words, Argv: []string{"/bin/sh", "-c", c.Command}, Dir: dir, Env: env, Stdin: in, Stdout: w, Stderr: w})
	w.Close()
	if in != nil {
		in.Close()
	}
	if errors.Is(err, proc.ErrLost) && !dead {
		// A check that kills its parent can be faster than the news of its start.
		return Result{Check: c, Outcome: journal.CheckFailed, Duration: watch.Passed().Awake, Tail: killed, Lost: true, Open: sealed == nil}, nil
	}
	if err != nil {
		return Result{}, fmt.Errorf("check %s cannot be started: %w", c.Name, err)
	}
	tail := make(chan string, 1)
	var count counter
	go func() { tail <- readTail(io.TeeReader(r, &count)) }()

	res := Result{Check: c, Open: sealed == nil}
	res.Outcome = await(ctx, p.Exited(), g.Lost(), c.Timeout, func() time.Duration { return watch.Passed().Real })
	if res.Outcome == journal.CheckTimeout && exited(p) {
		res.Outcome = ""
	}
	_, err = p.End([]syscall.Signal{syscall.SIGTERM}, grace)
	if err != nil && !errors.Is(err, proc.ErrLost) {
		return res, fmt.Errorf("check %s cannot be ended: %w", c.Name, err)
	}
	res.Tail, res.Duration = <-tail, watch.Passed().Awake
	count.close()
	res.Tests, res.Counted, res.Uncounted = count.tests, count.counted, count.silent && !count.counted
	if !res.Counted {
		res.Tests, res.Counted = countReports(dir, began)
	}
	res.ExitCode = p.Exit().Code
	if err != nil && ctx.Err() == nil {
		// What it had started is dead all the same, found by the run's token.
		res.Outcome, res.Lost = journal.CheckFailed, true
		res.Tail = strings.TrimSpace(res.Tail + "\n" + killed)
	}
	if res.Outcome == "" {
		res.Outcome = outcomeOf(p.Exit(), res.Tail)
	}
	return res, nil
}

// input returns the reading end of a pipe with the text, nil without a text.
func input(text []byte) (*os.File, error) {
	if text == nil {
		return nil, nil
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	go func() {
		_, _ = w.Write(text) // who does not care need not read it
		w.Close()
	}()
	return r, nil
}

// await waits until the check has exited or has to be ended, and returns why it has to be
// ended; empty if the check or its guardian is gone. passed returns the real time since
// the start: a timer stops while the machine sleeps.
func await(ctx context.Context, exited, lost <-chan struct{}, limit time.Duration, passed func() time.Duration) journal.CheckOutcome {
	timeout := time.NewTimer(limit) // for precision; the ticks are for a machine that slept
	defer timeout.Stop()
	tick := time.NewTicker(step)
	defer tick.Stop()
	for {
		select {
		case <-exited:
			return ""
		case <-lost:
			return ""
		case <-ctx.Done():
			return journal.CheckInterrupted
		case <-timeout.C:
			return journal.CheckTimeout
		case <-tick.C:
			if passed() >= limit {
				return journal.CheckTimeout
			}
		}
	}
}

// exited reports at the time limit whether the check has come to its end by
// itself: a ralph that was stopped by Ctrl-Z learns of both at once.
func exited(p *proc.Process) bool {
	select {
	case <-p.Exited():
		return true
	case <-time.After(settle):
		return false
	}
}

// outcomeOf reads the outcome from the exit of the shell. Its codes 126 and 127 mean that the
// command cannot be run or does not exist.
func outcomeOf(e proc.Exit, tail string) journal.CheckOutcome {
	switch {
	case e.Signal != 0:
		return journal.CheckFailed
	case e.Code == 0:
		return journal.CheckPassed
	case e.Code == 127 || e.Code == 126 && strings.Contains(strings.ToLower(tail), "permission denied"):
		return journal.CheckMissing
	}
	return journal.CheckFailed
}

// readTail reads to the end and keeps only the last part.
func readTail(f io.Reader) string {
	buf, tail := make([]byte, 64<<10), []byte(nil)
	cut := false
	for {
		n, err := f.Read(buf)
		tail = append(tail, buf[:n]...)
		if over := len(tail) - tailKept; over > 0 {
			tail, cut = append(tail[:0], tail[over:]...), true
		}
		if err != nil {
			break
		}
	}
	text := strings.ToValidUTF8(string(tail), "")
	if cut {
		if _, rest, ok := strings.Cut(text, "\n"); ok {
			text = rest // the first line is only half there
		}
	}
	return strings.TrimSpace(text)
}

// String describes the result in a sentence.
func (r Result) String() string {
	where := ""
	if r.Commit != "" {
		where = " in a clean worktree of " + short(r.Commit)
	}
	if r.Touched != "" {
		return fmt.Sprintf("check %s does not count%s: the quality checks changed %s of the repository", r.Check.Name, where, r.Touched)
	}
	switch r.Outcome {
	case journal.CheckPassed:
		return fmt.Sprintf("check %s passed in %s%s", r.Check.Name, r.Duration.Round(time.Millisecond), where)
	case journal.CheckTimeout:
		return fmt.Sprintf("check %s was ended after its time limit of %s%s", r.Check.Name, r.Check.Timeout, where)
	case journal.CheckMissing:
		return fmt.Sprintf("check %s cannot be run%s: no such command: %s", r.Check.Name, where, r.Check.Command)
	case journal.CheckInterrupted:
		return fmt.Sprintf("check %s was interrupted", r.Check.Name)
	}
	if r.ExitCode < 0 {
		return fmt.Sprintf("check %s failed: a signal ended it%s", r.Check.Name, where)
	}
	return fmt.Sprintf("check %s failed with exit code %d%s", r.Check.Name, r.ExitCode, where)
}

// short is a commit as people name it.
func short(commit string) string { return commit[:min(len(commit), 12)] }
