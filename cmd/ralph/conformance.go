package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"

	"ralph/internal/agent"
	"ralph/internal/conformance"
	"ralph/internal/hint"
	"ralph/internal/proc"
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/words"
)

// conform is "ralph doctor --conformance".
func (c *doctorCmd) conform(a *app, g *proc.Guardian, token string) error {
	argv := append([]string{}, c.Command...)
	if strings.Contains(argv[0], "/") { // it is called in another folder
		abs, err := filepath.Abs(argv[0])
		if err != nil {
			return err
		}
		argv[0] = abs
	}
	if _, err := exec.LookPath(argv[0]); err != nil {
		return hint.With(fmt.Errorf("the command %q cannot be run: %w", argv[0], err), "name the program first, then its arguments: ralph doctor --conformance my-agent --headless")
	}
	in := conformance.Input{Calling: func(about string, limit time.Duration) func() {
		return a.t.ShowActivity(fmt.Sprintf("%s (at most %s)", about, words.Duration(limit)))
	},
		Command: argv, Env: withoutRun(os.Environ()), Guardian: g, Token: token, Limit: time.Duration(c.Timeout)}
	fmt.Fprintf(a.t.Err, "%s calls %s about ten times in an empty repository, once with a prompt of 2 MB; what its model costs is yours to pay\n",
		a.t.Symbol("…"), stream.Sanitize(argv[0]))
	in.Done = func(t conformance.Trial) {
		if !c.JSON {
			screen.ShowTrial(a.t, t)
		}
	}
	card, err := conformance.Run(a.ctx, in)
	if a.ctx.Err() != nil {
		return context.Cause(a.ctx)
	}
	if err != nil {
		return err
	}
	if c.JSON {
		err = terminal.PrintJSON(a.t, card)
	} else {
		screen.ShowCard(a.t, card)
	}
	if err == nil && !card.OK {
		return exitError(1)
	}
	return err
}

// withoutRun is an environment without what belongs to a run around this one.
func withoutRun(env []string) []string {
	ours := []string{
		proc.TokenVar, "RALPH_UNIT", "RALPH_ITERATION", "RALPH_ATTEMPT", "RALPH_REVIEW",
	}
	return agent.Without(env, ours, nil)
}
