package screen

import (
	"fmt"
	"strings"
	"time"

	"ralph/internal/account"
	"ralph/internal/report"
	"ralph/internal/run"
	"ralph/internal/terminal"
	"ralph/internal/words"
)

// What a report in the terminal shows at most; the page has more.
const (
	mostStories  = 15
	mostInTables = 5
	burnUpWidth  = 48
	barWidth     = 12
)

// ShowReport prints the report of a run.
func ShowReport(t *terminal.Terminal, acc *account.Account) {
	run := acc.Run
	dot := " " + t.Symbol("·") + " "
	head := []string{"run " + run.ID, string(acc.Plan) + " plan", run.Agent()}
	if acc.Record.Archive != "" {
		head = append(head, "archived as "+acc.Record.Archive)
	}
	t.Printf("%s  %s\n", t.Paint(terminal.Bold, acc.Unit), t.Paint(terminal.Dim, strings.Join(head, dot)))
	t.Printf("%s %s\n", markOf(t, run.Mark()), run.Outcome())
	t.Printf("  %s\n  %s\n", strings.Join(run.Figures(acc.Plan), dot), t.Paint(terminal.Dim, run.Spent.String()))
	if line := burnUp(t, run); line != "" {
		t.Printf("  %s %s %s\n", words.Local(run.StartedAt.Time), t.Paint(terminal.Cyan, line), words.Local(run.StartedAt.Add(run.Span())))
	}
	ShowStories(t, acc, mostStories)
	ShowIterations(t, run, true)
	for _, table := range acc.Tables() {
		showTable(t, table)
	}
	t.Printf("\n%s\n", t.Paint(terminal.Dim, "more: ralph why N, ralph report --html FILE"))
}

// showTable shows the first rows of a list.
func showTable(t *terminal.Terminal, table report.Table) {
	t.Printf("\n%s\n", t.Paint(terminal.Bold, table.Title))
	for _, row := range table.Rows[:min(len(table.Rows), mostInTables)] {
		cells := make([]string, 0, len(row.Cells))
		for i, c := range row.Cells {
			if c == "" {
				continue
			}
			if name := table.Columns[i]; name == "iteration" || name == "iterations" || name == "times" || name == "passed" {
				c = name + " " + c
			}
			cells = append(cells, strings.ReplaceAll(c, "\n", " "))
		}
		t.Printf("%s %s\n", markOf(t, row.Mark), strings.Join(cells, "  "))
	}
	if more := table.More + len(table.Rows) - mostInTables; more > 0 {
		t.Printf("  %s\n", t.Paint(terminal.Dim, fmt.Sprintf("and %d more", more)))
	}
}

func markOf(t *terminal.Terminal, m report.Mark) string {
	switch m {
	case report.Good:
		return t.Mark("✓")
	case report.Bad:
		return t.Mark("✗")
	case report.None:
		return t.Mark("●")
	}
	return " "
}

// burnUp draws how the plan filled up over the run's time, a column per slice
// of it; empty where there is nothing to draw.
func burnUp(t *terminal.Terminal, run *report.Run) string {
	most := 0
	for _, p := range run.Points {
		most = max(most, p.Total, p.Complete)
	}
	if most == 0 || run.Span() < time.Second {
		return ""
	}
	levels := []rune(" ▁▂▃▄▅▆▇█")
	if t.ASCII {
		levels = []rune(" .:-=+*%#")
	}
	var line strings.Builder
	next, complete := 0, 0
	for i := range burnUpWidth {
		end := run.StartedAt.Add(run.Span() * time.Duration(i+1) / burnUpWidth)
		for ; next < len(run.Points) && !run.Points[next].At.After(end); next++ {
			complete = run.Points[next].Complete
		}
		line.WriteRune(levels[complete*(len(levels)-1)/most])
	}
	return line.String()
}

// timeBar draws where the time of an iteration went: the agent, checks, waiting.
func timeBar(t *terminal.Terminal, spent run.Spent, longest float64) string {
	marks := [3]string{"█", "▒", "░"}
	if t.ASCII {
		marks = [3]string{"#", "+", "."}
	}
	if longest == 0 {
		return strings.Repeat(" ", barWidth)
	}
	bar, cells := "", 0
	for i, seconds := range []float64{spent.Agent, spent.Check, spent.Wait} {
		n := min(int(seconds/longest*barWidth+0.5), barWidth-cells)
		bar += strings.Repeat(marks[i], n)
		cells += n
	}
	return bar + strings.Repeat(" ", barWidth-cells)
}

// ShowDecisions prints each decision with its evidence below it.
func ShowDecisions(t *terminal.Terminal, decisions []report.Decision) {
	for _, d := range decisions {
		mark := "●"
		switch {
		case d.Good:
			mark = "✓"
		case d.Kind == report.NotAccepted || d.Kind == report.RunEnded:
			mark = "✗"
		}
		t.Printf("%s %s\n", t.Mark(mark), d.Text)
		for _, because := range d.Because {
			t.Printf("    %s\n", t.Paint(terminal.Dim, strings.ReplaceAll(because, "\n", "\n    ")))
		}
	}
}

// ShowStories prints at most the first most stories of the plan and their states.
func ShowStories(t *terminal.Terminal, acc *account.Account, most int) {
	if len(acc.Run.Stories) == 0 {
		return
	}
	t.Printf("\n%s\n", t.Paint(terminal.Bold, words.Capital(acc.Plan.Items())))
	for i := range acc.Run.Stories[:min(most, len(acc.Run.Stories))] {
		s := &acc.Run.Stories[i]
		t.Printf("%s %s  %s\n", markOf(t, s.Mark()), s.Name(), t.Paint(terminal.Dim, s.Brief()))
	}
	if more := len(acc.Run.Stories) - most; more > 0 {
		t.Printf("  %s\n", t.Paint(terminal.Dim, fmt.Sprintf("and %d more", more)))
	}
}

// ShowIterations prints the last iterations, one line each. If bars is true, bars show where
// the time went.
func ShowIterations(t *terminal.Terminal, run *report.Run, bars bool) {
	if len(run.Iterations) == 0 {
		return
	}
	t.Printf("\n%s\n", t.Paint(terminal.Bold, "Iterations"))
	left := max(0, len(run.Iterations)-mostIterations)
	if left > 0 {
		t.Printf("  %s\n", t.Paint(terminal.Dim, fmt.Sprintf("%d earlier ones are left out here", left)))
	}
	longest := 0.0
	for _, it := range run.Iterations[left:] {
		longest = max(longest, it.Spent.Sum())
	}
	for i := left; i < len(run.Iterations); i++ {
		it := &run.Iterations[i]
		bar := ""
		if bars {
			bar = timeBar(t, it.Spent, longest) + "  "
		}
		t.Printf("%s %3d  %7s  %s%s\n", markOf(t, it.Mark()), it.N, took(it), bar, it.Brief())
	}
}

// took is how long an iteration took, from its beginning to its end.
func took(it *report.Iteration) string {
	if it.EndedAt.IsZero() {
		return "?"
	}
	return words.Duration(it.EndedAt.Sub(it.StartedAt.Time))
}

// mostIterations is how many iterations a page in the terminal lists.
const mostIterations = 20
