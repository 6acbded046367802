package screen

import (
	"fmt"
	"strings"

	"ralph/internal/conformance"
	"ralph/internal/evidence"
	"ralph/internal/journal"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/verify"
	"ralph/internal/words"
)

// tailShown is how many lines of a failed check are shown: the reader of a CI log has
// nothing else.
const tailShown = 20

// ShowCheck prints the result of a quality check, with the last lines of its output.
func ShowCheck(t *terminal.Terminal, c verify.CheckResult) {
	mark, text := "✓", fmt.Sprintf("check %s: %s (%s)", c.Name, c.Outcome, words.Seconds(c.DurationSeconds))
	switch {
	case !c.Accepted:
		mark = "✗"
	case c.Outcome != journal.CheckPassed:
		mark = "●"
		text += ", which is accepted"
	}
	t.Printf("%s %s\n", t.Mark(mark), stream.Sanitize(text))
	for line := range strings.Lines(words.LastLines(c.Tail, tailShown)) {
		t.Printf("    %s\n", stream.Sanitize(strings.TrimRight(line, "\n")))
	}
}

// ShowVerified prints a line for each story, then the verdict on all.
func ShowVerified(t *terminal.Terminal, r verify.Report, receipts bool) {
	if len(r.Stories) == 0 {
		t.Printf("no finished stories, nothing to prove\n")
		return
	}
	proved := 0
	for _, s := range r.Stories {
		mark, why := "✓", Receipt(s.Receipt)
		switch {
		case s.Open:
			mark, why = "✗", "is open, so there is nothing to prove"
		case !s.OK:
			mark = "✗"
		default:
			proved++
		}
		t.Printf("%s %s  %s\n", t.Mark(mark), stream.Sanitize(s.Unit+" "+s.ID+": "+s.Title), t.Paint(terminal.Dim, stream.Sanitize(why)))
	}
	verdict := fmt.Sprintf("%d of %d stories proved", proved, len(r.Stories))
	if r.OK {
		t.Printf("%s %s\n", t.Mark("✓"), verdict)
		return
	}
	if red := failedChecks(r); red != "" {
		verdict += ": " + red + " failed"
	}
	t.Printf("%s %s\n", t.Mark("✗"), stream.Sanitize(verdict))
	if n := r.Unreceipted(); n > 0 && receipts {
		t.Printf("  %s no receipt here. Fetch the receipts: %s\n  or judge by the checks alone: ralph verify --no-receipts\n",
			words.CountPlural(n, "story has", "stories have"), journal.FetchNotes)
	}
}

func failedChecks(r verify.Report) string {
	var names []string
	for _, c := range r.Checks {
		if !c.Accepted {
			names = append(names, c.Name)
		}
	}
	return strings.Join(names, ", ")
}

// Receipt describes in words why a story was accepted.
func Receipt(r *verify.Receipt) string {
	if r == nil {
		return "no receipt"
	}
	where := "in a clean worktree"
	if r.Mode != "clean" {
		where = "in place"
	}
	text := fmt.Sprintf("receipt of %s: %.12s %s", r.Time.Local().Format("2006-01-02"), r.Commit, where)
	switch {
	case r.State == evidence.Same:
		text += ", the same files"
	case r.State == evidence.Elsewhere:
		text += ", which is not in the history"
	case r.Mode == "clean":
		text += ", files have changed since"
	}
	if r.Shown != "" {
		text += "; " + r.Shown
	}
	if len(r.Unsealed) > 0 {
		text += "; unsealed: " + strings.Join(r.Unsealed, ", ")
	}
	if len(r.Dropped) > 0 {
		text += "; then also with " + strings.Join(r.Dropped, ", ")
	}
	return text
}

// ShowTrial prints the result of one trial of an agent, with its hint.
func ShowTrial(t *terminal.Terminal, trial conformance.Trial) {
	mark := "·"
	switch trial.Result {
	case conformance.Yes:
		mark = "✓"
	case conformance.No:
		mark = "✗"
	}
	t.Printf("%s %s\n", t.Mark(mark), stream.Sanitize(trial.Message))
	if trial.Hint != "" {
		t.Printf("  %s\n", t.Paint(terminal.Dim, trial.Hint))
	}
}

// ShowCard prints whether ralph can work with an agent, and its entry for config.yaml.
func ShowCard(t *terminal.Terminal, card conformance.Card) {
	if !card.OK {
		t.Printf("\nralph cannot work with it yet (%s)\n", words.Count(card.Calls, "call"))
		return
	}
	t.Printf("\nralph can work with it (%s). In ~/.ralph/config.yaml:\n\n%s", words.Count(card.Calls, "call"), stream.Sanitize(card.Snippet))
}
