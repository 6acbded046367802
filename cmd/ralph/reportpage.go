package main

import (
	"fmt"
	"strings"
	"time"

	"ralph/internal/report"
	"ralph/internal/words"
)

// What a report in the terminal shows at most; the page has more.
const (
	mostStories  = 15
	mostInTables = 5
	burnUpWidth  = 48
	barWidth     = 12
)

// showReport shows the run in the terminal.
func showReport(t *terminal, acc *account) {
	run := acc.Run
	dot := " " + t.symbol("·") + " "
	head := []string{"run " + run.ID, acc.Plan + " plan", run.Agent()}
	if acc.record.archive != "" {
		head = append(head, "archived as "+acc.record.archive)
	}
	t.printf("%s  %s\n", t.paint(bold, acc.Unit), t.paint(dim, strings.Join(head, dot)))
	code, mark := red, "✗"
	switch {
	case run.Done():
		code, mark = green, "✓"
	case run.Active():
		code, mark = yellow, "●"
	}
	t.printf("%s %s\n", t.paint(code, t.symbol(mark)), run.Outcome())
	t.printf("  %s\n  %s\n", strings.Join(run.Facts(acc.Plan), dot), t.paint(dim, run.Spent.String()))
	if line := burnUp(t, run); line != "" {
		t.printf("  %s %s %s\n", words.Local(run.StartedAt.Time), t.paint(cyan, line), words.Local(run.StartedAt.Add(run.Span())))
	}
	showStories(t, acc, mostStories)
	showIterations(t, run, true)
	for _, table := range acc.Tables() {
		showTable(t, table)
	}
	t.printf("\n%s\n", t.paint(dim, "more: ralph why N, ralph report --html FILE"))
}

// showTable shows the first rows of a list.
func showTable(t *terminal, table report.Table) {
	t.printf("\n%s\n", t.paint(bold, table.Title))
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
		t.printf("%s %s\n", tableMark(t, row.Mark), strings.Join(cells, "  "))
	}
	if more := table.More + len(table.Rows) - mostInTables; more > 0 {
		t.printf("  %s\n", t.paint(dim, fmt.Sprintf("and %d more", more)))
	}
}

func tableMark(t *terminal, m report.Mark) string {
	switch m {
	case report.Good:
		return t.paint(green, t.symbol("✓"))
	case report.Bad:
		return t.paint(red, t.symbol("✗"))
	case report.None:
		return t.paint(yellow, t.symbol("●"))
	}
	return " "
}

// burnUp draws how the plan filled up over the run's time, a column per slice
// of it; empty where there is nothing to draw.
func burnUp(t *terminal, run *report.Run) string {
	most := 0
	for _, p := range run.Points {
		most = max(most, p.Total, p.Complete)
	}
	if most == 0 || run.Span() < time.Second {
		return ""
	}
	levels := []rune(" ▁▂▃▄▅▆▇█")
	if t.ascii {
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
func timeBar(t *terminal, spent report.Times, longest float64) string {
	marks := [3]string{"█", "▒", "░"}
	if t.ascii {
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
