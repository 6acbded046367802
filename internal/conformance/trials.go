package conformance

import (
	"context"
	"fmt"
	"strings"
	"syscall"
	"time"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/stream"
	"ralph/internal/words"
)

const (
	hugePrompt = 2 << 20   // bytes
	hugeLine   = 64 << 10  // bytes: what line-wise readers of many programs refuse
	maxArg     = 127 << 10 // what ralph gives as one argument
)

// failure sees how a failure ends: with an empty prompt there is nothing to do.
func (s *session) failure(ctx context.Context) (Trial, error) {
	t, err := s.make(ctx, s.mode, call{trial: "failure", about: "sending it an empty prompt"})
	c := Trial{ID: "failure", Result: NotSeen, Message: "a failure: not seen; an empty prompt ended well",
		Hint: fmt.Sprintf("Exit with a status other than 0 if the task could not be worked on, with the reason on standard error. To show it here, fail if %s is 'failure'.", Variable)}
	switch {
	case t.timedOut():
		c.Result, c.Message, c.Hint = No, fmt.Sprintf("does not end within %s on an empty prompt", words.Duration(t.limit)), "Fail on an empty prompt, in place of waiting for more."
	case t.Exit != (proc.Exit{}):
		c = Trial{ID: "failure", Result: Yes, Message: "reports a failure: " + t.failing()}
	}
	return c, err
}

// hugePrompt sends more than fits into a pipe, an argument and most contexts.
func (s *session) hugePrompt(ctx context.Context) (Trial, error) {
	const id = "huge_prompt"
	if s.mode == agent.PromptArg {
		return Trial{ID: id, Result: No, Message: fmt.Sprintf("a prompt in an argument has at most %d KB", maxArg>>10), Hint: "Take the prompt on standard input, or from a file."}, nil
	}
	question, answer := riddle()
	const line = "This line is only here to make the prompt long. Pass over it.\n"
	t, err := s.make(ctx, s.mode, call{trial: id, about: "sending it a prompt of 2 MB", prompt: strings.Repeat(line, hugePrompt/len(line)) + question})
	c := Trial{ID: id, Result: No, Message: "a prompt of 2 MB: " + t.failing(),
		Hint: "Read the prompt to its end, and answer it; or say that it does not fit into the context, and exit with another status than 0."}
	switch {
	case t.has(answer):
		c = Trial{ID: id, Result: Yes, Message: fmt.Sprintf("answers a prompt of 2 MB (%s)", words.Duration(t.Duration))}
	case t.timedOut():
	case !s.answered && t.exited():
		c = Trial{ID: id, Result: Yes, Message: "takes a prompt of 2 MB"}
	case stream.ClassifyOutput(s.format, t.said(), time.Now()).Class == stream.ClassContext:
		c = Trial{ID: id, Result: Yes, Message: "says of a prompt of 2 MB that it does not fit: " + t.said()}
	}
	return c, err
}

// hugeLine sees whether a line of output can be longer than usual buffers.
func (s *session) hugeLine(ctx context.Context) (Trial, error) {
	const id = "huge_line"
	t, err := s.make(ctx, s.mode, call{trial: id, about: "asking it for a huge line", prompt: "Use your shell tool to run exactly this command: head -c 1000000 /dev/zero | tr '\\0' x\nThen reply with the word: done\n"})
	if t.longest >= hugeLine {
		return Trial{ID: id, Result: Yes, Message: fmt.Sprintf("prints a line of %d KB, and ralph reads it", t.longest>>10)}, err
	}
	return Trial{ID: id, Result: NotSeen, Message: fmt.Sprintf("a huge line: not seen; the longest had %d bytes", t.longest),
		Hint: fmt.Sprintf("Nothing is needed: ralph reads lines of any length. To show it here, print one of a megabyte where %s is '%s'.", Variable, id)}, err
}

// signal returns the trial that ends the command with a signal.
func (s *session) signal(id, name string, sig syscall.Signal) func(context.Context) (Trial, error) {
	return func(ctx context.Context) (Trial, error) { return s.signalled(ctx, id, name, sig) }
}

