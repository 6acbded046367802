package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ralph/internal/journal"
	"ralph/internal/loop"
	"ralph/internal/run"
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// errOver ends the following of a log: nothing more will come.
var errOver = errors.New("the run is over")

// lookForLife is how often a loop of which nothing is heard is looked for.
const lookForLife = time.Second

// follower shows a run as it goes on: the log of its iteration, byte for byte or
// as the run's own screen shows it. The journal says which log that is.
type follower struct {
	mu     sync.Mutex
	app    *app
	place  *unit.Place
	record *unit.Record
	lines  *int

	raw    io.Writer      // nil where the log is made readable
	screen *screen.Screen // nil where it is not
	out    *tail          // what the screen writes to

	state   run.State
	showing bool // all that was in the journal at first has been read
	log     *os.File
	reader  *stream.Reader
	looked  time.Time
	gone    bool // the loop was not there when it was looked for
}

// follow shows the log of the run at work until it ends.
func (c *logsCmd) follow(a *app, p *unit.Place, r *unit.Record) error {
	f := &follower{app: a, place: p, record: r, lines: c.Lines}
	if c.Raw {
		f.raw = a.t.Out
	} else {
		f.out = newTail(a.t.Out, c.Lines)
		f.screen = screen.New(a.t, f.out, p.Repo.Root, true)
		f.screen.Title = "" // the terminal is not the loop's
	}
	ctx, cancel := context.WithCancelCause(a.ctx)
	var wg sync.WaitGroup
	wg.Go(func() { cancel(f.watchLog(ctx)) })
	err := journal.Follow(ctx, r.Journal, f.batch)
	if ctx.Err() != nil {
		err = context.Cause(ctx) // why the log could not be followed, or the signal
	}
	cancel(nil)
	wg.Wait()
	f.close()
	switch {
	case errors.Is(err, errOver):
		return nil
	case errors.Is(err, loop.ErrInterrupted):
		return exitError(journal.ExitInterrupted)
	case errors.Is(err, loop.ErrStopped):
		return exitError(journal.ExitStopped)
	}
	return terminal.Enough(err)
}

// watchLog shows what is added to the log, and finds out when nobody is left who
// could add anything.
func (f *follower) watchLog(ctx context.Context) error {
	for range journal.Watch(ctx, filepath.Join(f.record.Folder, "logs")) {
		if err := f.more(); err != nil {
			return err
		}
	}
	return nil
}

// more shows what is new in the log.
func (f *follower) more() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.showing {
		return nil
	}
	if err := f.drain(); err != nil || time.Since(f.looked) < lookForLife {
		return err
	}
	f.looked = time.Now()
	status := f.state.Status()
	gone := status.Active() && !unit.LoopAlive(status) && !unit.Running(f.place)
	if gone && f.gone {
		f.flush()
		f.app.t.Warn("%s", status.Crashed().Message)
		return errOver
	}
	f.gone = gone // at first its guardian may be about to record the end
	return nil
}

// batch takes what is new in the journal.
func (f *follower) batch(b journal.Batch) error {
	f.mu.Lock()
	defer f.mu.Unlock()
	for _, w := range b.Damage.Warnings(f.record.Journal) {
		f.app.t.Warn("%s", w)
	}
	if b.Restart {
		f.state = run.State{}
	}
	for _, e := range b.Events {
		f.state.Apply(e)
		if f.showing {
			if err := f.show(e); err != nil {
				return err
			}
		}
	}
	if b.CaughtUp && !f.showing {
		return f.first()
	}
	return nil
}

// attempt is the last call of the run, nil where it has made none.
func (f *follower) attempt() *journal.AttemptStarted {
	if r := f.state.Last(); r != nil {
		return r.Calls.Last
	}
	return nil
}

// begin shows in which iteration the run is.
func (f *follower) begin() {
	r := f.state.Last()
	if r == nil {
		return
	}
	f.screen.Max = r.Start.MaxIterations
	if it := r.At(); it.N > 0 {
		f.screen.Event(journal.Event{Time: it.StartedAt, Run: r.ID,
			Body: journal.IterationStarted{N: it.N, Story: it.Story, Head: it.Head}})
	}
}

// first shows the log as far as it has come.
func (f *follower) first() error {
	f.showing = true
	if f.screen != nil {
		f.begin()
	}
	if f.attempt() != nil {
		if err := f.open(); err != nil {
			return err
		}
		if f.raw != nil {
			if err := seekLines(f.log, f.lines); err != nil {
				return fmt.Errorf("the log cannot be read: %w", err)
			}
		}
		if err := f.drain(); err != nil {
			return err
		}
	}
	if f.screen != nil {
		if err := f.out.release(); err != nil {
			return err
		}
	}
	if r := f.state.Last(); r != nil && !r.Active() {
		return errOver
	}
	return nil
}

// show takes an event that has just happened.
func (f *follower) show(e journal.Event) error {
	switch e.Body.(type) {
	case journal.AttemptStarted:
		if err := f.drain(); err != nil {
			return err
		}
		f.flush()
		if err := f.open(); err != nil {
			return err
		}
	case journal.AttemptEnded, journal.RunEnded:
		if err := f.drain(); err != nil {
			return err
		}
		f.flush()
	}
	if f.screen != nil {
		f.screen.Event(e)
	}
	if _, ok := e.Body.(journal.RunEnded); !ok {
		return nil
	}
	if f.screen != nil {
		fmt.Fprintf(f.out, "\n%s\n", screen.Verdict(f.app.t, f.state.Status()))
	}
	return errOver
}

// open opens the log of the attempt, if it is not the one that is open already:
// the attempts of an iteration share one.
func (f *follower) open() error {
	log, err := os.Open(f.record.Log(f.attempt().LogFile))
	if errors.Is(err, os.ErrNotExist) {
		f.closeLog()
		return nil // its agent is about to be started: the next look finds it
	}
	if err != nil {
		return fmt.Errorf("the log of iteration %d cannot be read: %w", f.attempt().N, err)
	}
	if f.log != nil {
		mine, err := f.log.Stat()
		named, err2 := log.Stat()
		if err == nil && err2 == nil && os.SameFile(mine, named) {
			log.Close()
			return nil
		}
		f.closeLog()
	}
	f.log = log
	return nil
}

func (f *follower) closeLog() {
	if f.log != nil {
		f.log.Close()
		f.log = nil
	}
}

// drain shows everything that is in the log and was not shown.
func (f *follower) drain() error {
	if f.log == nil && f.attempt() != nil {
		if err := f.open(); err != nil {
			return err
		}
	}
	if f.log == nil {
		return nil
	}
	if f.raw != nil {
		_, err := io.Copy(f.raw, f.log)
		return err
	}
	if f.reader == nil {
		f.reader = stream.NewReader(formatOf(f.app, f.place.Repo.Root, f.attempt().Harness), f.screen.Stream)
	}
	if _, err := io.Copy(f.reader, f.log); err != nil {
		return fmt.Errorf("the log cannot be read: %w", err)
	}
	return f.screen.Agent.Flush()
}

// flush ends the output of one session of the agent.
func (f *follower) flush() {
	if f.reader != nil {
		f.reader.Close()
		f.screen.Drained()
		f.reader = nil
	}
}

func (f *follower) close() {
	f.flush()
	f.closeLog()
}
