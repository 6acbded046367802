package main

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// manPage is a manual page in the making, in the macros of man(7), which every
// system knows.
type manPage struct {
	name    string
	section int
	body    strings.Builder
}

// text is the whole page.
func (p *manPage) text(date string) string {
	return fmt.Sprintf(".TH %s %d \"%s\" \"ralph %s\" \"ralph\"\n", strings.ToUpper(p.name), p.section, date, version) + p.body.String()
}

// line adds a line; what is not a macro in it must be escaped already.
func (p *manPage) line(format string, args ...any) { fmt.Fprintf(&p.body, format+"\n", args...) }

func (p *manPage) heading(title, text string) {
	p.line(".SH %s", title)
	if text != "" {
		p.line("%s", manText(text))
	}
}

// item adds a tagged paragraph; the tag is escaped already.
func (p *manPage) item(tag, text string) {
	p.line(".TP\n%s\n%s", tag, manText(text))
}

// verbatim adds lines as they are.
func (p *manPage) verbatim(text string) { p.line(".nf\n%s\n.fi", manText(text)) }

func (p *manPage) seeAlso(pages []string) { p.heading("SEE ALSO", strings.Join(pages, ",\n")) }

func (p *manPage) flags(flags []*kong.Flag) {
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		tag := `\fB\-\-` + manText(f.Name) + `\fR`
		if f.Short != 0 {
			tag = fmt.Sprintf(`\fB\-%c\fR, `, f.Short) + tag
		}
		if !f.IsBool() {
			tag += ` \fI` + manText(f.FormatPlaceHolder()) + `\fR`
		}
		for _, alias := range f.Aliases {
			tag += `, \fB\-\-` + manText(alias) + `\fR`
		}
		p.item(tag, f.Help)
	}
}

// manText makes a text mean nothing to troff, and keeps a hyphen that is typed
// one that can be copied.
func manText(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