// signalled ends the command while a shell command of it runs.
func (s *session) signalled(ctx context.Context, id, name string, sig syscall.Signal) (Trial, error) {
	t, err := s.make(ctx, s.mode, call{trial: id, about: "ending it with " + name, signal: sig, watch: "sleep",
		prompt: "Use your shell tool to run exactly this command, in the foreground, and wait for it: sleep 600\n"})
	c := Trial{ID: id, Result: Yes}
	switch {
	case !t.signalled:
		return Trial{ID: id, Result: NotSeen, Message: fmt.Sprintf("reaction to %s: not seen; it ended by itself before (%s)", name, t.Exit),
			Hint: fmt.Sprintf("To show it here, keep running where %s is '%s'.", Variable, id)}, err
	case t.timedOut():
		c.Result, c.Message = No, fmt.Sprintf("does not end within %s of %s; ralph kills it then", words.Duration(grace), name)
		c.Hint = "At INT or TERM, end with all started processes. Finished work is kept."
	default:
		c.Message = fmt.Sprintf("ends %s after %s, with %s", words.Duration(t.afterwards), name, t.Exit)
	}
	if t.Strays > 0 {
		c.Message += fmt.Sprintf("; leaves %s running, which ralph ends", strings.Join(t.Names, ", "))
	} else if !t.working {
		c.Message += "; no shell command of it was seen"
	}
	return c, err
}

// children sees what becomes of a background process after a normal end.
func (s *session) children(ctx context.Context) (Trial, error) {
	const id = "children"
	t, err := s.make(ctx, s.mode, call{trial: id, about: "asking it for a background process", watch: "sleep",
		prompt: "Use your shell tool to run exactly this command, which starts something in the background: sleep 600 >/dev/null 2>&1 &\nDo not wait for it. Then reply with the word: done\n"})
	switch {
	case t.timedOut():
		return Trial{ID: id, Result: No, Message: "waits for its background processes, and does not end", Hint: "End when the answer is given; ralph ends what is left."}, err
	case t.Strays > 0:
		return Trial{ID: id, Result: Yes, Message: fmt.Sprintf("leaves background processes running (%s); ralph ends them", strings.Join(t.Names, ", "))}, err
	case t.working:
		return Trial{ID: id, Result: Yes, Message: "ends its background processes itself"}, err
	}
	return Trial{ID: id, Result: NotSeen, Message: "background processes: not seen",
		Hint: fmt.Sprintf("No action needed: ralph ends what is left. To show it here, leave a process running where %s is '%s'.", Variable, id)}, err
}

// limit sees whether ralph would understand that the account's limit is reached.
func (s *session) limit(ctx context.Context) (Trial, error) {
	const id = "limit"
	question, answer := riddle()
	t, err := s.make(ctx, s.mode, call{trial: id, about: "looking for the usage limit", prompt: question})
	failed, said := t.Kind != journal.OutcomeOK, t.said()
	switch {
	case t.Kind == journal.OutcomeUsageLimit:
		message := "reports the usage limit in words that ralph knows: " + said
		if reset := t.ResetsAt; !reset.IsZero() {
			message += fmt.Sprintf(" (resets at %s)", reset.Local().Format("15:04"))
		}
		return Trial{ID: id, Result: Yes, Message: message}, err
	case failed && said != "":
		return Trial{ID: id, Result: No, Message: fmt.Sprintf("failed with %q, which ralph does not recognise as a usage limit (%s)", said, t.Kind),
			Hint: "If these are its words at the usage limit, name them under limit_patterns in the settings."}, err
	case t.has(answer) || !failed:
		return Trial{ID: id, Result: NotSeen, Message: "the usage limit: not seen",
			Hint: fmt.Sprintf("At the limit, fail with a text such as \"usage limit reached, resets at 3pm\", or one that limit_patterns in the settings name. To show it here, do so where %s is '%s'.", Variable, id)}, err
	}
	return Trial{ID: id, Result: No, Message: "failed and said nothing of why: " + t.Exit.String(), Hint: "Print the reason of a failed call on standard error."}, err
}

// promiseTrial calls the command as a run would, by the snippet for the settings.
func (s *session) promiseTrial(ctx context.Context) (Trial, error) {
	question, answer := riddle()
	o, err := s.make(ctx, s.mode, call{trial: "verdict", about: "calling it as a run does", prompt: question})
	if o.Kind != journal.OutcomeOK || !strings.Contains(o.Final, answer) {
		message := strings.TrimSuffix(fmt.Sprintf("ralph's own call of it ends as %q: %s", o.Kind, o.Message), ": ")
		return Trial{ID: "verdict", Result: No, Message: message, Hint: "See the lines above; a run would take this for a failure."}, err
	}
	s.card.OK, s.card.Snippet = true, s.snippet()
	return Trial{ID: "verdict", Result: Yes, Message: fmt.Sprintf("ralph can work with it (%s)", words.Duration(o.Duration))}, err
}
