package main

import (
	"fmt"
	"strings"
	"time"

	"ralph/internal/loop"
	"ralph/internal/stream"
)

// summary is the last that a run tells: how it ended, what it took, what is next.
func (o *output) summary(end loop.End, archived string) {
	if o.screen == nil {
		return
	}
	s := o.screen
	st := o.files.status
	took := []string{plural(st.Iteration, "iteration")}
	if st.StoriesTotal > 0 {
		took = append(took, fmt.Sprintf("Progress: %d/%d %s", st.StoriesComplete, st.StoriesTotal, itemWord(string(st.Plan))))
	}
	took = append(took, duration(time.Since(st.StartedAt.Time)))
	if n := st.Tokens.Total(); n > 0 {
		took = append(took, tokens(n, st.TokensEstimated)+" tokens")
	}
	if st.CostUSD != nil && *st.CostUSD > 0 {
		took = append(took, fmt.Sprintf("$%.2f", *st.CostUSD))
	}
	fmt.Fprintln(s.w)
	if end.Done() {
		s.line(green, "✓", "done: "+end.Message)
	} else {
		s.line(red, "✗", strings.ReplaceAll(string(end.Reason), "_", " ")+": "+end.Message)
	}
	dot := " " + s.t.symbol("·") + " "
	fmt.Fprintf(s.w, "  %s\n", s.t.paint(dim, strings.Join(took, dot)))
	if !end.ResumesAt.IsZero() {
		fmt.Fprintf(s.w, "  resumes at %s\n", clock(end.ResumesAt))
	}
	if end.Hint != "" {
		fmt.Fprintf(s.w, "  %s\n", stream.Sanitize(end.Hint))
	}
	if archived != "" {
		fmt.Fprintf(s.w, "  archived as .ralph/archive/%s; bring it back with: ralph archive --restore %s\n", archived, archived)
	}
}

// loopWord is the end of a run in the word of the terminal's title.
func loopWord(status, reason string) string {
	switch {
	case status == "completed":
		return "done"
	case status == "stopped", reason == string(loop.Crashed):
		return "stopped"
	case reason == string(loop.NoProgress):
		return "stalled"
	}
	return "stuck"
}
