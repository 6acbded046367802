package screen

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sys/unix"

	"ralph/internal/account"
	"ralph/internal/journal"
	"ralph/internal/stopwatch"
	"ralph/internal/terminal"
	"ralph/internal/unit"
)

// Output writes everything that a run prints: the screen or JSON lines, the status files and
// the log. The log has the screen's lines even if no screen shows them.
type Output struct {
	Screen *Screen
	json   io.Writer // nil if the screen is shown
	Files  *unit.Files
	watch  stopwatch.Watch // since the run has started
	asked  time.Duration   // until a question was answered
	log    *os.File        // nil if it cannot be written
	t      *terminal.Terminal
}

// Open opens the outputs of a run of the unit. If events is true, standard output gets the
// journal's events as JSON lines.
func Open(t *terminal.Terminal, p *unit.Place, events, verbose bool) (*Output, error) {
	o := &Output{t: t, Files: unit.NewFiles(Notes(t), p)}
	show, w := *t, io.Writer(quiet{t.Out})
	if events {
		// The screen is for the log alone then.
		o.json, w = t.Out, io.Discard
		show = terminal.Terminal{In: t.In, Out: io.Discard, Err: io.Discard, ASCII: t.ASCII}
	}
	var err error
	if o.log, err = openLog(filepath.Join(p.Repo.Root, ".claude", "ralph-loop.log")); err != nil {
		t.Warn("the terminal's output is not kept: %v", err)
	} else {
		w = io.MultiWriter(w, quiet{o.log})
	}
	o.Screen = New(&show, w, p.Repo.Root, verbose)
	return o, nil
}

// openLog starts an empty log. It does not wait for a reader if the path is a FIFO.
func openLog(path string) (*os.File, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	return f, f.Chmod(0o600) // it may be an old one
}

// Event writes an event of the journal to all outputs.
func (o *Output) Event(e journal.Event) {
	if o.json != nil {
		if line, err := e.MarshalJSON(); err == nil {
			_, _ = o.json.Write(append(line, '\n'))
		}
	}
	o.Screen.Event(e)
	if _, ok := e.Body.(journal.RunStarted); ok {
		o.watch = stopwatch.Start()
	}
	o.Files.Event(e)
}

// Stopping prints that the run is stopping.
func (o *Output) Stopping() {
	o.Screen.aside("…", "stopping, up to 5s")
}

// Warn prints a warning that is not in the journal.
func (o *Output) Warn(text string) {
	if o.json != nil {
		o.t.Warn("%s", text)
	}
	o.Screen.aside("⚠", text)
}

// Close writes the status files that are still pending and closes the log.
func (o *Output) Close() {
	o.Files.Settled()
	if o.log != nil {
		o.log.Close()
	}
}

// quiet is a terminal or a log that may fail without ending the run.
type quiet struct{ io.Writer }

func (q quiet) Write(p []byte) (int, error) {
	if n, err := q.Writer.Write(p); err != nil && !errors.Is(err, io.ErrShortWrite) {
		return max(n, len(p)), nil
	}
	return len(p), nil
}

// Ask asks the user a yes-or-no question at the terminal. No answer within the limit means no.
func (o *Output) Ask(ctx context.Context, question string, limit time.Duration) bool {
	watch := stopwatch.Start()
	defer func() { o.asked += watch.Passed().Real }()
	return o.Screen.t.Ask(ctx, question, limit)
}

// Notes returns unit.Notes that print warnings and slow steps on the terminal.
func Notes(t *terminal.Terminal) unit.Notes {
	notes := unit.Silent()
	notes.Warn, notes.ShowActivity = t.Warn, t.ShowActivity
	notes.Archived = func(p *unit.Place, name string) { account.WriteArchived(unit.Silent(), p, name) }
	return notes
}
