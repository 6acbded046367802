package logs

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
	"ralph/internal/run"
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// errOver ends the following of a log: nothing more will come.
var errOver = errors.New("the run is over")

// lookForLife is how often a silent loop is looked for.
const lookForLife = time.Second

// follower shows a run while it is active: the log of its iteration, byte for byte or as the
// run's own screen shows it. The journal names the log.
type follower struct {
	mu     sync.Mutex
	t      *terminal.Terminal
	place  *unit.Place
	record *unit.Record
	format func(harness string) stream.Format

	out    *tail
	screen *screen.Screen // nil where the log is shown byte for byte

	state   run.State
	showing bool // the journal has been read up to now
	log     *os.File
	reader  *stream.Reader
	looked  time.Time
	gone    bool // the loop was not there when it was looked for
}

// Follow shows the log of the unit's run until the run ends or ctx is done.
func Follow(ctx context.Context, t *terminal.Terminal, p *unit.Place, r *unit.Record, o Options) error {
	f := &follower{t: t, place: p, record: r, format: o.Format, out: newTail(t.Out, o.Lines)}
	if !o.Raw {
		f.screen = screen.New(t, f.out, p.Repo.Root, true)
		f.screen.Title = "" // the terminal is not the loop's
	}
	ctx, cancel := context.WithCancelCause(ctx)
	var wg sync.WaitGroup
	wg.Go(func() { cancel(f.watchLog(ctx)) })
	err := journal.Follow(ctx, r.Journal, f.batch)
	if ctx.Err() != nil {
		err = context.Cause(ctx) // why the log could not be followed, or the signal
	}
	cancel(nil)
	wg.Wait()
	f.flush()
	f.closeLog()
	if errors.Is(err, errOver) {
		return nil
	}
	return err
}

// watchLog shows what is added to the log, and finds out when the loop is gone.
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
		f.t.Warn("%s", status.Crashed().Message)
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
		f.t.Warn("%s", w)
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
	if err := f.drain(); err != nil {
		return err
	}
	if err := f.out.release(); err != nil {
		return err
	}
	if r := f.state.Last(); r != nil && !r.Active() {
		return errOver
	}
	return nil
}

// show shows a new event.
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
		fmt.Fprintf(f.out, "\n%s\n", screen.EndLine(f.t, f.state.Status()))
	}
	return errOver
}

// open opens the log of the attempt unless it is open: the attempts of an iteration share one.
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
	if f.screen == nil {
		_, err := io.Copy(f.out, f.log)
		return err
	}
	if f.reader == nil {
		f.reader = stream.NewReader(f.format(f.attempt().Harness), f.screen.Stream)
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
		f.screen.Flush()
		f.reader = nil
	}
}
