package host

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"sync"
	"time"

	"ralph/fleet/internal/events"
	"ralph/fleet/internal/feature"
	"ralph/fleet/internal/hold"
	"ralph/fleet/internal/ledger"
	"ralph/fleet/internal/repo"
)

// run is one "ralph run" running.
type run struct {
	once    sync.Once
	let     func()
	started bool // it has reported its start, and reads requests
}

// stop ends the run, as "ralph stop" does.
func (r *run) stop() { r.once.Do(r.let) }

// ending is how a run ended.
type ending struct {
	code      int // exit status
	reason    string
	message   string
	resumesAt *time.Time
}

// oneRun starts ralph in the worktree and follows its events to the end.
func (t *turn) oneRun(ctx context.Context) (ending, error) {
	argv := append([]string{t.host.Ralph}, t.Submission.Flags.Args(t.record.Spent)...)
	said := &lastWords{}
	events, theirs, err := os.Pipe()
	if err != nil {
		return ending{}, &repo.TroubleError{Err: err}
	}
	defer events.Close()
	t.mu.Lock()
	if t.over || t.pausing {
		t.mu.Unlock()
		theirs.Close()
		return ending{code: 143, reason: "stopped", message: "ended before it began"}, nil
	}
	cmd, stop, err := hold.Start(argv, func(cmd *exec.Cmd) {
		cmd.Dir, cmd.Stdout, cmd.Stderr = t.tree.Dir, theirs, said
		cmd.Env = append(hold.Environ(), ledger.Env+"="+t.host.ledger.Socket())
		cmd.WaitDelay = time.Minute
	})
	theirs.Close()
	if err != nil {
		t.mu.Unlock()
		return ending{}, &repo.TroubleError{Err: fmt.Errorf("ralph cannot be started on %s: %w", t.host.Name, err)}
	}
	r := &run{let: stop}
	t.run = r
	t.mu.Unlock()
	defer func() {
		r.stop()
		t.mu.Lock()
		t.run = nil
		t.mu.Unlock()
		t.setCutOff(false) // this run asks for no call any more
	}()
	last := t.follow(ctx, events)
	return t.ended(cmd.Wait(), last, said)
}

// follow reads the events of the run to their end; it returns the last one.
func (t *turn) follow(ctx context.Context, from io.Reader) (last events.Event) {
	lines := bufio.NewReader(from)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil {
			return last
		}
		e, ok := events.Parse(bytes.TrimSpace(line))
		if !ok {
			continue
		}
		last = e
		t.event(ctx, e, string(bytes.TrimSpace(line)))
	}
}

// event takes an event in. At the end of an iteration the feature is put on the
// remote before the next line is read.
func (t *turn) event(ctx context.Context, e events.Event, line string) {
	events.Count(&t.record.Spent, e)
	if e.Type == "run_started" {
		t.record.Unit, t.change = e.Unit, e.Change
		t.started()
	}
	most := t.Submission.Flags.MaxIterations
	if most == 0 {
		most = t.record.Spent.Limits.MaxIterations
	}
	t.pulse.event(e, bounded(line), t.record.Spent, most)
	switch {
	case e.Type == "iteration_ended":
		t.snapshot(ctx)
	case e.Type == "wait_started" && e.Reason == "paused":
		t.end()
	}
}

// started notes that the current run has started.
func (t *turn) started() {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.run != nil {
		t.run.started = true
	}
}

// snapshot has the feature pushed as it is now.
func (t *turn) snapshot(ctx context.Context) {
	s, err := t.tree.Take(ctx, t.record)
	if err != nil {
		t.troubled(fmt.Sprintf("the state of %s cannot be kept on %s: %v", t.Submission.Branch, t.host.Name, err))
		return
	}
	t.push.offer(s)
}

// troubled warns the user.
func (t *turn) troubled(message string) {
	t.host.trouble(message)
	t.pulse.change(func(p *feature.Progress) { p.Trouble = message })
}

// ended is how the run ended, by its last event and its exit status.
func (t *turn) ended(err error, last events.Event, said *lastWords) (ending, error) {
	code := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		code = exit.ExitCode()
	case err != nil && !errors.Is(err, exec.ErrWaitDelay):
		return ending{}, &repo.TroubleError{Err: fmt.Errorf("ralph on %s: %w", t.host.Name, err)}
	}
	if last.Type == "run_ended" {
		return ending{code: code, reason: last.Reason, message: last.Message, resumesAt: last.ResumesAt}, nil
	}
	words := said.String()
	switch {
	case (code == 130 || code == 143) && t.isOver():
		return ending{code: code, reason: "stopped", message: "ended before it began"}, nil
	case code == 80:
		return ending{code: code, reason: "bad_command_line", message: words}, nil
	case last.Type != "" || code > 80 || code < 0:
		return ending{}, &repo.TroubleError{Err: fmt.Errorf("ralph died on %s with status %d: %s", t.host.Name, code, words)}
	case code != 1 || words == "":
		// What it says of a run is in the run's last event, and none exists.
		return ending{}, &repo.TroubleError{Err: fmt.Errorf("%s on %s ended with status %d and reported no run: is it ralph? check the worker's --ralph%s",
			t.host.Ralph, t.host.Name, code, also(words))}
	}
	if _, wrong, found := strings.Cut(words, "✗ "); found { // after what is in order
		words = wrong
	}
	return ending{code: code, reason: "preflight", message: words}, nil
}

// also is what a program has said besides, after a sentence.
func also(words string) string {
	if words == "" {
		return ""
	}
	return "; it said: " + words
}

// bounded is a line of the journal as a sign of life may carry it.
func bounded(line string) string {
	const most = 4 << 10
	if len(line) > most {
		return ""
	}
	return line
}

// lastWords keeps the end of what a program says on standard error.
type lastWords struct {
	mu   sync.Mutex
	text []byte
}

func (w *lastWords) Write(p []byte) (int, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	const most = 4 << 10
	w.text = append(w.text, p...)
	if len(w.text) > most {
		w.text = w.text[len(w.text)-most:]
	}
	return len(p), nil
}

func (w *lastWords) String() string {
	w.mu.Lock()
	defer w.mu.Unlock()
	return tail(w.text)
}
