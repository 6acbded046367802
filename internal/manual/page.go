package manual

import (
	"fmt"
	"strings"

	"github.com/alecthomas/kong"
)

// page is a manual page in the making, in the macros of man(7), which every
// system knows.
type page struct {
	name    string
	section int
	body    strings.Builder
}

// text is the whole page.
func (p *page) text(version, date string) string {
	return fmt.Sprintf(".TH %s %d \"%s\" \"ralph %s\" \"ralph\"\n", strings.ToUpper(p.name), p.section, date, version) + p.body.String()
}

// line adds a line; what is not a macro in it must be escaped already.
func (p *page) line(format string, args ...any) { fmt.Fprintf(&p.body, format+"\n", args...) }

func (p *page) heading(title, text string) {
	p.line(".SH %s", title)
	if text != "" {
		p.line("%s", escaped(text))
	}
}

// item adds a tagged paragraph; the tag is escaped already.
func (p *page) item(tag, text string) {
	p.line(".TP\n%s\n%s", tag, escaped(text))
}

// verbatim adds lines as they are.
func (p *page) verbatim(text string) { p.line(".nf\n%s\n.fi", escaped(text)) }

func (p *page) seeAlso(pages []string) { p.heading("SEE ALSO", strings.Join(pages, ",\n")) }

func (p *page) flags(flags []*kong.Flag) {
	for _, f := range flags {
		if f.Hidden {
			continue
		}
		tag := `\fB\-\-` + escaped(f.Name) + `\fR`
		if f.Short != 0 {
			tag = fmt.Sprintf(`\fB\-%c\fR, `, f.Short) + tag
		}
		if !f.IsBool() {
			tag += ` \fI` + escaped(f.FormatPlaceHolder()) + `\fR`
		}
		for _, alias := range f.Aliases {
			tag += `, \fB\-\-` + escaped(alias) + `\fR`
		}
		p.item(tag, f.Help)
	}
}

// escaped makes a text mean nothing to troff, and keeps a hyphen that is typed
// one that can be copied.
func escaped(text string) string {
	text = strings.NewReplacer(`\`, `\e`, "-", `\-`, "'", `\(aq`, "^", `\(ha`, "~", `\(ti`, "`", `\(ga`).Replace(text)
	lines := strings.Split(text, "\n")
	for i, l := range lines {
		if strings.HasPrefix(l, ".") {
			lines[i] = `\&` + l
		}
	}
	return strings.Join(lines, "\n")
}
