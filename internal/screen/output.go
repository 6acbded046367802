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

// Output is all output of a run: the screen or JSON lines, the status files, and the log
// of the whole terminal, which has the screen's lines even if no screen shows them.
type Output struct {
	Screen *Screen
	json   io.Writer // nil if the screen is shown
	Files  *unit.Files
	watch  stopwatch.Watch // since the run has started
	asked  time.Duration   // until a question was answered
	log    *lineLog
	t      *terminal.Terminal
}

// Open opens the outputs of a run of the unit. With events, standard output has the
// journal's events for programs.
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

// Working shows what is running between two events.
func (o *Output) Working(what string) {
	o.Screen.working(what)
}

// Stopping shows that the run was asked to end.
func (o *Output) Stopping() {
	o.Screen.remarkf(terminal.Yellow, "…", "stopping, up to 5s")
}

// Warn shows a warning that is in no journal.
func (o *Output) Warn(text string) {
	if o.json != nil {
		o.t.Warn("%s", text)
	}
	o.Screen.remarkf(terminal.Yellow, "⚠", "%s", text)
}

func (o *Output) Drained() {
	o.Screen.Drained()
	if o.log != nil {
		o.log.flush()
	}
}

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

// Ask asks the user at the terminal.
func (o *Output) Ask(ctx context.Context, question string, limit time.Duration) bool {
	watch := stopwatch.Start()
	defer func() { o.asked += watch.Passed().Real }()
	return o.Screen.t.Ask(ctx, question, limit)
}

// Notes passes on to the terminal what the unit's package has to say.
func Notes(t *terminal.Terminal) unit.Notes { return unit.Notes{Warn: t.Warn, Slowly: t.Slowly} }
