// Package conformance tests whether a command can be an agent of ralph. It calls the command as
// a run would, with prompts that have known answers, and ends it as a run would. The card lists
// what the command can do. Every call has a time limit and a guardian, so no process stays
// alive.
//
// A real agent may ignore a prompt. If a trial needs something that the command did not do, the
// card says "not seen". A test command can do these things on demand, without a model: the
// environment variable Variable names the trial.
package conformance

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"ralph/internal/agent"
	"ralph/internal/proc"
	"ralph/internal/stream"
)

// Variable is the environment variable that holds the id of the running trial.
const Variable = "RALPH_CONFORMANCE"

// TrialResult is the result of a trial.
type TrialResult string

// The results of a trial.
const (
	Yes     TrialResult = "yes"      // the command can do it
	No      TrialResult = "no"       // it cannot
	NotSeen TrialResult = "not_seen" // it did not do what the trial is about
)

// Trial is one line of the card: a tested ability and its result.
type Trial struct {
	ID      string      `json:"id"`
	Result  TrialResult `json:"result"`
	Message string      `json:"message"`
	Hint    string      `json:"hint"` // what the command must do, where it did not
	Seconds float64     `json:"seconds"`
}

// Card lists what a command can do.
type Card struct {
	Command []string `json:"command"`
	OK      bool     `json:"ok"`     // ralph can work with it
	Prompt  string   `json:"prompt"` // how it takes its prompt: stdin, arg, file; empty: no answer
	Output  string   `json:"output"` // its output format, as named in the settings
	Tells   []string `json:"tells"`  // the facts in its output besides the answer
	Calls   int      `json:"calls"`  // number of calls made
	Trials  []Trial  `json:"trials"`
	Snippet string   `json:"snippet"` // for the settings; empty if ralph cannot use it
}

// Input describes the command to test and the conditions of the test.
type Input struct {
	Command  []string
	Env      []string
	Guardian *proc.Guardian
	Token    string        // of the guardian
	Limit    time.Duration // time limit for one trial
	Done     func(Trial)   // called after each trial
	// Calling is called before each call with what the call is about, and its result is called
	// when the call is over.
	Calling func(about string, limit time.Duration) (over func())
}

// session is the test of one command.
type session struct {
	Input
	dir      string // a repository to work in, and for nothing else
	card     Card
	mode     agent.PromptMode // empty where no call went well
	format   stream.Format
	answered bool // the question of the first trial
}

// Run runs all trials and returns the card. The error is about the test itself: the command
// cannot start, a folder cannot be made, or ctx has ended.
func Run(ctx context.Context, in Input) (Card, error) {
	dir, err := os.MkdirTemp("", "ralph-conformance-")
	if err != nil {
		return Card{}, fmt.Errorf("a folder for the test cannot be made: %w", err)
	}
	defer os.RemoveAll(dir)
	s := &session{Input: in, dir: filepath.Join(dir, "repository"), card: Card{Command: in.Command, Tells: []string{}, Trials: []Trial{}}}
	if err := s.prepare(ctx); err != nil {
		return s.card, err
	}
	if err := s.answers(ctx); err != nil || s.mode == "" {
		return s.card, err
	}
	trials := []func(context.Context) (Trial, error){
		s.failure, s.hugePrompt, s.hugeLine, s.signal("interrupt", "INT", syscall.SIGINT),
		s.signal("terminate", "TERM", syscall.SIGTERM), s.children, s.limit,
	}
	if s.answered {
		trials = append(trials, s.promiseTrial)
	}
	for _, trial := range trials {
		began := time.Now()
		t, err := trial(ctx)
		if err != nil {
			return s.card, err
		}
		s.note(t, began)
	}
	return s.card, nil
}

// note puts a trial on the card.
func (s *session) note(t Trial, began time.Time) {
	t.Seconds = time.Since(began).Seconds()
	s.card.Trials = append(s.card.Trials, t)
	s.Done(t)
}

// prepare makes the repository that the command works in.
func (s *session) prepare(ctx context.Context) error {
	if err := os.Mkdir(s.dir, 0o700); err != nil {
		return fmt.Errorf("a folder for the test cannot be made: %w", err)
	}
	// Some agents refuse to work outside of a repository.
	p, err := s.Guardian.Start(proc.Command{Argv: []string{"git", "init", "-q"}, Dir: s.dir, Env: s.Env})
	if err != nil {
		return fmt.Errorf("git cannot be started: %w", err)
	}
	select {
	case <-p.Exited():
	case <-ctx.Done():
	case <-time.After(s.Limit):
	}
	_, err = p.End(nil, 0)
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	return err
}
