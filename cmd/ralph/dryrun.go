package main

import (
	"errors"
	"fmt"
	"os"
	"strings"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/loop"
	"ralph/internal/prompt"
	"ralph/internal/run"
	"ralph/internal/stream"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// dryRun shows what a run would do. It calls nothing and writes nothing.
func (r *resolved) dryRun() error {
	t := r.app.t
	state, err := r.Plan.Read()
	if err != nil {
		return err
	}
	row := func(name, format string, args ...any) {
		t.Printf("%-12s %s\n", name, stream.OneLine(fmt.Sprintf(format, args...)))
	}
	row("Dry run:", "nothing is called, nothing is written")
	done, total := state.Counts()
	row("Unit:", "%s", unit.Name(r.Place))
	if total > 0 {
		row("Plan:", "%s, %d of %d done", r.Plan.About().Kind, done, total)
	} else { // a text has nothing to count
		row("Plan:", "%s", r.Plan.About().Kind)
	}
	unitState, err := r.recorded()
	if err != nil {
		return err
	}
	at := unitState.Position()
	next := state.Next(&at)
	switch {
	case next != nil:
		row("Next:", "%s", journal.Story{ID: next.ID, Title: next.Title}.Name())
	case len(state.Todo()) > 0:
		row("Next:", "nothing: every open story is parked, or depends on one that is")
	}
	for _, b := range at.Parked {
		row("Parked:", "%s: %s; take it up again: ralph unpark %s", b.Story, b.Message, stream.ShellWord(b.Story))
	}
	s := r.loopSettings()
	row("Limits:", "%s of %s, %d calls an hour, breaker at %d without progress or %d equal errors",
		words.Count(s.MaxIterations, "iteration"), words.Duration(s.Limits.Timeout), s.RateLimit, s.NoProgress, s.SameError)
	if also := furtherLimits(s); also != "" {
		row("Also:", "%s", also)
	}
	for _, c := range s.Checks {
		row("Check:", "%s (%s, %s): %s", c.Name, c.When, words.Duration(c.Timeout), c.Command)
	}
	at.Open = &run.OpenIteration{}
	if next != nil {
		at.Open = &run.OpenIteration{Model: next.Model, Failures: unitState.Failures[next.ID]}
	}
	r.Agent().Options.Model = at.Model(journal.RunRules{Model: r.Agent().Options.Model, Escalate: s.Escalate})
	row("Call:", "%s", quoted(r.Agent().Harness.Argv(r.Agent().Options)))
	if len(s.Escalate) > 0 {
		row("Escalate:", "%s", strings.Join(s.Escalate, ", "))
	}
	for _, c := range r.Agents[1:] {
		row("Fallback:", "%s", quoted(c.Harness.Argv(c.Options)))
	}
	if c := r.Reviewer; c != nil {
		row("Review:", "%s (%s)", quoted(c.Harness.Argv(c.Options)), r.Settings().Review.Mode)
	}
	how := map[agent.PromptMode]string{agent.PromptStdin: "on standard input", agent.PromptArg: "as the last argument", agent.PromptFile: "as a file"}
	row("Prompt:", "%s, %s:", r.Source, how[r.Agent().Harness.Prompt])
	t.Printf("\n%s\n", stream.Sanitize(prompt.Join(r.Plan.Context(state, next), "", r.Template, r.Place.Repo.Root, r.Agent().Harness.ExpandsRefs)))
	return nil
}

// recorded is what the journal of the unit says; a unit that has never run has none.
func (r *resolved) recorded() (*run.State, error) {
	events, _, err := journal.ReadFile(r.Place.JournalPath())
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		return nil, err
	}
	return run.Fold(events), nil
}

// furtherLimits lists the limits that are off, or have no effect, unless they are set.
func furtherLimits(s loop.Settings) string {
	var list []string
	add := func(set bool, format string, args ...any) {
		if set {
			list = append(list, fmt.Sprintf(format, args...))
		}
	}
	add(s.MinIterations > 1, "no promise accepted before %s", words.Count(s.MinIterations, "iteration"))
	add(s.Limits.Idle > 0, "an idle agent ended after %s", words.Duration(s.Limits.Idle))
	add(s.MaxTokens > 0, "at most %s", words.Count(int(s.MaxTokens), "token"))
	add(s.MaxCost > 0, "at most $%.2f", s.MaxCost)
	add(s.MaxTime > 0, "at most %s in all", words.Duration(s.MaxTime))
	add(!s.EndsAt.IsZero(), "no iteration after %s", words.Local(s.EndsAt))
	add(s.MaxAccount > 0, "at most %g%% of the account's limit", s.MaxAccount)
	add(s.OnStuck == run.StuckPark, "a stuck story is parked")
	add(s.OnLimit != "ask", "at the usage limit: %s", s.OnLimit)
	return strings.Join(list, ", ")
}

// quoted formats an argv as the user could type it. ralph itself never parses it.
func quoted(argv []string) string {
	parts := make([]string, len(argv))
	for i, w := range argv {
		parts[i] = stream.ShellWord(w)
	}
	return strings.Join(parts, " ")
}
