package report

import (
	"fmt"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/words"
)

// A page lists at most so many iterations one by one, the last ones; those
// before are put together into at most as many blocks.
const (
	mostSingles = 120
	mostBlocks  = 60
)

// row is a line of the list of iterations: one of them, or a block.
type row struct {
	Label     string
	Mark      Mark
	Brief     string
	Story     string
	Started   string
	Took      string
	Spent     run.Spent
	Bar       bar
	Tokens    string
	Cost      string
	Claimed   string
	Accepted  string
	Decisions []Decision
	Log       string
}

// bar is where the time of an iteration went, each as its part of the longest
// bar in percent. Of a block it is the mean of its iterations.
type bar struct{ run.Spent }

// CheckAt and WaitAt are where the later parts begin.
func (b bar) CheckAt() float64 { return b.Agent }

// WaitAt is where the waiting begins.
func (b bar) WaitAt() float64 { return b.Agent + b.Check }

// rows lists the iterations, and says where it does so in blocks.
func (r *Run) rows(o PageOptions) ([]row, string) {
	single := max(0, len(r.Iterations)-mostSingles) // the first that is listed by itself
	var rows []row
	var means []run.Spent
	note := ""
	if single > 0 {
		size := roundUp((single + mostBlocks - 1) / mostBlocks)
		for from := 0; from < single; from += size {
			block := r.Iterations[from:min(from+size, single)]
			row, mean := blockRow(block)
			rows, means = append(rows, row), append(means, mean)
		}
		note = fmt.Sprintf("The first %d of %d iterations are shown in blocks of up to %d; their bars are averages. The evidence of each: ralph why N --run %s",
			single, len(r.Iterations), size, r.ID)
	}
	for i := single; i < len(r.Iterations); i++ {
		it := &r.Iterations[i]
		rows, means = append(rows, r.row(it, o)), append(means, it.Spent)
	}
	longest := 0.0
	for _, t := range means {
		longest = max(longest, t.Sum())
	}
	for i, t := range means {
		if longest > 0 {
			rows[i].Bar = bar{t.Times(100 / longest)}
		}
	}
	return rows, note
}

// roundUp makes the size of a block a number that people count in.
func roundUp(n int) int {
	for step := 1; ; step *= 10 {
		for _, nice := range []int{1, 2, 5} {
			if nice*step >= n {
				return nice * step
			}
		}
	}
}

// row is an iteration by itself.
func (r *Run) row(it *Iteration, o PageOptions) row {
	w := row{
		Label: fmt.Sprint(it.N), Mark: it.Mark(), Brief: it.Brief(), Started: at(it.StartedAt.Time), Spent: it.Spent,
		Claimed: some(it.Claimed, mostNames), Accepted: some(it.Accepted, mostNames), Decisions: r.Decisions(it),
	}
	if it.Promised {
		if w.Claimed != "" {
			w.Claimed += ", "
		}
		w.Claimed += "that all is done"
	}
	if it.Story != nil {
		w.Story = it.Story.Name()
	}
	if !it.EndedAt.IsZero() {
		w.Took = words.Duration(it.EndedAt.Sub(it.StartedAt.Time))
	}
	w.Tokens, w.Cost = used(it.Tokens.Total(), it.TokensEstimated, it.CostUSD)
	if o.Log != nil {
		w.Log = address(o.Log(it.LogFile))
	}
	return w
}

// blockRow puts iterations together; the second result is their mean time.
func blockRow(block []Iteration) (row, run.Spent) {
	var total Iteration
	ended, errors, commits, rejected := 0, 0, 0, 0
	for i := range block {
		it := &block[i]
		total.Spent = total.Spent.Add(it.Spent)
		total.Tokens, total.CostUSD = total.Tokens.Add(it.Tokens), journal.AddCost(total.CostUSD, it.CostUSD)
		total.TokensEstimated = total.TokensEstimated || it.TokensEstimated
		total.Accepted = append(total.Accepted, it.Accepted...)
		commits, rejected = commits+len(it.Commits), rejected+len(it.Rejected)
		if it.Mark() == Bad {
			errors++
		}
		if it.Ended {
			ended++
		}
	}
	first, last := &block[0], &block[len(block)-1]
	w := row{Label: fmt.Sprintf("%d–%d", first.N, last.N), Mark: None, Started: at(first.StartedAt.Time), Spent: total.Spent}
	if end := last.EndedAt; !end.IsZero() {
		w.Took = words.Duration(end.Sub(first.StartedAt.Time))
	}
	accepted := "nothing accepted"
	if len(total.Accepted) > 0 {
		w.Mark, accepted = Good, "accepted: "+some(total.Accepted, mostNames)
	}
	w.Brief = fmt.Sprintf("%s; %s; %s not accepted; %s; %s", words.Count(ended, "iteration"), accepted,
		words.Count(rejected, "claim"), words.Count(errors, "error"), words.Count(commits, "commit"))
	w.Tokens, w.Cost = used(total.Tokens.Total(), total.TokensEstimated, total.CostUSD)
	return w, total.Spent.Times(1 / float64(len(block)))
}

func used(tokens int64, estimated bool, cost *float64) (string, string) {
	t, c := "", ""
	if tokens > 0 {
		t = words.Tokens(tokens, estimated) + " tokens"
	}
	if cost != nil {
		c = words.Cost(*cost)
	}
	return t, c
}
