package preflight

import (
	"cmp"
	"fmt"
	"io"
	"slices"
	"strings"
	"unicode"

	"github.com/fatih/color"
)

// maxShown is how many details of a check are shown to people. The JSON form
// has all.
const maxShown = 20

// Text writes the report for people: a line for each check, and at the end
// what to do. In ascii the marks are words in brackets.
func (r Report) Text(w io.Writer, colored, ascii bool) error {
	var b strings.Builder
	if r.Branch == "" {
		b.WriteString("Preflight checks\n")
	} else {
		fmt.Fprintf(&b, "Preflight checks for branch: %s\n", clean(r.Branch))
	}
	if r.Folder != "" {
		fmt.Fprintf(&b, "%s folder: %s\n", cmp.Or(r.kind, "Feature"), clean(r.Folder))
	}
	b.WriteByte('\n')
	for _, c := range r.Checks {
		if !c.quiet {
			c.write(&b, colored, ascii)
		}
	}
	b.WriteByte('\n')
	b.WriteString(r.ending())
	_, err := io.WriteString(w, b.String())
	return err
}

func (c Check) write(b *strings.Builder, colored, ascii bool) {
	fmt.Fprintf(b, "%s %s", c.Severity.mark(colored, ascii), clean(c.Message))
	if c.brief || len(c.Details) == 0 {
		b.WriteByte('\n')
		return
	}
	b.WriteString(":\n")
	for i, d := range c.Details {
		if i == maxShown {
			fmt.Fprintf(b, "    - and %d more\n", len(c.Details)-i)
			break
		}
		text := d.Text
		if c.located {
			text = d.String()
		}
		fmt.Fprintf(b, "    - %s\n", clean(text))
		if d.Note != "" {
			fmt.Fprintf(b, "      ^^^ %s\n", d.Note)
		}
	}
}

// Text is the check as the report shows it, in full, with what to do about it
// below. It ends in a newline.
func (c Check) Text(colored, ascii bool) string {
	var b strings.Builder
	c.write(&b, colored, ascii)
	if c.Hint != "" {
		for line := range strings.SplitSeq(c.Hint, "\n") {
			fmt.Fprintf(&b, "  %s\n", clean(line))
		}
	}
	return b.String()
}

// ending tells what to do about the errors, or that there are none.
func (r Report) ending() string {
	if r.OK {
		warned := slices.ContainsFunc(r.Checks, func(c Check) bool { return c.Severity == Warn })
		if warned {
			return "Preflight checks passed with warnings.\n"
		}
		return "All checks passed. Ready to run.\n"
	}
	var hints []string
	for _, c := range r.Checks {
		if c.Severity == Error && c.Hint != "" && !slices.Contains(hints, c.Hint) {
			hints = append(hints, c.Hint)
		}
	}
	lines := strings.Split(strings.Join(hints, "\n\n"), "\n")
	for i := range lines {
		lines[i] = clean(lines[i])
	}
	return strings.Join(lines, "\n") + "\n"
}

func (s Severity) mark(colored, ascii bool) string {
	mark, attribute := "✓", color.FgGreen
	switch s {
	case Warn:
		mark, attribute = "⚠", color.FgYellow
	case Error:
		mark, attribute = "✗", color.FgRed
	}
	if ascii {
		mark = "[" + string(s) + "]"
	}
	if !colored {
		return mark
	}
	c := color.New(attribute)
	c.EnableColor() // whether to colour was decided by the caller
	return c.Sprint(mark)
}

// clean makes control characters visible: ids and paths come from files.
func clean(s string) string {
	return strings.Map(func(c rune) rune {
		if unicode.IsControl(c) {
			return unicode.ReplacementChar
		}
		return c
	}, s)
}
