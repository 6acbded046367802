package agent

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os/exec"
	"slices"
	"strings"
	"syscall"
	"time"

	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/stream"
	"ralph/internal/words"
)

// Outcome is the result of an attempt.
type Outcome struct {
	Kind     journal.Outcome
	Message  string    // what went wrong; for OK: what may have hindered the agent
	Hint     string    // what the user can do about it, may be empty
	ResetsAt time.Time // when a usage limit ends; zero if unknown
	Exit     proc.Exit
	Duration time.Duration
	Final    string // the agent's final message
	HasFinal bool   // false if the output ended before the final message
	OfModel  bool   // the usage limit is for one model: another model may work
	Summary  stream.Summary
	Strays   int // number of processes that it left running; ralph ended them
	Names    []string
	Boundary []string // forbidden changes and refused writes, each as a sentence
	LogLost  error    // why ralph could not restore a log that the agent removed
}

// MissingError reports that the agent's program cannot be started.
type MissingError struct {
	Harness string
	Program string
	Err     error
}

func (e *MissingError) Error() string {
	var hidden hiddenError
	gone := errors.Is(e.Err, exec.ErrNotFound) || errors.Is(e.Err, fs.ErrNotExist)
	switch {
	case errors.As(e.Err, &hidden):
		return fmt.Sprintf("the agent %q of harness %s cannot be started in its room (%s): the program, or the interpreter in "+
			"its first line, is hidden there; show it with sandbox.read in ~/.ralph/config.yaml", e.Program, e.Harness, string(hidden))
	case gone && strings.Contains(e.Program, "/"):
		return fmt.Sprintf("the agent %q of harness %s cannot be started: the program, or the interpreter in its first line, was not found; correct the setting %s.command", e.Program, e.Harness, setting(e.Harness))
	case gone:
		return fmt.Sprintf("the agent %q of harness %s was not found in PATH: install it, or name it with the setting %s.command", e.Program, e.Harness, setting(e.Harness))
	case errors.Is(e.Err, syscall.ENOEXEC):
		return fmt.Sprintf("the agent %q of harness %s cannot be started: it is built for another "+
			"machine, or a script without a first line such as #!/bin/sh", e.Program, e.Harness)
	case errors.Is(e.Err, fs.ErrPermission):
		return fmt.Sprintf("the agent %q of harness %s may not be executed: check its permissions", e.Program, e.Harness)
	}
	return fmt.Sprintf("the agent %q of harness %s cannot be started: %v", e.Program, e.Harness, e.Err)
}

// hiddenError is why a room could not start a program, in the words of the system.
type hiddenError string

func (e hiddenError) Error() string { return string(e) }

// setting is the key under which the settings keep a harness.
func setting(harness string) string {
	if harness == "claude" {
		return harness
	}
	return "harnesses." + harness
}

func (e *MissingError) Unwrap() error { return e.Err }

// end says why a turn was ended, if ralph ended it.
type end uint8

const (
	endItself end = iota // the agent exited by itself
	endTimeout
	endIdle
	endAsked     // the context was cancelled
	endLingering // it had reported its result and did not exit
	endLost      // the guardian died
	endFailed    // ralph could not keep its log
)

// outcomeOf reads the outcome from what was seen, in the order of trust: terminal
// event, why it was ended, a limit or an error of the login in its text, signal, exit code.
func outcomeOf(h Harness, why end, exit proc.Exit, s stream.Summary, stderr string, limits Limits, now time.Time) Outcome {
	o := Outcome{Exit: exit, Summary: s, Final: s.Final, HasFinal: s.HasFinal}
	if !s.Terminal && (why != endItself || exit.Code != 0) {
		o.HasFinal = false // the output broke off: its end is not a final message
	}
	switch {
	case s.Terminal && !s.Result.IsError:
		o.Kind = journal.OutcomeOK
		o.hindered(h)
		return o
	case why == endAsked:
		o.Kind, o.Message = journal.OutcomeInterrupted, "ended by ralph"
		return o
	case why == endTimeout:
		o.Kind, o.Message = journal.OutcomeTimeout, fmt.Sprintf("the agent was ended after %s", limits.Timeout)
		o.Hint = "allow more time with --timeout, or split the story; 'ralph logs' shows what the agent was doing"
		return o
	case why == endIdle:
		o.Kind, o.Message = journal.OutcomeIdle, fmt.Sprintf("the agent showed no sign of life for %s and was ended", limits.Idle)
		o.Hint = "'ralph logs' shows where it stopped; a slow provider may need a longer --idle-timeout"
		return o
	case why == endFailed:
		o.Kind, o.Message = journal.OutcomeError, "the agent was ended because its log could not be written"
		return o
	case why == endLost:
		o.Kind, o.Message = journal.OutcomeCrash, "the guardian of the agent was killed, and the agent with it"
		return o
	}
	stated := firstSaid(slices.Concat(h.Errors, h.Limits), stderr)
	if stated == "" && !s.Terminal && plain(h, s) {
		if stated = firstSaid(h.Errors, s.Final); stated != "" {
			stderr, o.HasFinal = stated, false // the settings name it: it is no word of the model's
		}
	}
	if !s.Terminal && plain(h, s) && exit.Code == 0 && stated == "" {
		o.Kind = journal.OutcomeOK
		o.hindered(h)
		return o
	}
	text, f := failure(h, s, stderr, now)
	o.failed(h, text, f, now)
	return o
}

