package screen

import (
	"fmt"
	"io"
	"strings"

	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/words"
)

// summaryStories is how many stories the summary has room for: with them it
// fits a terminal of 24 lines.
const summaryStories = 8

// Summary prints the end of a run: its outcome, its figures and the next step. archived is the
// name of the feature's archive, and page the path of its report. Both are empty without an
// archive. leftOver lists uncommitted files.
func (o *Output) Summary(end run.End, archived, page, leftOver string) {
	s := o.Screen
	s.mu.Lock()
	defer s.mu.Unlock()
	s.foot.Hide()
	fmt.Fprintln(s.w)
	s.line(verdict(s.t, end.Done(), end.Reason, end.Message))
	writeStories(s.t, s.w, o.Files.Last().Plan.Items, "  ")
	o.summaryFigures()
	if archived != "" {
		s.row("Archive:", "archived as .ralph/archive/"+archived)
		s.row("", "bring it back with: ralph archive --restore "+stream.ShellWord(archived))
	}
	if page != "" {
		s.row("Report:", page)
	}
	if !end.ResumesAt.IsZero() {
		s.row("Limit:", "resumes at "+words.Local(end.ResumesAt))
	}
	if next := o.next(end); next != "" {
		s.row("Next:", next)
	}
	if leftOver != "" {
		s.row("Changes:", leftOver)
	}
}

// writeStories lists the stories of the plan that are worth a line.
func writeStories(t *terminal.Terminal, w io.Writer, items []run.Item, indent string) {
	list, left := worthALine(items, summaryStories)
	for _, st := range list {
		mark := "·"
		if st.Done {
			mark = "✓"
		}
		title := t.Fit(stream.OneLine(st.Name()), t.Width()-len(indent)-2)
		fmt.Fprintf(w, "%s%s %s\n", indent, t.Mark(mark), title)
	}
	if left > 0 {
		fmt.Fprintf(w, "%s  %s\n", indent, t.Paint(terminal.Dim, fmt.Sprintf("and %d more", left)))
	}
}

// summaryFigures are rows as "ralph status" has them.
func (o *Output) summaryFigures() {
	s, st, r := o.Screen, o.Files.Summary(), o.Files.Last()
	s.row("Iteration:", fmt.Sprintf("%d/%d", st.Iteration, st.MaxIterations))
	if st.StoriesTotal > 0 {
		s.row("Progress:", st.Progress())
	}
	worked, waited, asleep := times(r, o.watch.Passed().Real, o.asked)
	took := words.Duration(worked) + " working"
	if waited > 0 {
		took += ", " + words.Duration(waited) + " waiting"
	}
	if asleep > 0 {
		took += ", " + words.Duration(asleep) + " asleep"
	}
	s.row("Time:", took)
	if st.Tokens.Total() > 0 {
		s.row("Tokens:", st.Spent())
	}
	if budget := o.Files.Budget(); budget != "" {
		s.row("Budget:", budget)
	}
	if c := r.Checks; c.Green+c.Red > 0 {
		checks := fmt.Sprintf("%d passed, %d failed", c.Green, c.Red)
		if len(c.Failing) > 0 {
			checks += "; still red: " + strings.Join(c.Failing, ", ")
		}
		s.row("Checks:", checks)
	}
	if c := r.Refused; c.Count > 0 {
		s.row("Rejected:", s.t.Fit(fmt.Sprintf("%s, the last because: %s", words.Count(c.Count, "claim"), c.Reason), s.t.Width()-13))
	}
}

// next returns what the user can do now.
func (o *Output) next(end run.End) string {
	r := o.Files.Last()
	if end.Hint != "" || !end.Done() || r.Commits == 0 || len(r.Start.Head) < 12 {
		return end.Hint
	}
	return fmt.Sprintf("review %s: git log -p %s..", words.Count(r.Commits, "commit"), r.Start.Head[:12])
}

// row prints a line of figures.
func (s *Screen) row(name, text string) {
	fmt.Fprintf(s.w, "  %-10s %s\n", name, stream.OneLine(text))
}

// EndLine returns one line that says how a run ended.
func EndLine(t *terminal.Terminal, s run.Status) string {
	mark, text := verdict(t, s.Status == journal.StatusCompleted, s.Reason, string(s.Message))
	return mark + " " + stream.Sanitize(text)
}

func verdict(t *terminal.Terminal, done bool, reason journal.Reason, message string) (mark, text string) {
	if done {
		return t.Mark("✓"), "done: " + message
	}
	return t.Mark("✗"), words.WithSpaces(reason) + ": " + message
}
