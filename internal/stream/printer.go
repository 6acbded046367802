package stream

import (
	"bufio"
	"cmp"
	"fmt"
	"io"
	"strings"

	"github.com/charmbracelet/x/ansi"
)

// PrinterOptions has the settings of a Printer.
type PrinterOptions struct {
	Color   bool // with colours; nothing else turns them on or off
	Verbose bool // also the answers of tools that did not fail, and how much of a limit is used
	ASCII   bool // with plain symbols, for terminals and files without Unicode
	Width   int  // columns that a tool's line may take; 0 is no limit
}

// Printer writes events as lines for people. It sanitizes the agent's text, and the terminal
// wraps it. Output is buffered until Flush.
type Printer struct {
	out       *bufio.Writer
	opts      PrinterOptions
	marks     marks
	lastError string // so that a result does not repeat it
}

// marks are the symbols in front of lines.
type marks struct{ tool, failed, answer, warn string }

// The SGR parameters of the colours in use. Green and yellow are for marks: words in
// them are next to nothing on a light background.
const (
	styleBold   = "1"
	styleDim    = "2"
	styleRed    = "31"
	styleGreen  = "32"
	styleYellow = "33"
)

// NewPrinter returns a printer that writes to w.
func NewPrinter(w io.Writer, opts PrinterOptions) *Printer {
	p := &Printer{out: bufio.NewWriterSize(w, 32<<10), opts: opts, marks: marks{tool: "●", failed: "✗", answer: "└", warn: "⚠"}}
	if opts.ASCII {
		p.marks = marks{tool: "*", failed: "x", answer: "|", warn: "!"}
	}
	return p
}

// Flush writes the buffered output and returns the first write error.
func (p *Printer) Flush() error { return p.out.Flush() }

// Event writes an event, unless the options hide it.
func (p *Printer) Event(e Event) {
	switch e.Kind {
	case KindStart:
		if p.opts.Verbose && e.Model != "" {
			p.line(e.Sub, p.style(styleDim, "model: "+plain(e.Model)))
		}
	case KindText:
		p.text(e)
	case KindTool:
		p.tool(e)
	case KindToolResult:
		p.toolResult(e)
	case KindRetry:
		p.line(false, p.style(styleDim, describeRetry(e.Retry)))
	case KindLimit:
		p.limit(e.Limit)
	case KindError:
		p.lastError = e.Text
		p.line(e.Sub, p.style(styleRed, p.marks.failed+" "+strings.TrimSpace(Sanitize(e.Text))))
	case KindResult:
		p.result(e.Result)
	}
}

// text writes what the agent said, as it is.
func (p *Printer) text(e Event) {
	text := Sanitize(e.Text)
	if e.Sub {
		text = "  " + strings.ReplaceAll(text, "\n", "\n  ")
	}
	p.out.WriteString(text)
	p.out.WriteByte('\n')
}

// tool writes a call as one line.
func (p *Printer) tool(e Event) {
	name, detail := plain(e.Tool), plain(e.Detail)
	if p.opts.Width > 0 {
		const mark, gap = 2, 2
		detail = p.fit(detail, max(10, p.opts.Width-mark-ansi.StringWidth(name)-gap))
	}
	line := p.style(styleGreen, p.marks.tool) + " " + p.style(styleBold, name)
	if detail != "" {
		line += "  " + detail
	}
	p.line(e.Sub, line)
}

// toolResult writes the first line of an answer that failed.
func (p *Printer) toolResult(e Event) {
	if !e.Failed && !p.opts.Verbose {
		return // most of a session's events
	}
	text := plain(e.Text)
	if p.opts.Width > 0 {
		text = p.fit(text, max(10, p.opts.Width-4))
	}
	switch {
	case e.Failed:
		p.line(e.Sub, "  "+p.style(styleRed, p.marks.failed+" "+cmp.Or(text, "failed")))
	case text != "":
		p.line(e.Sub, "  "+p.style(styleDim, p.marks.answer+" "+text))
	}
}

// limit writes that a call was refused; that one was not is no news.
func (p *Printer) limit(l *Limit) {
	if l == nil || !l.Rejected && (!p.opts.Verbose || l.Utilization < 0) {
		return
	}
	window := strings.ReplaceAll(plain(l.Window), "_", " ")
	text := strings.TrimSpace("usage limit reached: " + window)
	if !l.Rejected {
		text = fmt.Sprintf("usage limit: %s, %.0f%% used", cmp.Or(window, "this window"), l.Utilization*100)
	}
	text = strings.TrimSuffix(text, ":")
	if !l.ResetsAt.IsZero() {
		text += ", resets " + l.ResetsAt.Local().Format("Mon Jan 2 15:04 MST")
	}
	p.line(false, p.style(styleYellow, p.marks.warn)+" "+text)
}

// result writes how the session ended and what it took, in one line.
func (p *Printer) result(r *Result) {
	if r == nil {
		return
	}
	line := p.style(styleBold, "session ended") + ": "
	if r.IsError {
		line = p.style(styleRed, "session failed") + ": "
		if r.Error != "" && r.Error != p.lastError {
			line += plain(r.Error) + ": "
		}
	}
	p.lastError = ""
	if usage := describeUsage(r); usage != "" {
		line += usage
	} else {
		line = strings.TrimSuffix(line, ": ")
	}
	for _, d := range r.Denied {
		p.line(false, p.style(styleYellow, p.marks.warn)+" not permitted: "+strings.TrimSpace(plain(d.Tool)+" "+plain(d.Detail)))
	}
	p.line(false, line)
}

func (p *Printer) line(sub bool, text string) {
	if sub {
		p.out.WriteString("  ")
	}
	p.out.WriteString(text)
	p.out.WriteByte('\n')
}

func (p *Printer) style(sgr, text string) string {
	if !p.opts.Color || text == "" {
		return text
	}
	return "\x1b[" + sgr + "m" + text + "\x1b[0m"
}

// fit cuts text to a number of columns.
func (p *Printer) fit(text string, width int) string {
	if len(text) <= width { // no character is wider than its bytes are many
		return text
	}
	dots := "…"
	if p.opts.ASCII {
		dots = "..."
	}
	return ansi.Truncate(text, width, dots)
}

// plain returns the text harmless and on one line.
func plain(text string) string {
	if isPlain(text) {
		return text
	}
	return strings.Join(strings.Fields(Sanitize(text)), " ")
}
