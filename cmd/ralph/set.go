package main

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"

	"ralph/internal/agent"
	"ralph/internal/config"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/launch"
	"ralph/internal/run"
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/unit"
)

// setCmd is "ralph set".
type setCmd struct {
	Settings []string `arg:"" name:"key=value" help:"A setting and its new value, such as max_iterations=40 or model=opus. All are changed, or none."`
	Unit     string   `predictor:"unit" help:"The unit (default: the loop of this worktree, else this branch)." placeholder:"UNIT"`
	changeFlag
}

// Run carries the command out.
func (c *setCmd) Run(a *app) error {
	p, err := unitArg{Unit: c.Unit, Change: c.Change}.target(a)
	if err == nil && p != nil {
		err = onlyTheUser(p, "the agent that works on the plan cannot change the run", "ralph set "+strings.Join(c.Settings, " "))
	}
	switch {
	case err != nil:
		return err
	case p == nil || !unit.Running(p):
		name := c.Unit
		if p != nil {
			name = p.Unit
		}
		return hint.With(fmt.Errorf("no loop is running on %s: there is nothing to change", stream.OneLine(name)),
			"give the settings to the next run: ralph run --help")
	}
	values, err := c.values(a, p)
	if err != nil {
		return err
	}
	if err := p.Post(journal.Request{Kind: journal.RequestSet, Text: spelled(values), Set: values, Who: userName()}); err != nil {
		return err
	}
	a.t.Printf("%s: %s, from its next step on\n", stream.OneLine(p.Unit), stream.OneLine(spelled(values)))
	return nil
}

// spelled is the settings as the user writes them.
func spelled(values []journal.Setting) string {
	list := make([]string, 0, len(values))
	for _, v := range values {
		list = append(list, v.Key+"="+v.Value)
	}
	return strings.Join(list, " ")
}

// values reads and checks all settings, and finds everything that is wrong with them.
func (c *setCmd) values(a *app, p *unit.Place) ([]journal.Setting, error) {
	var overrides []config.Override
	var errs []error
	for _, text := range c.Settings {
		name, value, ok := strings.Cut(text, "=")
		key := run.FindKey(run.ChangeableKeys(), name)
		switch {
		case !ok:
			errs = append(errs, fmt.Errorf("%q has no value: write KEY=VALUE", text))
		case key == "":
			errs = append(errs, fmt.Errorf("%s cannot be changed while a loop is running", name))
		case slices.ContainsFunc(overrides, func(o config.Override) bool { return o.Key == key }):
			errs = append(errs, fmt.Errorf("%s is given twice", key))
		default:
			overrides = append(overrides, config.Override{Key: key, Flag: text, Value: value})
		}
	}
	if len(errs) > 0 {
		return nil, hint.With(errors.Join(errs...), "these can be changed: "+strings.Join(run.ChangeableKeys(), ", "))
	}
	loaded, err := config.Load(settingsInput(a, p.Repo.Root, overrides))
	if err != nil {
		return nil, err
	}
	entries := loaded.Entries()
	values := make([]journal.Setting, 0, len(overrides))
	for _, o := range overrides {
		i := slices.IndexFunc(entries, func(e config.Entry) bool { return e.Key == o.Key })
		values = append(values, journal.Setting{Key: o.Key, Value: plainValue(entries[i].Value)})
	}
	return values, measurable(a, p, loaded, values)
}

// plainValue is a number without an exponent, or a text.
func plainValue(v any) string {
	if f := reflect.ValueOf(v); f.CanFloat() {
		return strings.TrimRight(strings.TrimRight(fmt.Sprintf("%.6f", f.Float()), "0"), ".")
	}
	return fmt.Sprint(v)
}

// measurable refuses a budget that the run's agent cannot be measured by.
func measurable(a *app, p *unit.Place, loaded *config.Loaded, values []journal.Setting) error {
	st, err := p.State(screen.Notes(a.t))
	if err != nil || st.Last() == nil {
		return err
	}
	s := &loaded.Settings
	all, err := launch.Harnesses(s)
	if err != nil {
		return err
	}
	h, ok := agent.Find(all, st.Last().Start.Harness)
	if !ok {
		return nil
	}
	budget := config.Budget{}
	for _, v := range values {
		switch v.Key {
		case "budget.max_tokens":
			budget.MaxTokens = s.Budget.MaxTokens
		case "budget.max_cost_usd":
			budget.MaxCostUSD = s.Budget.MaxCostUSD
		case "budget.max_account":
			budget.MaxAccount = s.Budget.MaxAccount
		}
	}
	if fault, remedy := launch.UnmeasuredBudget(h, loaded, budget); fault != "" {
		return hint.With(errors.New(fault), remedy)
	}
	return nil
}