// plain reports whether the output was text, by design or because nothing of it
// was an event.
func plain(h Harness, s stream.Summary) bool {
	return h.Output == stream.FormatText || (s.Plain && s.Lines > 0)
}

// failure returns the text in which the agent reports its error, and what it means:
// an error event, else standard error, else the end of a plain text.
func failure(h Harness, s stream.Summary, stderr string, now time.Time) (string, stream.Failure) {
	text := s.LastError
	if s.Terminal {
		text = cmp.Or(s.Result.Error, text)
	}
	switch {
	case text != "":
		return text, stream.Classify(h.Output, text, now)
	case stderr != "":
		return stderr, stream.ClassifyOutput(h.Output, stderr, now)
	case plain(h, s):
		text = words.LastLines(strings.TrimSpace(s.Final), 10) // where such an agent says why it failed
		return text, stream.ClassifyOutput(h.Output, text, now)
	}
	return "", stream.Failure{}
}

// failed fills in what a failure means: the account's own word first, then the
// texts that leave no doubt, then status and word of the provider's answer.
func (o *Outcome) failed(h Harness, text string, f stream.Failure, now time.Time) {
	s := o.Summary
	class := stream.ClassOf(s.ErrorClass, s.Status)
	switch f.Class {
	case stream.ClassUsageLimit, stream.ClassBilling, stream.ClassCredit, stream.ClassAuth:
		class = f.Class
	}
	if class == stream.ClassNone {
		class = f.Class
	}
	rejected := s.Rejected != nil && (class == stream.ClassUsageLimit || class == stream.ClassTransient || class == stream.ClassNone ||
		class == stream.ClassCredit && s.Rejected.ResetsAt.After(now))
	o.Message, o.Kind = sentence(cmp.Or(f.Text, text)), journal.OutcomeError
	if s.LastError != "" {
		o.Message = firstLine(text) // a field of its own, in which details follow the message
	}
	switch {
	case rejected, class == stream.ClassUsageLimit, firstSaid(h.Limits, text) != "":
		o.Kind, o.ResetsAt, o.OfModel = journal.OutcomeUsageLimit, f.ResetsAt, f.Model && s.Rejected == nil
		if s.Rejected != nil && !s.Rejected.ResetsAt.IsZero() {
			o.ResetsAt = s.Rejected.ResetsAt
		}
	case class == stream.ClassAuth, class == stream.ClassBilling, class == stream.ClassCredit:
		o.Kind = journal.OutcomeAuth
	case class == stream.ClassTransient:
		o.Kind = journal.OutcomeTransient
	case o.Exit.Signal != 0:
		o.Kind, o.Message = journal.OutcomeCrash, "the agent was ended by "+o.Exit.String()
	}
	if o.Message == "" {
		o.Message = silent(o.Exit, s)
	}
	o.Hint = o.advice(h, class)
}

// silent describes a failure without a message of the agent.
func silent(exit proc.Exit, s stream.Summary) string {
	switch {
	case exit.Code != 0:
		return "the agent ended with " + exit.String() + " and said nothing of why"
	case !s.Started && s.Lines == 0:
		return "the agent printed nothing at all"
	case !s.Terminal:
		return "the agent's output broke off before its result"
	}
	return "the agent reported an error and said nothing of it"
}
