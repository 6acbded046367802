package report

import (
	"fmt"
	"strings"

	"ralph/internal/journal"
	"ralph/internal/words"
)

// mostRows bounds each table of a page.
const mostRows = 60

// Table is one list of a page.
type Table struct {
	Title   string
	Columns []string
	Rows    []TableRow
	More    int // rows that are left out
}

// TableRow is a row of a table.
type TableRow struct {
	Mark   Mark // empty for none
	Cells  []string
	Detail string // lines of output below it
}

func (t *Table) add(mark Mark, detail string, cells ...string) {
	if len(t.Rows) == mostRows {
		t.More++
		return
	}
	t.Rows = append(t.Rows, TableRow{mark, cells, detail})
}

// Tables returns the tables after the stories and iterations, such as cost, checks and waits.
// It leaves out empty tables. Run must not be nil.
func (r *Report) Tables() []Table {
	var out []Table
	run := r.Run
	for _, t := range []Table{run.costTable(), run.modelTable(), run.errorTable(), run.checkTable(),
		run.proofTable(), run.reviewTable(), run.tamperTable(), run.restoredTable(),
		run.waitTable(), run.noteTable(), r.runTable()} {
		if len(t.Rows) > 0 {
			out = append(out, t)
		}
	}
	return out
}

// storyTable lists the stories of the plan, those that are open first where not
// all fit.
func (r *Run) storyTable(items string) Table {
	t := Table{Title: words.Capital(items)}
	wanted := func(s *Story) bool { return true }
	if len(r.Stories) > mostRows {
		wanted = func(s *Story) bool { return !s.Done || s.Iteration > 0 }
	}
	for i := range r.Stories {
		s := &r.Stories[i]
		if wanted(s) {
			t.add(s.Mark(), "", s.Name(), s.Brief())
		} else {
			t.More++
		}
	}
	return t
}

// costTable lists what each story cost; accepted ones have a mark.
func (r *Run) costTable() Table {
	t := Table{Title: "Cost of each story", Columns: []string{"story", "iterations", "cost"}}
	accepted := 0
	for i := range r.Stories {
		s := &r.Stories[i]
		if s.CostUSD == nil {
			continue
		}
		if s.Done {
			accepted++
		}
		t.add(s.Mark(), "", s.Name(), fmt.Sprint(s.About), words.Cost(*s.CostUSD))
	}
	if accepted > 0 {
		t.Title += fmt.Sprintf(" (%s per accepted story)", words.Cost(*r.CostUSD/float64(accepted)))
	}
	return t
}

// modelTable lists what the calls of each model came to.
func (r *Run) modelTable() Table {
	t := Table{Title: "Cost of each model", Columns: []string{"model", "calls", "tokens", "cost"}}
	for _, m := range r.Models {
		cost := "not reported"
		if m.CostUSD != nil {
			cost = words.Cost(*m.CostUSD)
		}
		t.add("", "", Summary{Harness: m.Harness, Model: m.Model}.Agent(), words.Count(m.Calls, "call"), words.Tokens(m.Tokens.Total(), m.Estimated)+" tokens", cost)
	}
	if len(r.Models) < 2 && r.CostUSD == nil {
		return Table{}
	}
	return t
}

// group counts equal texts.
type group struct {
	text  string
	count int
	first int // iteration
	last  int
}

// groups are groups in the order in which their texts came.
type groups struct {
	list []*group
	by   map[string]*group // their texts
}

func (g *groups) add(text string, iteration int) {
	one := g.by[text]
	if one == nil {
		one = &group{text: text, first: iteration}
		g.list = append(g.list, one)
		if g.by == nil {
			g.by = map[string]*group{}
		}
		g.by[text] = one
	}
	one.count++
	one.last = iteration
}

// fill adds a row for each group.
func (g groups) fill(t *Table, mark Mark) {
	for _, one := range g.list {
		t.add(mark, "", one.text, fmt.Sprint(one.count), one.where())
	}
}

// where names the iterations of a group.
func (g group) where() string {
	if g.first == g.last {
		return fmt.Sprint(g.first)
	}
	return fmt.Sprintf("%d to %d", g.first, g.last)
}

func (r *Run) errorTable() Table {
	t := Table{Title: "Errors", Columns: []string{"error", "times", "iterations"}}
	var list groups
	for i := range r.Iterations {
		if it := &r.Iterations[i]; it.Mark() == Bad {
			list.add(strings.TrimSuffix(words.WithSpaces(it.Outcome)+": "+it.Error, ": "), it.N)
		}
	}
	list.fill(&t, Bad)
	return t
}

// checkSum is all that one quality check came to.
type checkSum struct {
	last                Check
	failure             string // the end of the last failed one's output
	runs, passed, reuse int
	seconds             float64
}

