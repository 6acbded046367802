package main

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/terminal"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// withJSON is what `ralph why --with` prints as JSON. The last iteration that is the same
// is 0 where the run would have been another from the start.
type withJSON struct {
	Unit    string            `json:"unit"`
	Run     string            `json:"run"`
	With    map[string]string `json:"with"`
	Differs bool              `json:"differs"`
	After   int               `json:"after"`
	Was     *stepJSON         `json:"was"`
	Would   *stepJSON         `json:"would"`
}

type stepJSON struct {
	Do      run.Do         `json:"do"`
	Rule    run.Rule       `json:"rule"`
	Reason  journal.Reason `json:"reason"`
	Message string         `json:"message"`
}

// with plays the run again by other settings, and shows the first decision that would have
// been different.
func (c *whyCmd) with(t *terminal.Terminal, acc *unit.Account) error {
	events, _, err := journal.ReadFile(acc.Record.Journal)
	if err != nil {
		return err
	}
	was, err := rulesOf(events, acc.Run.ID)
	if err != nil {
		return err
	}
	would := was
	for key, value := range c.With {
		if err := setRule(&would, key, value); err != nil {
			return err
		}
	}
	d := run.Replay(events, acc.Run.ID, was, would)
	if c.JSON {
		out := withJSON{Unit: acc.Unit, Run: acc.Run.ID, With: c.With, Differs: d != nil}
		if d != nil {
			out.After, out.Was, out.Would = d.After, stepOf(d.Was), stepOf(d.Would)
		}
		return terminal.PrintJSON(t, out)
	}
	var settings []string
	for _, key := range slices.Sorted(maps.Keys(c.With)) {
		settings = append(settings, key+"="+c.With[key])
	}
	t.Printf("%s  %s\n", t.Paint(terminal.Bold, acc.Unit), t.Paint(terminal.Dim, "run "+acc.Run.ID+" with "+strings.Join(settings, ", ")))
	if d == nil {
		t.Printf("%s no decision of the run would have been different\n", t.Paint(terminal.Green, t.Symbol("✓")))
		return nil
	}
	t.Printf("%s the first different decision: %s\n", t.Paint(terminal.Yellow, t.Symbol("●")), after(d.After))
	t.Printf("    %s\n    %s\n", "the run: "+say(d.Was), "would be: "+say(d.Would))
	left := acc.Run.Ended - d.After
	switch {
	case d.Would.Do == run.DoEnd && left > 0:
		t.Printf("    %s\n", t.Paint(terminal.Dim, words.Count(left, "iteration")+" would not have been run"))
	case d.Would.Do != run.DoEnd:
		t.Printf("    %s\n", t.Paint(terminal.Dim, "what would have followed is not in the journal"))
	}
	return nil
}

func after(n int) string {
	if n == 0 {
		return "before the end of the first iteration"
	}
	return fmt.Sprintf("after iteration %d", n)
}

// say puts a step into words.
func say(s run.Step) string {
	switch s.Do {
	case run.DoEnd:
		return fmt.Sprintf("ends with %s (rule %s): %s", s.Reason, s.Rule, s.Message)
	case run.DoWait:
		return fmt.Sprintf("waits for %s (rule %s)", s.Reason, s.Rule)
	case run.DoBegin:
		return fmt.Sprintf("starts iteration %d", s.N)
	case run.DoCall:
		return fmt.Sprintf("calls the agent in iteration %d", s.N)
	}
	return fmt.Sprintf("%s (rule %s)", s.Do, s.Rule)
}

func stepOf(s run.Step) *stepJSON { return &stepJSON{s.Do, s.Rule, s.Reason, s.Message} }

// rulesOf returns the rules of a run. A journal of before they were recorded has the most
// important ones all the same.
func rulesOf(events []journal.Event, id string) (journal.Rules, error) {
	for _, e := range events {
		b, ok := e.Body.(journal.RunStarted)
		switch {
		case !ok || e.Run != id:
		case b.Rules != nil:
			return *b.Rules, nil
		default:
			return journal.Rules{MaxIterations: b.MaxIterations, NoProgress: b.StallThreshold, SameError: b.SameError,
				Duds: run.MaxDuds, OnLimit: run.LimitAsk, MaxWaitHours: 24}, nil
		}
	}
	return journal.Rules{}, hint.With(fmt.Errorf("the start of the run %s is not in its journal", id), "see: ralph history")
}

// setRule changes one setting, named as in the settings' file or by its last part.
func setRule(r *journal.Rules, key, value string) error {
	ints := map[string]*int{"defaults.max_iterations": &r.MaxIterations, "defaults.min_iterations": &r.MinIterations,
		"circuit_breaker.no_progress_threshold": &r.NoProgress, "circuit_breaker.same_error_threshold": &r.SameError}
	floats := map[string]*float64{"usage_limit.max_wait_hours": &r.MaxWaitHours, "budget.max_cost_usd": &r.MaxCostUSD}
	known := slices.Sorted(maps.Keys(ints))
	known = append(known, slices.Sorted(maps.Keys(floats))...)
	known = append(known, "budget.max_tokens", "usage_limit.action")
	for _, name := range known {
		if strings.HasSuffix(name, "."+key) {
			key = name
		}
	}
	bad := func(want string) error { return fmt.Errorf("--with %s=%s: the value must be %s", key, value, want) }
	switch {
	case ints[key] != nil:
		n, err := strconv.Atoi(value)
		if err != nil || n < 0 {
			return bad("a number from 0 up")
		}
		*ints[key] = n
	case floats[key] != nil:
		n, err := strconv.ParseFloat(value, 64)
		if err != nil || n < 0 {
			return bad("a number from 0 up")
		}
		*floats[key] = n
	case key == "budget.max_tokens":
		n, err := strconv.ParseInt(value, 10, 64)
		if err != nil || n < 0 {
			return bad("a number from 0 up")
		}
		r.MaxTokens = n
	case key == "usage_limit.action":
		if !slices.Contains([]string{run.LimitAsk, run.LimitWait, run.LimitExit}, value) {
			return bad("ask, wait or exit")
		}
		r.OnLimit = value
	default:
		return hint.With(fmt.Errorf("--with %s: a finished run cannot be judged again by this setting", key), "known are: "+strings.Join(known, ", "))
	}
	return nil
}
