// Package terminal prints to the user's terminal: messages, colours, questions, the pager and
// the footer with the current activity.
package terminal

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

// Terminal is the output of a command for people. All output follows these rules:
//
//   - Requested output goes to standard output. Errors, warnings and hints go to standard error.
//     Only errors start with "ralph: ".
//   - Messages begin with a small letter and have no period at the end, unless they are
//     sentences that people and scripts know.
//   - Colour never carries a meaning alone: a symbol or a word says the same.
//   - Text from an agent or a file is sanitized before it is shown.
type Terminal struct {
	In       *os.File
	Out, Err io.Writer
	IsTTY    bool // standard output is a terminal
	Redraws  bool // the terminal understands escape sequences
	errTTY   bool // standard error is such a terminal
	CanAsk   bool // standard input is a terminal too
	Color    bool // on standard output
	ErrColor bool // on standard error
	ASCII    bool

	Unwritten error // the first failure of writing to standard output
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

// New returns the terminal of the standard files. mode is the colour mode: auto, always or
// never.
func New(mode string) *Terminal {
	t := &Terminal{In: os.Stdin, Err: os.Stderr}
	t.Out = &checked{to: os.Stdout, failed: &t.Unwritten}
	t.IsTTY = term.IsTerminal(int(os.Stdout.Fd()))
	t.CanAsk = t.IsTTY && term.IsTerminal(int(os.Stdin.Fd()))
	t.Redraws = t.IsTTY && os.Getenv("TERM") != "dumb"
	t.errTTY = term.IsTerminal(int(os.Stderr.Fd())) && os.Getenv("TERM") != "dumb"
	t.Color, t.ErrColor = colored(mode, t.Redraws), colored(mode, t.errTTY)
	t.ASCII = !utf8Locale()
	return t
}

// colored decides about colour on a stream: the flag, else NO_COLOR, else
// whether it is a terminal that has any. See https://no-color.org for the variable.
func colored(mode string, tty bool) bool {
	switch mode {
	case "always":
		return true
	case "never":
		return false
	}
	return tty && os.Getenv("NO_COLOR") == ""
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

// Width returns the columns of the terminal. Without a terminal it returns COLUMNS, if
// exported, or the default width.
func (t *Terminal) Width() int {
	if w, _, err := term.GetSize(int(os.Stdout.Fd())); t.IsTTY && err == nil && w > 0 {
		return w
	}
	if w, err := strconv.Atoi(os.Getenv("COLUMNS")); err == nil && w > 0 {
		return w
	}
	return help.Width
}

// SGR codes for Paint; see ECMA-48, 8.3.117.
const (
	Bold   = "1"
	Dim    = "2"
	Red    = "31"
	Green  = "32"
	Yellow = "33"
	Cyan   = "36"
)

// Paint returns s with the SGR code, or s itself if standard output has no colours.
func (t *Terminal) Paint(code, s string) string { return paint(t.Color, code, s) }

func (t *Terminal) paintErr(code, s string) string { return paint(t.ErrColor, code, s) }

func paint(on bool, code, s string) string {
	if !on || s == "" {
		return s
	}
	return "\x1b[" + code + "m" + s + "\x1b[0m"
}

// Mark returns a symbol in its colour: success, failure, or anything between them.
func (t *Terminal) Mark(symbol string) string {
	return t.Paint(colorOf(symbol), t.Symbol(symbol))
}

func colorOf(symbol string) string {
	switch symbol {
	case "✓":
		return Green
	case "✗":
		return Red
	case "·":
		return Dim
	}
	return Yellow
}

// Symbol returns a symbol, or its ASCII replacement if the locale needs it.
func (t *Terminal) Symbol(s string) string {
	if !t.ASCII {
		return s
	}
	if a, ok := map[string]string{"✓": "+", "✗": "x", "⚠": "!", "●": "*", "─": "-", "…": "...", "·": "-"}[s]; ok {
		return a
	}
	return s
}

// Printf prints to standard output.
func (t *Terminal) Printf(format string, args ...any) { fmt.Fprintf(t.Out, format, args...) }

// Warn prints a warning to standard error and sanitizes its text.
func (t *Terminal) Warn(format string, args ...any) {
	text := stream.Sanitize(fmt.Sprintf(format, args...))
	fmt.Fprintf(t.Err, "%s %s\n", t.paintErr(Yellow, t.Symbol("⚠")), text)
}

// WarnAll prints each text as a warning.
func (t *Terminal) WarnAll(texts []string) {
	for _, text := range texts {
		t.Warn("%s", text)
	}
}

// Fail prints an error to standard error.
func (t *Terminal) Fail(err error) {
	fmt.Fprintf(t.Err, "%s %s\n", t.paintErr(Red, "ralph:"), stream.Sanitize(err.Error()))
}

// Hint prints a hint to standard error, indented. It prints nothing for an empty text.
func (t *Terminal) Hint(text string) {
	if text != "" {
		fmt.Fprintf(t.Err, "  %s\n", t.paintErr(Dim, stream.Sanitize(text)))
	}
}
