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

// Text writes the report for the user: a line for each check, and at the end what to do. With
// ascii the marks are words in brackets.
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
	tied := r.tied()
	for _, c := range r.Checks {
		if c.quiet {
			continue
		}
		c.write(&b, colored, ascii)
		if c.hinted || tied && c.Severity == Error {
			c.writeHint(&b)
		}
	}
	b.WriteByte('\n')
	b.WriteString(r.ending())
	_, err := io.WriteString(w, b.String())
	return err
}

func (c Condition) write(b *strings.Builder, colored, ascii bool) {
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

// Text returns the check as the full report shows it, with its hint below. It ends in a
// newline.
func (c Condition) Text(colored, ascii bool) string {
	var b strings.Builder
	c.write(&b, colored, ascii)
	c.writeHint(&b)
	return b.String()
}

func (c Condition) writeHint(b *strings.Builder) {
	if c.Hint == "" {
		return
	}
	for line := range strings.SplitSeq(c.Hint, "\n") {
		fmt.Fprintf(b, "  %s\n", clean(line))
	}
}

// Warned reports whether a check has a warning or an error. Notes do not count.
func (r Report) Warned() bool {
	return slices.ContainsFunc(r.Checks, func(c Condition) bool { return c.Severity != OK })
}

// errors returns the checks that prevent a run.
func (r Report) errors() []Condition {
	return slices.DeleteFunc(slices.Clone(r.Checks), func(c Condition) bool { return c.Severity != Error })
}

// tied reports whether each error is followed by its hint: at the end it would not be
// clear to which of several errors a hint belongs.
func (r Report) tied() bool {
	failed := r.errors()
	return slices.ContainsFunc(failed, func(c Condition) bool { return c.Hint != failed[0].Hint })
}

// ending returns the last line: what to do about the errors, or that there are no errors.
func (r Report) ending() string {
	if r.OK {
		if r.Warned() {
			return "Preflight checks passed with warnings.\n"
		}
		return "All checks passed. Ready to run.\n"
	}
	failed := r.errors()
	if r.tied() {
		return fmt.Sprintf("%d checks failed. Not ready to run.\n", len(failed))
	}
	lines := strings.Split(failed[0].Hint, "\n")
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
