package replay

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// defaultPromise is the one of ralph's settings unless they are changed.
const defaultPromise = "<promise>COMPLETE</promise>"

// errTurnOver ends a turn early, as its script wants.
var errTurnOver = errors.New("the turn is over")

// player plays one session.
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

// play plays the steps of a turn and returns the exit status of the session. An
// error means that the script could not be played.
func (p *player) play(ctx context.Context, steps []Step) (int, error) {
	if err := p.readPrompt(ctx); err != nil {
		return 0, err
	}
	isRecording := func(s Step) bool { return s.Raw != nil || s.RawFile != nil }
	if !slices.ContainsFunc(steps, isRecording) { // a recording brings its own beginning
		p.out.init()
	}
	for _, step := range steps {
		if ctx.Err() != nil {
			break
		}
		err := p.perform(ctx, step)
		if errors.Is(err, errTurnOver) {
			break
		}
		if err != nil && ctx.Err() == nil {
			return 0, p.script.fault(step.line, "%s: %w", step.name, err)
		}
	}
	if ctx.Err() != nil {
		return p.interrupted(cause(ctx)), nil
	}
	p.finish()
	return p.end.code, nil
}

// perform does one step.
func (p *player) perform(ctx context.Context, s Step) error {
	switch {
	case s.Say != nil:
		p.out.text(*s.Say)
		if !p.end.isSet {
			p.end.final = *s.Say
		}
	case s.Final != nil:
		p.end.final, p.end.isSet = *s.Final, true
	case s.Promise != nil:
		if p.end.promise = *s.Promise; p.end.promise == "true" {
			p.end.promise = defaultPromise
		}

	case s.Write != nil:
		return p.write(*s.Write)
	case s.Append != nil:
		return p.append(*s.Append)
	case s.Replace != nil:
		return p.replace(*s.Replace)
	case s.Remove != nil:
		return p.remove(*s.Remove)

	case s.Run != nil:
		return p.run(ctx, s.Run, s.FailOK)
	case s.Commit != nil:
		return p.commit(ctx, *s.Commit)
	case s.Spawn != nil:
		return p.spawn(*s.Spawn)

	case s.Tick != nil:
		return p.tick(*s.Tick)
	case s.TickTask != nil:
		return p.tickTask(*s.TickTask)
	case s.Progress != nil:
		return p.log(*s.Progress)

	case s.Sleep != nil:
		select {
		case <-time.After(time.Duration(*s.Sleep)):
		case <-ctx.Done():
		}
	case s.Hang:
		<-ctx.Done()
	case s.IgnoreSignals != nil:
		for _, name := range s.IgnoreSignals {
			p.signals.ignore(signalNamed(name))
		}
	case s.Exit != nil:
		p.end.code = *s.Exit
		return errTurnOver

	case s.Raw != nil:
		p.end.recorded = true
		_, _ = io.WriteString(p.out.w, *s.Raw)
	case s.RawFile != nil:
		return p.printFile(*s.RawFile)
	case s.Stderr != nil:
		_, _ = fmt.Fprintln(p.in.Stderr, *s.Stderr)
	case s.NoResult:
		p.end.noResult = true

	case s.Limit != nil:
		return p.limit(*s.Limit)
	case s.Overloaded:
		p.retried(529, "overloaded")
		return p.refused(529, "server_error", "API Error: 529 Overloaded. This is a server-side issue, "+
			"usually temporary — try again in a moment.")
	case s.AuthError:
		p.retried(401, "authentication_failed")
		return p.refused(401, "authentication_failed", "Invalid API key · Fix external API key")
	case s.Deny != nil:
		for _, tool := range s.Deny {
			p.deny(tool)
		}
	case s.Tokens != nil:
		p.end.result.Usage = usage(*s.Tokens)
	case s.Cost != nil:
		p.end.result.CostUSD = *s.Cost

	case s.SavePrompt != nil:
		return os.WriteFile(p.env.path(*s.SavePrompt), p.prompt, 0o600)
	case s.ExpectPrompt != nil:
		if !strings.Contains(string(p.prompt), *s.ExpectPrompt) {
			return fmt.Errorf("the prompt (%d bytes) does not hold %q", len(p.prompt), *s.ExpectPrompt)
		}
	}
	return nil
}

// printFile prints a recorded stream; its path is relative to the script.
func (p *player) printFile(path string) error {
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(p.script.path), path)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	p.end.recorded = true
	_, _ = io.Copy(p.out.w, file) // only a reader that is gone makes this fail
	return nil
}

// limit is the account's usage limit, which ends the turn.
type limit struct {
	ResetsIn duration `yaml:"resets_in"`
	Window   string   `yaml:"window"` // five_hour (the default) or seven_day
}

func (p *player) limit(l limit) error {
	window, word := "five_hour", "session"
	if l.Window == "seven_day" {
		window, word = l.Window, "weekly"
	}
	// The stream has whole seconds: rounded up, so that the limit is over by then.
	resets := time.Now().Add(time.Duration(l.ResetsIn) + time.Second - time.Nanosecond).Truncate(time.Second).UTC()
	clock := strings.Replace(resets.Format("3:04pm"), ":00", "", 1)
	p.out.emit(line{Type: "rate_limit_event", Limit: &limitInfo{
		Status: "rejected", ResetsAt: resets.Unix(), Window: window}})
	return p.refused(429, "rate_limit", fmt.Sprintf("You've hit your %s limit · resets %s (UTC)", word, clock))
}

func (p *player) retried(status int, class string) {
	p.out.emit(line{Type: "system", Subtype: "api_retry", Error: class,
		retry: &retry{Attempt: 1, Max: 1, DelayMS: 500, Status: status}})
}

// refused ends the turn with the result of a call that the provider refused.
func (p *player) refused(status int, class, text string) error {
	p.out.synthetic(class, text)
	p.end.result.refuse(status, text)
	p.end.isSet, p.end.promise, p.end.recorded = false, "", false
	p.end.code = 1
	return errTurnOver
}

// deny prints a tool call that the agent was not permitted to make.
func (p *player) deny(tool string) {
	input := map[string]any{}
	id := p.out.tool(tool, input)
	p.out.answer(id, "Claude requested permissions to use "+tool+", but you haven't granted it yet.", true)
	p.end.result.Denials = append(p.end.result.Denials, denial{Tool: tool, ID: id, Input: input})
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
