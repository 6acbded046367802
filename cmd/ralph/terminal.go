package main

import (
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"

	"golang.org/x/term"

	"ralph/internal/help"
	"ralph/internal/stream"
)

// terminal is where a command writes for people. The rules of all output:
//
//   - What a command was asked for goes to standard output; errors, warnings and
//     hints go to standard error, with "ralph: " in front of errors only.
//   - Messages begin with a small letter and have no period at the end, unless
//     they are sentences that people and scripts know.
//   - Colour never carries a meaning alone: a symbol or a word says the same.
//   - Whatever comes from an agent or a file is made harmless before it is shown.
type terminal struct {
	in       *os.File
	out, err io.Writer
	isTTY    bool // standard output is a terminal
	errTTY   bool // standard error is one
	canAsk   bool // and standard input too
	color    bool // on standard output
	errColor bool // on standard error
	ascii    bool

	unwritten error // the first failure of writing to standard output
}

// checked notes the first failure of a writer, which no caller has to check.
type checked struct {
	to     io.Writer
	failed *error
}

// Write implements io.Writer.
func (c *checked) Write(p []byte) (int, error) {
	n, err := c.to.Write(p)
	if err != nil && *c.failed == nil {
		*c.failed = err
	}
	return n, err
}

// newTerminal looks at the real standard files. mode is auto, always or never.
func newTerminal(mode string) *terminal {
	t := &terminal{in: os.Stdin, err: os.Stderr}
	t.out = &checked{to: os.Stdout, failed: &t.unwritten}
	t.isTTY = term.IsTerminal(int(os.Stdout.Fd()))
	t.canAsk = t.isTTY && term.IsTerminal(int(os.Stdin.Fd()))
	t.errTTY = term.IsTerminal(int(os.Stderr.Fd()))
	t.color, t.errColor = colored(mode, t.isTTY), colored(mode, t.errTTY)
	t.ascii = !utf8Locale()
	return t
}

// colored decides about colour on a stream: the flag, else NO_COLOR, else
// whether it is a terminal. See https://no-color.org for the variable.
func colored(mode string, tty bool) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	return tty && os.Getenv("NO_COLOR") == "" && os.Getenv("TERM") != "dumb"
}

// utf8Locale reports whether symbols beyond ASCII can be shown. A machine that
// says nothing at all, as in most containers, is taken for a modern one.
func utf8Locale() bool {
	for _, name := range []string{"LC_ALL", "LC_CTYPE", "LANG"} {
		if v := os.Getenv(name); v != "" {
			v = strings.ToUpper(v)
			return strings.Contains(v, "UTF-8") || strings.Contains(v, "UTF8")
		}
	}
	return true
}

// width is the terminal's; elsewhere that of COLUMNS, which no shell passes on
// unasked, else the usual one.
func (t *terminal) width() int {
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); t.isTTY && err == nil && w > 0 {
		return w
	}
	if w, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && w > 0 {
		return w
	}
	return help.Width
}

// The SGR codes that are used; see ECMA-48, 8.3.117.
const (
	bold   = "1"
	dim    = "2"
	red    = "31"
	green  = "32"
	yellow = "33"
	cyan   = "36"
)

func (t *terminal) paint(code, s string) string { return paint(t.color, code, s) }

func (t *terminal) paintErr(code, s string) string { return paint(t.errColor, code, s) }

func paint(on bool, code, s string) string {
	if !on || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// symbol returns a mark, or its ASCII stand-in where the locale has no other.
func (t *terminal) symbol(s string) string {
	if !t.ascii {
		return s
	}
	if a, ok := map[string]string{"✓": "+", "✗": "x", "⚠": "!", "●": "*", "─": "-", "…": "...", "·": "-"}[s]; ok {
		return a
	}
	return s
}

func (t *terminal) printf(format string, args ...any) { fmt.Fprintf(t.out, format, args...) }

// warn shows a warning, harmless whatever it holds.
func (t *terminal) warn(format string, args ...any) {
	text := stream.Sanitize(fmt.Sprintf(format, args...))
	fmt.Fprintf(t.err, "%s %s\n", t.paintErr(yellow, t.symbol("⚠")), text)
}

func (t *terminal) warnAll(texts []string) {
	for _, text := range texts {
		t.warn("%s", text)
	}
}

// fail shows an error.
func (t *terminal) fail(err error) {
	fmt.Fprintf(t.err, "%s %s\n", t.paintErr(red, "ralph:"), stream.Sanitize(err.Error()))
}

func (t *terminal) hint(text string) {
	if text != "" {
		fmt.Fprintf(t.err, "  %s\n", t.paintErr(dim, stream.Sanitize(text)))
	}
}
