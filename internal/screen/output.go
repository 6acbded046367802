package screen

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"time"

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
	log    *lineLog
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
	log, err := openLineLog(filepath.Join(p.Repo.Root, ".claude", "ralph-loop.log"))
	if err != nil {
		t.Warn("the terminal's output is not kept: %v", err)
	} else {
		o.log, w = log, io.MultiWriter(w, log)
	}
	o.Screen = New(&show, w, p.Repo.Root, verbose)
	return o, nil
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
	if o.log != nil {
		o.log.flush()
	}
}

// Working shows the current activity until the next event.
func (o *Output) Working(what string) {
	o.Screen.working(what)
}

// Stopping prints that the run is stopping.
func (o *Output) Stopping() {
	o.Screen.remarkf(terminal.Yellow, "…", "stopping, up to 5s")
}

// Warn prints a warning that is not in the journal.
func (o *Output) Warn(text string) {
	if o.json != nil {
		o.t.Warn("%s", text)
	}
	o.Screen.remarkf(terminal.Yellow, "⚠", "%s", text)
}

// Drained flushes the agent's last output to the screen and the log.
func (o *Output) Drained() {
	o.Screen.Drained()
	if o.log != nil {
		o.log.flush()
	}
}

// Close writes the status files that are still pending and closes the log.
func (o *Output) Close() {
	o.Files.Settled()
	if o.log != nil {
		o.log.close()
	}
}

// quiet is a terminal that may go away without ending the run.
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
func Notes(t *terminal.Terminal) unit.Notes { return unit.Notes{Warn: t.Warn, Slowly: t.Slowly} }
