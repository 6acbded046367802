package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"ralph/internal/journal"
	"ralph/internal/stream"
	"ralph/internal/words"
)

// PullRequest describes a unit to a reviewer: the work, its evidence, and what to review
// closely.
type PullRequest struct {
	About    string // what the feature is about, in a sentence
	Unit     string //
	Plan     journal.PlanKind
	Runs     []*Run            // all known runs, the oldest first; at least one
	Receipts map[string]string // in words, of finished stories, by id
}

// Markdown writes the text of the pull request. It escapes texts of agents and plans.
func (p PullRequest) Markdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	last := p.Runs[len(p.Runs)-1]
	if p.About != "" {
		fmt.Fprintf(out, "%s\n\n", escape(p.About))
	}
	if !last.Done() {
		fmt.Fprintf(out, "> **%s**\n\n", escape(last.Outcome()))
	}
	p.stories(out, last)
	p.checks(out)
	p.lookTwice(out)
	p.made(out)
	return out.Flush()
}

func (p PullRequest) stories(out io.Writer, last *Run) {
	if len(last.Stories) == 0 {
		return
	}
	fmt.Fprintf(out, "### %s\n\n", last.storyTable(p.Plan.Items()).Title)
	for i := range last.Stories {
		s := &last.Stories[i]
		box, why := " ", "open"
		if s.Done {
			box, why = "x", p.Receipts[s.ID]
			if why == "" {
				why = s.Brief()
			}
		}
		fmt.Fprintf(out, "- [%s] %s: %s\n", box, escape(s.Name()), escape(why))
	}
	fmt.Fprintln(out)
}

// checks writes the last result of each quality check in all runs.
func (p PullRequest) checks(out io.Writer) {
	var names []string
	rows := map[string]TableRow{}
	for _, run := range p.Runs {
		for _, row := range run.checkTable().Rows {
			name := row.Cells[0]
			if _, known := rows[name]; !known {
				names = append(names, name)
			}
			rows[name] = row
		}
	}
	if len(names) == 0 {
		return
	}
	fmt.Fprint(out, "### Checks, run by ralph\n\n| | check | the last result |\n| --- | --- | --- |\n")
	for _, name := range names {
		cells := rows[name].Cells
		fmt.Fprintf(out, "| %s | %s | %s |\n", sign(rows[name].Mark), escape(name), escape(cells[len(cells)-1]))
	}
	fmt.Fprintln(out)
}

// mostLooks bounds the list of things to review.
const mostLooks = 20

// lookTwice lists what a reviewer should see before they trust the rest.
func (p PullRequest) lookTwice(out io.Writer) {
	var looks []string
	seen := map[string]bool{}
	add := func(format string, args ...any) {
		if text := fmt.Sprintf(format, args...); !seen[text] {
			seen[text] = true
			looks = append(looks, text)
		}
	}
	for _, run := range p.Runs {
		for i := range run.Iterations {
			run.Iterations[i].looks(add)
		}
		run.Before.looks(add)
	}
	p.unproved(add)
	fmt.Fprint(out, "### Look twice\n\n")
	if len(looks) == 0 {
		fmt.Fprint(out, "Nothing was weakened or restored, and all checks passed.\n\n")
		return
	}
	for _, text := range looks[:min(len(looks), mostLooks)] {
		fmt.Fprintf(out, "- %s\n", escape(text))
	}
	if more := len(looks) - mostLooks; more > 0 {
		fmt.Fprintf(out, "- and %d more: see ralph report\n", more)
	}
	fmt.Fprintln(out)
}

// unproved adds the results without a check.
func (p PullRequest) unproved(add func(format string, args ...any)) {
	last, checked := p.Runs[len(p.Runs)-1], false
	for _, run := range p.Runs {
		for _, row := range run.checkTable().Rows {
			checked = true
			if run == last && row.Mark == Bad {
				add("the check %s %s", row.Cells[0], row.Cells[len(row.Cells)-1])
			}
		}
	}
	if !checked {
		add("no quality check was run: only the agent says that this works")
	}
	for i := range last.Stories {
		if s := &last.Stories[i]; checked && p.Plan.Receipts() && s.Done && s.Proof == nil && p.Receipts[s.ID] == "" {
			add("%s has no receipt", s.Name())
		}
	}
}

func (it *Iteration) looks(add func(format string, args ...any)) {
	if it.Tamper != nil {
		for _, f := range it.Tamper.Findings {
			add("tests or checks were weakened: %s", f)
		}
		if it.Tamper.More > 0 {
			add("tests or checks were weakened in %d more places in iteration %d", it.Tamper.More, it.N)
		}
	}
	for _, f := range it.Restored {
		add("%s: %s; it was restored", f.Path, f.What)
	}
	for _, text := range it.HeadMoved {
		add("%s", text)
	}
	for _, n := range it.NoWork {
		if n.Accepted {
			add("%s: accepted although nothing outside the plan was changed", some(n.Stories, 4))
		}
	}
	for _, proof := range it.Proofs {
		if proof.Mode != "clean" || len(proof.Unsealed) > 0 {
			add("%s", proof)
		}
	}
}

// made writes who did the work, its cost, and how to check it again.
func (p PullRequest) made(out io.Writer) {
	total := p.Runs[len(p.Runs)-1].Summary
	total.StartedAt = p.Runs[0].StartedAt
	total.Ended, total.Commits, total.CostUSD, total.Tokens = 0, 0, nil, stream.Tokens{}
	agents, claims := []string{}, 0
	for _, one := range p.Runs {
		if agent := one.Agent(); len(agents) == 0 || agents[len(agents)-1] != agent {
			agents = append(agents, agent)
		}
		total.Ended += one.Ended
		total.Commits += one.Commits
		total.CostUSD = journal.AddCost(total.CostUSD, one.CostUSD)
		total.Tokens = total.Tokens.Add(one.Tokens)
		total.TokensEstimated = total.TokensEstimated || one.TokensEstimated
		for i := range one.Iterations {
			claims += len(one.Iterations[i].Rejected)
		}
	}
	fmt.Fprintf(out, "### How it was made\n\nBy %s with ralph: %s.", escape(strings.Join(agents, ", then ")), escape(strings.Join(total.Figures(p.Plan), ", ")))
	if claims > 0 {
		fmt.Fprintf(out, " ralph rejected %s of the agent.", words.Count(claims, "claim"))
	}
	if p.Plan.Feature() {
		fmt.Fprintf(out, " Check it again with `ralph verify --unit %s`.", strings.ReplaceAll(stream.ShellWord(p.Unit), "`", ""))
	}
	fmt.Fprintln(out)
}
