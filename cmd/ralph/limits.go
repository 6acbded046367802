package main

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ralph/internal/agent"
	"ralph/internal/hint"
	"ralph/internal/limits"
	"ralph/internal/ratelimit"
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/words"
)

// limitsCmd is "ralph limits".
type limitsCmd struct {
	Clear string `predictor:"harness" help:"Forget the provider's limit of this agent, because it is over." placeholder:"HARNESS"`
	JSON  bool   `help:"Print JSON."`
}

// Run carries the command out.
func (c *limitsCmd) Run(a *app) error {
	s, err := anywhere(a)
	if err != nil {
		return err
	}
	for _, w := range s.loaded.Warnings {
		a.t.Warn("%s", w)
	}
	if c.Clear != "" {
		if err := c.clear(a, s); err != nil || !c.JSON {
			return err
		}
	}
	first := append([]string{s.settings.Harness}, s.settings.Fallback...)
	list, err := limits.Known(a.home, first, s.settings.Defaults.RateLimitPerHour, time.Now(), screen.Notes(a.t))
	if err != nil {
		return err
	}
	if c.JSON {
		return terminal.PrintJSON(a.t, list)
	}
	for _, l := range list {
		screen.ShowLimits(a.t, l, time.Now())
	}
	return nil
}

// clear forgets the provider's limit of a harness, and names the loops that wait for one.
func (c *limitsCmd) clear(a *app, s *surroundings) error {
	names, err := ratelimit.Harnesses(ratelimit.Dir(a.home))
	if err != nil {
		return err
	}
	if _, known := agent.Find(s.known, c.Clear); !known && !slices.Contains(names, c.Clear) {
		for _, h := range s.known {
			names = append(names, h.Name)
		}
		slices.Sort(names)
		return hint.With(fmt.Errorf("there is no harness %q", c.Clear), "known are: "+strings.Join(slices.Compact(names), ", "))
	}
	say := a.t.Printf
	if c.JSON { // standard output is for the list
		say = func(format string, args ...any) { fmt.Fprintf(a.t.Err, format, args...) }
	}
	ledger := ratelimit.OpenUser(a.home, c.Clear, 0)
	until, _, err := ledger.LimitedUntil(time.Now())
	if err != nil {
		return err
	}
	if until.IsZero() {
		say("no limit of %s is known: nothing to forget\n", c.Clear)
	} else if err := ledger.SetLimited(a.ctx, time.Time{}, ""); err != nil {
		return err
	} else {
		say("the limit of %s until %s is forgotten: it may be called again\n", c.Clear, words.Local(until))
	}
	waiting, err := limits.AllWaiting(a.home)
	for _, w := range waiting[c.Clear] {
		who, when := stream.OneLine(w.Unit)+" in "+stream.OneLine(w.Worktree), ""
		if !w.Until.IsZero() {
			when = " until " + words.Local(w.Until.Time)
		}
		switch {
		case w.CallsLimit > 0: // the loop's own limit is not the provider's
		case until.IsZero():
			say("the loop of %s waits%s for a limit that only it knows: end it there with 'ralph stop'; then 'ralph run' calls the agent again\n", who, when)
		default: // it reads the ledger again while it waits
			say("the loop of %s was waiting for it, and continues\n", who)
		}
	}
	return err
}
