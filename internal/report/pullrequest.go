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

// PullRequest is what a reviewer is told of a unit: what was done, what it was
// believed for, and where to look twice.
type PullRequest struct {
	About    string            // what the feature is about, in a sentence
	Unit     string            //
	Plan     string            // prd, tasks, change or prompt
	Runs     []*Run            // all that are known, the oldest first; at least one
	Receipts map[string]string // in words, by the id of the story: of finished ones
}

// Markdown writes the text. What agents and plans say in it is escaped.
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
	fmt.Fprintf(out, "### %s\n\n", last.storyTable(p.items()).Title)
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

func (p PullRequest) items() string {
	if p.Plan == "prd" {
		return "stories"
	}
	return "tasks"
}

// checks is how each quality check ended the last time, in whichever run.
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

// mostLooks bounds each list of things to look at.
const mostLooks = 20

// lookTwice lists what a person should see before they believe the rest.
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
		fmt.Fprint(out, "Nothing was weakened or put back, and all checks passed.\n\n")
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

// unproved names what only the agent's word stands for.
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
		add("no quality check was run: nothing but the agent's word stands for it")
	}
	for i := range last.Stories {
		if s := &last.Stories[i]; checked && p.Plan == "prd" && s.Done && s.Proof == nil && p.Receipts[s.ID] == "" {
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
		add("%s: %s; it was put back", f.Path, f.What)
	}
	for _, text := range it.HeadMoved {
		add("%s", text)
	}
	for _, n := range it.NoWork {
		if n.Accepted {
			add("%s: accepted although nothing outside of the plan was changed", some(n.Stories, 4))
		}
	}
	for _, proof := range it.Proofs {
		if proof.Mode != "clean" || len(proof.Unsealed) > 0 {
			add("%s", proof)
		}
	}
}

// made tells by whom and at which cost, and how to prove it again.
func (p PullRequest) made(out io.Writer) {
	total := *p.Runs[len(p.Runs)-1]
	total.StartedAt = p.Runs[0].StartedAt
	agents, claims := []string{}, 0
	total.Ended, total.Commits, total.CostUSD = 0, 0, nil
	total.Tokens.Input, total.Tokens.Output = 0, 0
	for _, one := range p.Runs {
		if agent := one.Agent(); len(agents) == 0 || agents[len(agents)-1] != agent {
			agents = append(agents, agent)
		}
		total.Ended += one.Ended
		total.Commits += one.Commits
		total.CostUSD = journal.AddCost(total.CostUSD, one.CostUSD)
		total.Tokens.Input += one.Tokens.Input
		total.Tokens.Output += one.Tokens.Output
		total.TokensEstimated = total.TokensEstimated || one.TokensEstimated
		for i := range one.Iterations {
			claims += len(one.Iterations[i].Rejected)
		}
	}
	fmt.Fprintf(out, "### How it was made\n\nBy %s with ralph: %s.", escape(strings.Join(agents, ", then ")), escape(strings.Join(total.Facts(p.Plan), ", ")))
	if claims > 0 {
		often := "Once"
		if claims > 1 {
			often = words.Count(claims, "time")
		}
		fmt.Fprintf(out, " %s the agent said that something was done, and was not believed.", often)
	}
	if p.Plan == "prd" {
		fmt.Fprintf(out, " Prove it again with `ralph verify --unit %s`.", strings.ReplaceAll(stream.ShellWord(p.Unit), "`", ""))
	}
	fmt.Fprintln(out)
}
