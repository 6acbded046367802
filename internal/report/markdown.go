package report

import (
	"bufio"
	"fmt"
	"io"
	"strings"
)

// mostListed is how many iterations a report in Markdown lists, the last ones.
const mostListed = 50

// Markdown writes the run as Markdown, for a pull request or a message. Run must not be nil.
func (r *Report) Markdown(w io.Writer) error {
	out := bufio.NewWriter(w)
	run := r.Run
	fmt.Fprintf(out, "# %s\n\n%s %s\n\n", escape(r.Unit), sign(run.Mark()), escape(run.Outcome()))
	fmt.Fprintf(out, "%s\n\n", escape(strings.Join(run.Figures(r.Plan), " · ")))
	fmt.Fprintf(out, "Run %s, %s, branch %s; %s\n", escape(run.ID), escape(run.Agent()), escape(r.Branch), escape(run.Spent.String()))

	if len(run.Stories) > 0 {
		fmt.Fprintf(out, "\n## %s\n\n", run.storyTable("stories").Title)
		for i := range run.Stories {
			s := &run.Stories[i]
			box := " "
			if s.Done {
				box = "x"
			}
			fmt.Fprintf(out, "- [%s] %s: %s\n", box, escape(s.Name()), escape(s.Brief()))
		}
	}
	if n := len(run.Iterations); n > 0 {
		left := max(0, n-mostListed)
		fmt.Fprintf(out, "\n## Iterations\n\n")
		if left > 0 {
			fmt.Fprintf(out, "The first %d are left out.\n\n", left)
		}
		fmt.Fprintf(out, "| | | time | tokens | cost |\n| --- | --- | --- | --- | --- |\n")
		for i := left; i < n; i++ {
			row := run.row(&run.Iterations[i], PageOptions{})
			fmt.Fprintf(out, "| %s %s | %s | %s | %s | %s |\n", sign(row.Mark), row.Label, escape(row.Brief), escape(row.Spent.String()), row.Tokens, row.Cost)
		}
	}
	for _, t := range r.Tables() {
		t.markdown(out)
	}
	fmt.Fprintf(out, "\nTimes are %s.\n", run.StartedAt.Local().Format("MST (-07:00)")) // the reader may be in another zone
	return out.Flush()
}

func (t Table) markdown(out io.Writer) {
	fmt.Fprintf(out, "\n## %s\n\n|", escape(t.Title))
	for _, c := range append([]string{""}, t.Columns...) {
		fmt.Fprintf(out, " %s |", c)
	}
	fmt.Fprintf(out, "\n|%s\n", strings.Repeat(" --- |", len(t.Columns)+1))
	for _, row := range t.Rows {
		fmt.Fprintf(out, "| %s |", sign(row.Mark))
		for _, c := range row.Cells {
			fmt.Fprintf(out, " %s |", escape(c))
		}
		fmt.Fprintln(out)
	}
	if t.More > 0 {
		fmt.Fprintf(out, "\nand %d more\n", t.More)
	}
}

func sign(m Mark) string {
	return map[Mark]string{Good: "✓", Bad: "✗", None: "●"}[m]
}

// escape makes a text plain in Markdown, on one line. An invisible character breaks up
// mentions, issue numbers and addresses: the words of an agent must not notify anyone.
func escape(text string) string {
	var out strings.Builder
	text = strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "://", ":\u2060//")
	for _, r := range text {
		switch {
		case r == '<':
			out.WriteString("&lt;")
			continue
		case r == '&':
			out.WriteString("&amp;")
			continue
		case strings.ContainsRune("\\`*_[]|#~!$", r):
			out.WriteByte('\\')
		}
		out.WriteRune(r)
		if r == '@' || r == '#' {
			out.WriteString("\u2060") // a word joiner
		}
	}
	return out.String()
}
