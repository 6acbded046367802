package main

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/feature"
)

//go:embed report.html
var reportPage string

// reportCmd is "ralph-fleet report".
type reportCmd struct {
	HTML  string        `help:"Write a page in one file, to be opened or sent; - is standard output." placeholder:"FILE" xor:"form"`
	JSON  bool          `help:"Print everything as JSON." xor:"form"`
	Since time.Duration `help:"Only features that ran in this time (default: all that the server keeps)." placeholder:"D"`
}

// summary is what all features came to.
type summary struct {
	At       time.Time      `json:"at"`
	States   map[string]int `json:"states"`
	Stories  int            `json:"storiesComplete"`
	Total    int            `json:"storiesTotal"`
	Spent    feature.Spent  `json:"spent"`
	Lost     int            `json:"hostsLost"`
	Features []engine.View  `json:"features"`
	// Accounts have every call that was granted, also those that died with a host before
	// a journal that has them was pushed, and those of features that are not here.
	Accounts []engine.AccountView `json:"accounts"`
}

// Run carries the command out.
func (c *reportCmd) Run(a *app) error {
	e, closeEngine, err := a.connect()
	if err != nil {
		return err
	}
	defer closeEngine()
	views, err := e.List(a.ctx, false)
	if err != nil {
		return err
	}
	accounts, err := e.Accounts(a.ctx)
	if err != nil {
		return err
	}
	r := reckon(views, time.Now(), c.Since)
	r.Accounts = append(r.Accounts, accounts...)
	switch {
	case c.JSON:
		return a.printJSON(r)
	case c.HTML == "-":
		return r.html(a.out)
	case c.HTML != "":
		var page strings.Builder
		if err := r.html(&page); err != nil {
			return err
		}
		if err := renameio.WriteFile(c.HTML, []byte(page.String()), 0o600); err != nil {
			return fmt.Errorf("the report cannot be written: %w", err)
		}
		a.printf("%s\n", c.HTML)
		return nil
	}
	a.printf("%s\n", r.Headline())
	for _, line := range r.AccountLines() {
		a.printf("%s\n", line)
	}
	a.printf("\n")
	return table(a.out, rows(r.Features, r.At))
}

// reckon sums up.
func reckon(views []engine.View, now time.Time, since time.Duration) summary {
	r := summary{At: now, States: map[string]int{}, Features: []engine.View{}, Accounts: []engine.AccountView{}}
	for _, v := range views {
		if since > 0 && !v.Ended.IsZero() && now.Sub(v.Ended) > since {
			continue
		}
		p := v.Progress()
		r.Features = append(r.Features, v)
		r.States[v.State]++
		r.Stories += p.Stories
		r.Total += p.StoriesTotal
		r.Lost += v.Standing.Lost
		r.Spent.Calls += p.Spent.Calls
		r.Spent.Commits += p.Spent.Commits
		r.Spent.Iterations += p.Spent.Iterations
		r.Spent.CostUSD += p.Spent.CostUSD
		r.Spent.Tokens = r.Spent.Tokens.Plus(p.Spent.Tokens)
	}
	return r
}

// Headline says it in a line.
func (r summary) Headline() string {
	line := fmt.Sprintf("%d of %d features are done, %d of %d stories; %d iterations, %d commits, %d calls on record, $%.2f",
		r.States["done"], len(r.Features), r.Stories, r.Total, r.Spent.Iterations, r.Spent.Commits, r.Spent.Calls, r.Spent.CostUSD)
	if r.Lost > 0 {
		line += "; " + silent(r.Lost) + ", and calls that died there are in the account only"
	}
	return line
}

// AccountLines say what each account has counted.
func (r summary) AccountLines() []string {
	var lines []string
	for _, v := range r.Accounts {
		lines = append(lines, accountLine(v, r.At))
	}
	return lines
}

// html writes the page.
func (r summary) html(w io.Writer) error {
	t, err := template.New("report").Funcs(template.FuncMap{
		"note":  func(v engine.View) string { return note(v, r.At) },
		"name":  func(v engine.View) string { return strings.TrimPrefix(v.ID, "ralph/") },
		"mark":  mark,
		"took":  took,
		"money": func(usd float64) string { return fmt.Sprintf("$%.2f", usd) },
		"time":  func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") },
		"parts": func(a, b int) string { return stories(a, b) },
	}).Parse(reportPage)
	if err != nil {
		return err
	}
	return t.Execute(w, r)
}

// mark is a state's class on the page.
func mark(state string) string {
	switch state {
	case "done":
		return "good"
	case "failed", "broken":
		return "bad"
	}
	return "none"
}

func took(v engine.View) string {
	end := v.Ended
	if end.IsZero() {
		end = time.Now()
	}
	return end.Sub(v.Started).Round(time.Second).String()
}
