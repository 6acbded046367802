package conformance

import (
	"context"
	"crypto/rand"
	"fmt"
	"strings"
	"time"

	"ralph/internal/agent"
	"ralph/internal/proc"
	"ralph/internal/stream"
	"ralph/internal/words"
)

// riddle returns a question that does not contain its answer: an echo of the prompt
// is not one.
func riddle() (question, answer string) {
	a, b := strings.ToLower(rand.Text()[:6]), strings.ToLower(rand.Text()[:6])
	return fmt.Sprintf("Join the words %s and %s with a hyphen between them, without spaces. Use no tools. Reply with the result only.\n", a, b), a + "-" + b
}

const noAnswer = `The command must read a prompt (on standard input to its end, as its last argument, or from the file that its last argument names), print the answer, and exit with 0.`

// answers finds out how the command takes its prompt and what it prints. A command that ends well
// without the answer is tried further: a fake agent has no model to ask.
func (s *session) answers(ctx context.Context) error {
	began := time.Now()
	var failures []string
	modes := []agent.PromptMode{agent.PromptStdin, agent.PromptArg, agent.PromptFile}
	for _, mode := range modes {
		question, answer := riddle()
		// A command that hangs does so in each way: together they get the time of one trial.
		t, err := s.make(ctx, mode, call{trial: "prompt", about: "asking it a question " + modeWords(mode), prompt: question, limit: s.Limit / time.Duration(len(modes))})
		if err != nil {
			return err
		}
		if !t.has(answer) {
			failures = append(failures, fmt.Sprintf("%s: %s", mode, t.failing()))
			if s.mode == "" && t.exited() && t.text != "" {
				s.mode, s.format = mode, stream.FormatText
			}
			continue
		}
		s.answered, s.mode, s.format = true, mode, t.recognise(answer)
		s.card.Prompt, s.card.Output = string(mode), string(s.format)
		s.note(Trial{ID: "prompt", Result: Yes, Message: fmt.Sprintf("answers a prompt %s (first output after %s, longest silence %s)", modeWords(mode), words.Duration(t.first), words.Duration(t.silence))}, began)
		s.note(s.output(t), began)
		s.note(exitCode(t), began)
		return nil
	}
	s.note(Trial{ID: "prompt", Result: No, Message: "did not answer: " + strings.Join(failures, "; "), Hint: noAnswer}, began)
	return nil
}

func modeWords(m agent.PromptMode) string {
	switch m {
	case agent.PromptArg:
		return "as its last argument"
	case agent.PromptFile:
		return "in a file that its last argument names"
	}
	return "on standard input"
}

// output describes the format of the output and the facts in it.
func (s *session) output(t reply) Trial {
	if s.format == stream.FormatText {
		message, hint := "prints plain text: only the exit status shows whether it went well", ""
		if t.isJSON() {
			message = "prints JSON of a form that ralph does not know: it is read as plain text"
		}
		hint = "To report tokens, tools and failures, print JSON lines as claude, codex, opencode, gemini or copilot do; an event that ends the session must be among them."
		return Trial{ID: "output", Result: Yes, Message: message, Hint: hint}
	}
	sum := t.read[s.format]
	for _, fact := range []struct {
		name  string
		known bool
	}{
		{"session", sum.Session != ""}, {"model", sum.Model != ""}, {"tokens", sum.Tokens != stream.Tokens{} && !sum.Estimated},
		{"cost", sum.HasCost}, {"limits", len(sum.Limits) > 0},
	} {
		if fact.known {
			s.card.Tells = append(s.card.Tells, fact.name)
		}
	}
	message := fmt.Sprintf("prints the events of %s; they report the final message", s.format)
	for _, name := range s.card.Tells {
		message += ", " + name
	}
	if sum.Broken > 0 {
		return Trial{ID: "output", Result: Yes, Message: message + fmt.Sprintf("; %d lines were no events", sum.Broken), Hint: "Print nothing but events on standard output."}
	}
	return Trial{ID: "output", Result: Yes, Message: message}
}

// exitCode judges the exit of a call that went well.
func exitCode(t reply) Trial {
	c := Trial{ID: "exit_success", Result: Yes, Message: "exits with 0 after an answer"}
	switch {
	case t.timedOut():
		c.Result, c.Message, c.Hint = No, "answers, and does not exit", "Exit after the answer; ralph ends what stays."
	case t.Exit != (proc.Exit{}):
		c.Result, c.Message, c.Hint = No, fmt.Sprintf("answers, and ends with %s", t.Exit), "Exit with 0 where all went well: with plain text nothing else shows success."
	}
	if t.Strays > 0 {
		c.Message += fmt.Sprintf("; leaves %d processes (%s), which ralph ends", t.Strays, strings.Join(t.Names, ", "))
	}
	return c
}
