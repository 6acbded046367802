// Command picture draws a terminal as an SVG image: text with SGR colour codes
// on standard input, as "tmux capture-pane -e -p" prints it, becomes a window
// on standard output. The argument is the terminal's width in columns.
package main

import (
	"bufio"
	"fmt"
	"html"
	"io"
	"os"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"
)

// The geometry in pixels: a cell, the border around the text, the title bar.
const (
	cellWidth  = 7.8
	cellHeight = 18
	border     = 18
	bar        = 34
)

const head = `<svg xmlns="http://www.w3.org/2000/svg" width="%[1]d" height="%[2]d" viewBox="0 0 %[1]d %[2]d" role="img">
<title>ralph demo in a terminal</title>
<style>
text{font:13px ui-monospace,SFMono-Regular,Menlo,Consolas,"DejaVu Sans Mono","Liberation Mono",monospace;fill:#d5d9e0;white-space:pre}
.b{font-weight:700;fill:#fff}.d{fill:#8b949e}.r{fill:#ff7b72}.g{fill:#56d364}.y{fill:#e3b341}.c{fill:#76c7e8}
</style>
<rect x=".5" y=".5" width="%[3]d" height="%[4]d" rx="9" fill="#15191f" stroke="#4b535d"/>
<circle cx="21" cy="18" r="5.5" fill="#ff5f57"/><circle cx="40" cy="18" r="5.5" fill="#febc2e"/><circle cx="59" cy="18" r="5.5" fill="#28c840"/>
`

// The style of each SGR code in the picture; see ECMA-48, 8.3.117.
var (
	weights = map[int]string{0: "", 1: "b", 2: "d", 22: ""}
	colours = map[int]string{0: "", 31: "r", 32: "g", 33: "y", 36: "c", 39: ""}
)

// sgr matches one control sequence that sets colours; its group is the codes.
var sgr = regexp.MustCompile(`\x1b\[([0-9;]*)m`)

func main() {
	if err := run(os.Args[1:], os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

func run(args []string, in io.Reader, out io.Writer) error {
	if len(args) != 1 {
		return fmt.Errorf("wants the number of columns, has %q", args)
	}
	columns, err := strconv.Atoi(args[0])
	if err != nil {
		return err
	}
	text, err := io.ReadAll(in)
	if err != nil {
		return err
	}
	lines := strings.Split(strings.TrimRight(string(text), "\n"), "\n")
	width := int(float64(columns)*cellWidth) + 2*border
	height := bar + len(lines)*cellHeight + border
	w := bufio.NewWriter(out)
	fmt.Fprintf(w, head, width, height, width-1, height-1)
	var p pen
	for i, line := range lines {
		p.line(w, line, bar+(i+1)*cellHeight-5)
	}
	fmt.Fprintln(w, "</svg>")
	return w.Flush()
}

// pen holds the style between codes; tmux carries it over the end of a line.
type pen struct{ weight, colour string }

// line draws one line of the terminal with its baseline at y.
func (p *pen) line(w io.Writer, line string, y int) {
	column, from := 0, 0
	for _, at := range sgr.FindAllStringSubmatchIndex(line, -1) {
		column = p.span(w, line[from:at[0]], column, y)
		p.set(line[at[2]:at[3]])
		from = at[1]
	}
	p.span(w, line[from:], column, y)
}

// set takes the codes of one control sequence; an empty one is a reset.
func (p *pen) set(codes string) {
	for code := range strings.SplitSeq(codes, ";") {
		n, _ := strconv.Atoi(code)
		if weight, known := weights[n]; known {
			p.weight = weight
		}
		if colour, known := colours[n]; known {
			p.colour = colour
		}
	}
}

// span draws text of one style and returns the column after it. Its length is
// given, so that columns stay columns in whatever font the reader has.
func (p *pen) span(w io.Writer, text string, column, y int) int {
	end := column + utf8.RuneCountInString(text)
	shown := strings.TrimRight(text, " ")
	column += len(shown) - len(strings.TrimLeft(shown, " "))
	if shown = strings.TrimLeft(shown, " "); shown == "" {
		return end
	}
	class := strings.TrimSpace(p.weight + " " + p.colour)
	if class != "" {
		class = ` class="` + class + `"`
	}
	fmt.Fprintf(w, "<text%s x=\"%.1f\" y=\"%d\" textLength=\"%.1f\">%s</text>\n", class,
		border+float64(column)*cellWidth, y, float64(utf8.RuneCountInString(shown))*cellWidth, html.EscapeString(shown))
	return end
}
