package main

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/alecthomas/kong"
)

// manual writes the manual pages into a folder: one for the program, one for each
// command, and one in section 7 for each topic of the help. It is what the word
// __man does: args are the folder and the date that the pages bear.
func manual(args []string) error {
	if len(args) != 2 {
		return errors.New("usage: ralph __man FOLDER DATE")
	}
	folder, date := args[0], args[1]
	var cli grammar
	parser, err := kong.New(&cli, options()...)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return err
	}
	pages := []*manPage{programPage(parser.Model)}
	for _, leaf := range parser.Model.Leaves(true) {
		pages = append(pages, commandPage(leaf))
	}
	for _, name := range topics() {
		p, err := topicPage(name)
		if err != nil {
			return err
		}
		pages = append(pages, p)
	}
	for _, p := range pages {
		path := filepath.Join(folder, fmt.Sprintf("%s.%d", p.name, p.section))
		if err := os.WriteFile(path, []byte(p.text(date)), 0o644); err != nil {
			return err
		}
	}
	return nil
}

func programPage(app *kong.Application) *manPage {
	p := &manPage{name: "ralph", section: 1}
	p.heading("NAME", "ralph - run a coding agent in a loop until a plan is done")
	p.heading("SYNOPSIS", "")
	p.line(".B ralph")
	p.line(".I command")
	p.line("[flags]")
	p.heading("DESCRIPTION", description)
	for _, g := range commandGroups() {
		p.line(".SS %s", manText(g.title))
		for _, c := range g.members(app, nil) {
			p.item(`\fB`+manText(c.Name)+`\fR`, c.Help)
		}
	}
	p.heading("OPTIONS", "")
	p.flags(app.Flags)
	p.heading("ENVIRONMENT", "")
	p.item(`\fBRALPH_HOME\fR`, "In place of ~/.ralph, where your settings are.")
	p.item(`\fBRALPH_PAGER\fR, \fBPAGER\fR`, "What shows help that is longer than the screen.")
	p.item(`\fBRALPH_\fIKEY\fR`, "The setting of that last name, such as RALPH_MAX_ITERATIONS.")
	p.item(`\fBNO_COLOR\fR`, "Use no colours.")
	p.item(`\fBLC_ALL\fR, \fBLC_CTYPE\fR, \fBLANG\fR`, "The first that is set says whether symbols beyond ASCII are shown.")
	p.heading("EXIT STATUS", exitCodes)
	var also []string
	for _, leaf := range app.Leaves(true) {
		also = append(also, manName(leaf)+"(1)")
	}
	for _, name := range topics() {
		also = append(also, "ralph-"+name+"(7)")
	}
	p.seeAlso(also)
	return p
}

func manName(node *kong.Node) string { return "ralph-" + strings.ReplaceAll(nodePath(node), " ", "-") }

func commandPage(node *kong.Node) *manPage {
	p := &manPage{name: manName(node), section: 1}
	p.heading("NAME", p.name+" - "+strings.TrimSuffix(strings.ToLower(node.Help[:1])+node.Help[1:], "."))
	p.heading("SYNOPSIS", "")
	p.line(".B ralph %s", manText(nodePath(node)))
	for _, arg := range node.Positional {
		p.line("%s", manText(arg.Summary()))
	}
	p.line("[flags]")
	p.heading("DESCRIPTION", node.Help)
	if len(node.Aliases) > 0 {
		p.line("Also: ralph %s.", manText(strings.Join(node.Aliases, ", ")))
	}
	for _, arg := range node.Positional {
		p.item(`\fI`+manText(arg.Name)+`\fR`, arg.Help)
	}
	p.heading("OPTIONS", "")
	p.flags(node.Flags)
	p.flags(parentmost(node).Flags)
	p.heading("EXAMPLES", "")
	p.verbatim(strings.Join(examplesOf(nodePath(node)), "\n"))
	p.heading("EXIT STATUS", exitCodes)
	p.seeAlso([]string{"ralph(1)", "ralph-exit-codes(7)"})
	return p
}

func topicPage(name string) (*manPage, error) {
	text, err := topic(name)
	if err == nil && name == "settings" {
		text, err = settingsTopic(text)
	}
	if err != nil {
		return nil, err
	}
	title, rest, _ := strings.Cut(text, "\n")
	p := &manPage{name: "ralph-" + name, section: 7}
	p.heading("NAME", p.name+" - "+strings.ToLower(title[:1])+title[1:])
	p.heading("DESCRIPTION", "")
	p.verbatim(strings.Trim(rest, "\n"))
	p.seeAlso([]string{"ralph(1)"})
	return p, nil
}
