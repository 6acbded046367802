package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"syscall"
)

// action is what a step does. It returns errTurnOver to end the turn there.
type action interface {
	play(ctx context.Context, p *player) error
}

// errTurnOver ends a turn early, as its script wants.
var errTurnOver = errors.New("the turn is over")

// player is one session at work.
type player struct {
	in      Input
	env     environ
	script  *Script
	signals *signals
	out     *emitter
	prompt  []byte
	end     ending
}

// ending is how the session will end: steps fill it in, finish prints it.
type ending struct {
	final    string // the final message; the last 'say' where no step set one
	isSet    bool   // a step set final, so it has yet to be printed
	promise  string
	code     int
	noResult bool // the stream breaks off
	recorded bool // a recording was printed, which has its own result
	result   result
	inTool   bool // a command was running when a signal came
}

// play plays a turn to its end and returns the exit status of the session. An
// error means that the script could not be played.
func (p *player) play(ctx context.Context, turn *Turn) (int, error) {
	if turn.readsPrompt() {
		if err := p.readPrompt(ctx); err != nil {
			return 0, err
		}
	}
	if !turn.isRecording() {
		p.out.init()
	}
	for _, step := range turn.Steps {
		if ctx.Err() != nil {
			break
		}
		err := step.play(ctx, p)
		if errors.Is(err, errTurnOver) {
			break
		}
		if err != nil && ctx.Err() == nil {
			return 0, &LineError{Path: p.script.Path, Line: step.Line, Err: fmt.Errorf("%s: %w", step.Name, err)}
		}
	}
	if ctx.Err() != nil {
		return p.interrupted(cause(ctx)), nil
	}
	p.finish()
	return p.end.code, nil
}

// readsPrompt reports whether the turn wants its prompt, which is so unless a
// step says otherwise.
func (t *Turn) readsPrompt() bool {
	for _, s := range t.Steps {
		if r, ok := s.action.(*readPromptStep); ok && !bool(*r) {
			return false
		}
	}
	return true
}

// isRecording reports whether the turn prints a recorded stream, which has its
// own beginning and end.
func (t *Turn) isRecording() bool {
	for _, s := range t.Steps {
		switch s.action.(type) {
		case *rawStep, *rawFileStep:
			return true
		}
	}
	return false
}

// readPrompt reads standard input to its end, as agents do, or until a signal.
func (p *player) readPrompt(ctx context.Context) error {
	type read struct {
		data []byte
		err  error
	}
	done := make(chan read, 1)
	go func() {
		data, err := io.ReadAll(p.in.Stdin)
		done <- read{data, err}
	}()
	select {
	case r := <-done:
		p.prompt = r.data
		if r.err != nil {
			return fmt.Errorf("cannot read the prompt: %w", r.err)
		}
	case <-ctx.Done():
	}
	return nil
}

// finish prints the final message and the terminal event.
func (p *player) finish() {
	e := &p.end
	if e.promise != "" {
		if e.isSet && e.final != "" {
			e.final += "\n\n"
		} else {
			e.final = "" // a message said earlier is not said again
		}
		e.final += e.promise
		e.isSet = true
	}
	if e.noResult || e.recorded && !e.isSet {
		return
	}
	if e.isSet {
		p.out.text(e.final)
	}
	if e.result.Subtype == "" {
		e.result.succeed(e.final)
	}
	p.out.result(e.result)
}

// interrupted ends the session as Claude Code does: INT has a result, and
// status 0 or, where a command was running, 1; TERM and HUP end it at once.
func (p *player) interrupted(sig syscall.Signal) int {
	if sig != syscall.SIGINT {
		return 128 + int(sig)
	}
	if !p.end.noResult {
		p.out.interrupted(p.end.inTool, p.end.result)
	}
	if p.end.inTool {
		return 1
	}
	return 0
}
