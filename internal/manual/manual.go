// Package manual writes ralph's manual pages: one for the program, one for each command, and
// one in section 7 for each help topic.
package manual

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"

	"ralph/internal/help"
)

// Manual has the input for the manual pages.
type Manual struct {
	App      *kong.Application
	Settings []byte // config.yaml.example
	Version  string
	Date     string // that the pages bear
}

// Write writes the pages into a folder, and creates the folder if needed.
func (m Manual) Write(folder string) error {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	pages := []*page{programPage(m.App)}
	for _, leaf := range m.App.Leaves(true) {
		pages = append(pages, commandPage(m.App, leaf))
	}
	for _, name := range help.Topics() {
		p, err := topicPage(name, m.Settings)
		if err != nil {
			return err
		}
		pages = append(pages, p)
	}
	for _, p := range pages {
		path := filepath.Join(folder, fmt.Sprintf("%s.%d", p.name, p.section))
		if err := os.WriteFile(path, []byte(p.text(m.Version, m.Date)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func programPage(app *kong.Application) *page {
	p := &page{name: "ralph", section: 1}
	p.heading("NAME", "ralph - run a coding agent in a loop until a plan is done")
	p.heading("SYNOPSIS", "")
	p.line(".B ralph")
	p.line(".I command")
	p.line("[flags]")
	p.heading("DESCRIPTION", app.Help)
	for _, g := range help.Groups() {
		p.line(".SS %s", escaped(g.Title))
		for _, c := range g.Members(app, nil) {
			p.item(`\fB`+escaped(c.Name)+`\fR`, c.Help)
		}
	}
	p.heading("OPTIONS", "")
	p.flags(app.Flags)
	p.heading("ENVIRONMENT", "")
	p.item(`\fBRALPH_HOME\fR`, "The folder of your settings, in place of ~/.ralph.")
	p.item(`\fBRALPH_PAGER\fR, \fBPAGER\fR`, "The pager for help that is longer than the screen.")
	p.item(`\fBRALPH_\fIKEY\fR`, "A setting, such as RALPH_MAX_ITERATIONS; see ralph-settings(7).")
	p.item(`\fBNO_COLOR\fR`, "Use no colours.")
	p.item(`\fBLC_ALL\fR, \fBLC_CTYPE\fR, \fBLANG\fR`, "The first one that is set decides whether symbols beyond ASCII are shown.")
	p.heading("EXIT STATUS", help.ExitCodes)
	var also []string
	for _, leaf := range app.Leaves(true) {
		also = append(also, pageName(leaf)+"(1)")
	}
	for _, name := range help.Topics() {
		also = append(also, "ralph-"+name+"(7)")
	}
	p.seeAlso(also)
	return p
}

func pageName(node *kong.Node) string {
	return "ralph-" + strings.ReplaceAll(help.Path(node), " ", "-")
}

func commandPage(app *kong.Application, node *kong.Node) *page {
	p := &page{name: pageName(node), section: 1}
	p.heading("NAME", p.name+" - "+strings.TrimSuffix(strings.ToLower(node.Help[:1])+node.Help[1:], "."))
	p.heading("SYNOPSIS", "")
	p.line(".B ralph %s", escaped(help.Path(node)))
	for _, arg := range node.Positional {
		p.line("%s", escaped(arg.Summary()))
	}
	p.line("[flags]")
	p.heading("DESCRIPTION", node.Help)
	if len(node.Aliases) > 0 {
		p.line("Also: ralph %s.", escaped(strings.Join(node.Aliases, ", ")))
	}
	for _, arg := range node.Positional {
		p.item(`\fI`+escaped(arg.Name)+`\fR`, arg.Help)
	}
	p.heading("OPTIONS", "")
	p.flags(node.Flags)
	p.flags(app.Flags)
	p.heading("EXAMPLES", "")
	p.verbatim(strings.Join(help.Examples(help.Path(node)), "\n"))
	p.heading("EXIT STATUS", help.ExitCodes)
	p.seeAlso([]string{"ralph(1)", "ralph-exit-codes(7)"})
	return p
}

func topicPage(name string, settings []byte) (*page, error) {
	text, err := help.Topic(name, settings)
	if err != nil {
		return nil, err
	}
	title, rest, _ := strings.Cut(text, "\n")
	p := &page{name: "ralph-" + name, section: 7}
	p.heading("NAME", p.name+" - "+strings.ToLower(title[:1])+title[1:])
	p.heading("DESCRIPTION", "")
	p.verbatim(strings.Trim(rest, "\n"))
	p.seeAlso([]string{"ralph(1)"})
	return p, nil
}
