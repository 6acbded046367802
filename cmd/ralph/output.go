package main

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

// output is everything that a run tells: the screen or JSON lines, the status
// files, the log of the whole terminal, which has the screen's lines also where
// nobody sees them.
type output struct {
	screen *screen
	json   io.Writer // nil where the person sees the screen
	files  *unit.Files
	watch  stopwatch.Watch // since the run has started
	asked  time.Duration   // until a question was answered
	log    *lineLog
	t      *terminal.Terminal
}

func (r *resolved) openOutput() (*output, error) {
	t := r.app.t
	o := &output{t: t, files: unit.NewFiles(told(t), r.place)}
	show, w := *t, io.Writer(quiet{t.Out})
	if r.flags.JSON {
		// The screen is for the log alone then.
		o.json, w = t.Out, io.Discard
		show = terminal.Terminal{In: t.In, Out: io.Discard, Err: io.Discard, ASCII: t.ASCII}
	}
	log, err := openLineLog(filepath.Join(r.place.Repo.Root, ".claude", "ralph-loop.log"))
	if err != nil {
		t.Warn("the terminal's output is not kept: %v", err)
	} else {
		o.log, w = log, io.MultiWriter(w, log)
	}
	o.screen = newScreen(&show, w, r.place.Repo.Root, r.flags.Verbose)
	return o, nil
}

func (o *output) event(e journal.Event) {
	if o.json != nil {
		if line, err := e.MarshalJSON(); err == nil {
			_, _ = o.json.Write(append(line, '\n'))
		}
	}
	o.screen.event(e)
	if _, ok := e.Body.(journal.RunStarted); ok {
		o.watch = stopwatch.Start()
	}
	o.files.Event(e)
	if o.log != nil {
		o.log.flush()
	}
}

// working says what goes on between two events.
func (o *output) working(what string) {
	o.screen.working(what)
}

// stopping says that the run was told to end.
func (o *output) stopping() {
	o.screen.remarkf(terminal.Yellow, "…", "stopping, up to 5s")
}

// warn shows a warning that is in no journal.
func (o *output) warn(text string) {
	if o.json != nil {
		o.t.Warn("%s", text)
	}
	o.screen.remarkf(terminal.Yellow, "⚠", "%s", text)
}

func (o *output) drained() {
	o.screen.drained()
	if o.log != nil {
		o.log.flush()
	}
}

func (o *output) close() {
	o.files.Settled()
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

// ask asks the user at the terminal.
func (o *output) ask(ctx context.Context, question string, limit time.Duration) bool {
	watch := stopwatch.Start()
	defer func() { o.asked += watch.Passed().Real }()
	return o.screen.t.Ask(ctx, question, limit)
}
