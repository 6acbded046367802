package main

import (
	"fmt"
	"strings"
	"time"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/events"
	"ralph/fleet/internal/feature"
)

// listCmd is "ralph-fleet list".
type listCmd struct {
	Active bool `help:"Leave out what is finished."`
	JSON   bool `help:"Print all that is known as JSON."`
}

// Run carries the command out.
func (c *listCmd) Run(a *app) error {
	e, closeEngine, err := a.connect()
	if err != nil {
		return err
	}
	defer closeEngine()
	views, err := e.List(a.ctx, c.Active)
	if err != nil {
		return err
	}
	accounts, err := e.Accounts(a.ctx)
	if err != nil {
		return err
	}
	if c.JSON {
		return a.printJSON(map[string]any{"features": append([]engine.View{}, views...), "accounts": append([]engine.AccountView{}, accounts...)})
	}
	if len(views) == 0 {
		a.printf("no features; submit some with 'ralph-fleet submit REPO BRANCH...'\n")
	} else if err := table(a.out, rows(views, time.Now())); err != nil {
		return err
	}
	for _, v := range accounts {
		a.printf("%s\n", accountLine(v, time.Now()))
	}
	return nil
}

// rows is the table of features.
func rows(views []engine.View, now time.Time) [][]string {
	table := [][]string{{"FEATURE", "STATE", "STORIES", "ITERATION", "TURN", "HOST", "NOTE"}}
	for _, v := range views {
		p := v.Progress()
		iteration := ""
		if p.Iteration > 0 {
			iteration = fmt.Sprintf("%d/%d", p.Iteration, p.MaxIterations)
		}
		table = append(table, []string{
			strings.TrimPrefix(v.ID, "ralph/"), v.State, stories(p.Stories, p.StoriesTotal), iteration,
			fmt.Sprint(v.Standing.Turn), p.Host, cut(note(v, now), 160),
		})
	}
	return table
}

func accountLine(v engine.AccountView, now time.Time) string {
	name := strings.TrimPrefix(v.ID, "ralph-account/")
	if v.Unknown {
		return fmt.Sprintf("account %s: not known now, because no worker answers; start one with 'ralph-fleet worker'", name)
	}
	line := fmt.Sprintf("account %s: %d calls in this hour, %d in all", name, v.Hours[feature.Hour(now)], v.Total)
	if v.Limited.After(now) {
		line += fmt.Sprintf("; limited until %s (%s, met by %s)", clock(v.Limited, now), events.OneLine(v.Note), v.By)
	}
	return line
}
