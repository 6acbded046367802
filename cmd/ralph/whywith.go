package main

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"ralph/internal/account"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/terminal"
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
func (c *whyCmd) with(t *terminal.Terminal, acc *account.Account) error {
	events, _, err := journal.ReadFile(acc.Record.Journal)
	if err != nil {
		return err
	}
	was, ok := run.RulesOf(events, acc.Run.ID)
	if !ok {
		return hint.With(fmt.Errorf("the start of the run %s is not in its journal", acc.Run.ID), "see: ralph history")
	}
	would, err := c.rules(was)
	if err != nil {
		return err
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
		t.Printf("%s no decision of the run would have been different\n", t.Mark("✓"))
		return nil
	}
	t.Printf("%s the first different decision: %s\n", t.Mark("●"), after(d.After))
	t.Printf("    %s\n    %s\n", "the run: "+say(d.Was), "would be: "+say(d.Would))
	left := acc.Run.Ended - d.After
	switch {
	case d.Would.Do == run.DoEnd && left > 0:
		t.Printf("    %s\n", t.Paint(terminal.Dim, words.Count(left, "iteration")+" would not have been run"))
	case d.Would.Do == run.DoPark:
		t.Printf("    %s\n", t.Paint(terminal.Dim, "if only the agent had changed the worktree; what would have followed is not in the journal"))
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
	case run.DoPark:
		return fmt.Sprintf("parks %s (rule %s): %s", s.Story, s.Rule, s.Message)
	case run.DoBegin:
		return fmt.Sprintf("starts iteration %d", s.N)
	case run.DoCall:
		return fmt.Sprintf("calls the agent in iteration %d", s.N)
	}
	return fmt.Sprintf("%s (rule %s)", s.Do, s.Rule)
}

func stepOf(s run.Step) *stepJSON { return &stepJSON{s.Do, s.Rule, s.Reason, s.Message} }

// rules are the run's own, with the settings of the command line.
func (c *whyCmd) rules(was journal.RunRules) (journal.RunRules, error) {
	would := run.Changeable{RunRules: was}
	for name, value := range c.With {
		key := run.FindKey(run.ReplayKeys(), name)
		if key == "" {
			return was, hint.With(fmt.Errorf("--with %s: a finished run cannot be judged again by this setting", name),
				"known are: "+strings.Join(run.ReplayKeys(), ", "))
		}
		var wrong *run.ValueError
		if err := would.Set([]journal.Setting{{Key: key, Value: value}}); errors.As(err, &wrong) {
			return was, fmt.Errorf("--with %s=%s: the value must be %s", key, value, wrong.Want)
		} else if err != nil {
			return was, err
		}
	}
	return would.RunRules, nil
}