func (r *Run) checkTable() Table {
	t := Table{Title: "Quality checks", Columns: []string{"check", "passed", "time", "the last result"}}
	sums := map[string]*checkSum{}
	var names []string
	for it := range r.all() {
		for _, c := range it.Checks {
			s := sums[c.Name]
			if s == nil {
				s = &checkSum{}
				sums[c.Name], names = s, append(names, c.Name)
			}
			s.take(c)
		}
	}
	for _, name := range names {
		s := sums[name]
		mark, runs := Good, fmt.Sprintf("%d of %d", s.passed, s.runs)
		if s.last.Outcome != "passed" {
			mark = Bad
		}
		if s.reuse > 0 {
			runs += fmt.Sprintf(" (%d not run again)", s.reuse)
		}
		detail := ""
		if s.failure != "" {
			detail = "the end of its last failure:\n" + s.failure
		}
		t.add(mark, detail, name+": "+s.last.Command, runs, words.Seconds(s.seconds), s.last.ended())
	}
	return t
}

// take adds a result. One that compares is of the project before the work: it
// only costs time.
func (s *checkSum) take(c Check) {
	if !c.Same {
		s.seconds += c.Seconds
	}
	if c.Compares {
		return
	}
	s.last = c
	s.runs++
	if c.Outcome == journal.CheckPassed {
		s.passed++
	} else if c.Tail != "" {
		s.failure = c.Tail
	}
	if c.Same {
		s.reuse++
	}
}

func (r *Run) proofTable() Table {
	t := Table{Title: "Proofs", Columns: []string{"iteration", "receipt"}}
	for it := range r.all() {
		for _, p := range it.Proofs {
			t.add(Good, "", fmt.Sprint(it.N), p.String())
		}
	}
	return t
}

func (r *Run) reviewTable() Table {
	t := Table{Title: "Reviews", Columns: []string{"iteration", "verdict"}}
	for it := range r.all() {
		for _, v := range it.Reviews {
			t.add(v.mark(), "", fmt.Sprint(it.N), v.Text)
		}
	}
	return t
}

func (v Review) mark() Mark {
	switch v.Verdict {
	case journal.ReviewAccept:
		return Good
	case journal.ReviewRefuse:
		return Bad
	}
	return None
}

func (r *Run) tamperTable() Table {
	t := Table{Title: "Tests and checks that were weakened", Columns: []string{"iteration", "finding", "stories"}}
	for i := range r.Iterations {
		it := &r.Iterations[i]
		if it.Tamper == nil {
			continue
		}
		accepted := "not accepted for it"
		if it.Tamper.Accepted {
			accepted = "accepted with a warning"
		}
		for _, f := range it.Tamper.Findings {
			t.add(Bad, "", fmt.Sprint(it.N), f.String(), accepted)
		}
		t.More += it.Tamper.More
	}
	return t
}

func (r *Run) restoredTable() Table {
	t := Table{Title: "Restored", Columns: []string{"iteration", "file", "change", "kept"}}
	for it := range r.all() {
		for _, f := range it.Restored {
			t.add(Bad, "", fmt.Sprint(it.N), f.Path, f.What, f.Kept)
		}
		for _, message := range it.HeadMoved {
			t.add(Bad, "", fmt.Sprint(it.N), "HEAD", message, "")
		}
	}
	return t
}

func (r *Run) waitTable() Table {
	t := Table{Title: "Waits", Columns: []string{"since", "for", "reason", ""}}
	for _, n := range r.Notes {
		if n.Kind != NoteWait {
			continue
		}
		span := "so far"
		if n.Over {
			span = words.Seconds(n.Seconds)
		}
		t.add("", "", at(n.At.Time), span, words.WithSpaces(n.Reason), n.Text)
	}
	return t
}

// noteTable lists what else happened, equal things once.
func (r *Run) noteTable() Table {
	t := Table{Title: "What else happened", Columns: []string{"", "times", "iterations"}}
	var list groups
	for _, n := range r.Notes {
		if n.Kind != NoteWait {
			list.add(n.Text, n.Iteration)
		}
	}
	list.fill(&t, "")
	return t
}

// runTable lists all runs of the unit, the last ones where not all fit.
func (r *Report) runTable() Table {
	t := Table{Title: "All runs of " + r.Unit, Columns: []string{"run", "outcome", "", ""}}
	if len(r.Runs) < 2 {
		return t
	}
	t.More = max(0, len(r.Runs)-mostRows)
	for _, s := range r.Runs[t.More:] {
		t.add(s.Mark(), "", s.ID, s.Outcome(), s.Agent(), strings.Join(s.Figures(r.Plan), ", "))
	}
	return t
}
