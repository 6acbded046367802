package main

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/tidwall/gjson"

	"ralph"
	"ralph/internal/config"
)

// helpCmd is "ralph help".
type helpCmd struct {
	About []string `arg:"" optional:"" help:"A command, a topic, or 'topics' for their list." predictor:"help"`
}

// Run carries the command out.
func (c *helpCmd) Run(a *app) error {
	name := strings.Join(c.About, " ")
	switch {
	case name == "topics":
		a.t.paged(topicList())
		return nil
	case slices.Contains(topics(), name):
		text, err := topic(name)
		if err == nil && name == "settings" {
			text, err = settingsTopic(text)
		}
		if err == nil {
			a.t.paged(text)
		}
		return err
	}
	var cli grammar
	parser, err := kong.New(&cli, options()...)
	if err != nil {
		return err
	}
	if _, err = parser.Parse(append(slices.Clone(c.About), "--help")); err == nil {
		return nil // not reached: the parser ends the program behind the help
	}
	if best := closest(name, topics()); best != "" {
		return &hintError{fmt.Errorf("there is neither a command nor a topic %q", name), "did you mean: ralph help " + best}
	}
	return &hintError{suggest(err), "see: ralph help topics"}
}

func topicList() string {
	var b strings.Builder
	b.WriteString("Topics\n\n")
	for _, name := range topics() {
		fmt.Fprintf(&b, "  ralph help %-12s %s\n", name, topicTitle(name))
	}
	return b.String()
}

// settingsTopic adds each key with its built-in value.
func settingsTopic(text string) (string, error) {
	loaded, err := config.Load(config.Input{Example: ralph.ConfigExample})
	if err != nil {
		return "", err
	}
	schema, err := config.Schema(ralph.ConfigExample)
	if err != nil {
		return "", err
	}
	var b strings.Builder
	b.WriteString(text + "\n")
	for _, e := range loaded.Entries() {
		path := "properties." + strings.ReplaceAll(e.Key, ".", ".anyOf.0.properties.") + ".description"
		mark := " "
		if strings.HasPrefix(gjson.GetBytes(schema, path).String(), "[yours]") {
			mark = "*"
		}
		fmt.Fprintf(&b, "%s %-37s %s\n", mark, e.Key, e.Text())
	}
	b.WriteString("\nNames of your own go into quality_checks and harnesses*.\n")
	return b.String(), nil
}

// commandGroups is the order of the commands in 'ralph --help'. A command that
// is in none of them comes last.
func commandGroups() []commandGroup {
	return []commandGroup{
		{"Plan", []string{"plan", "prd", "validate", "setup"}},
		{"Run", []string{"run", "start", "stop", "pause", "resume", "context"}},
		{"Watch", []string{"status", "monitor", "logs", "list", "limits"}},
		{"Afterwards", []string{"history", "why", "report", "pr", "verify", "archive"}},
		{"More", []string{"demo", "doctor", "config", "mcp", "completion", "help"}},
	}
}

type commandGroup struct {
	title    string
	commands []string
}

// printHelp is what --help shows: of the program or of one command.
func printHelp(o kong.HelpOptions, ctx *kong.Context) error {
	t := newTerminal("auto")
	var text bytes.Buffer
	if ctx.Selected() == nil {
		programHelp(&text, ctx.Model)
	} else if err := commandHelp(&text, o, ctx, t.width()); err != nil {
		return err
	}
	t.out = ctx.Stdout
	t.paged(text.String())
	return nil
}

func programHelp(text *bytes.Buffer, app *kong.Application) {
	fmt.Fprintf(text, "Usage: ralph COMMAND [flags]\n\n%s\n", description)
	listed := map[string]bool{}
	for _, g := range append(commandGroups(), commandGroup{title: "Also"}) {
		heading := "\n" + g.title + "\n"
		for _, c := range g.members(app, listed) {
			listed[c.Name] = true
			fmt.Fprintf(text, "%s  %-10s  %s\n", heading, c.Name, c.Help)
			heading = ""
		}
	}
	fmt.Fprintf(text, "\nFlags\n  --color WHEN  auto, always or never\n  --version     print the version\n")
	fmt.Fprintf(text, "\n%s\n\nMore: ralph COMMAND --help, ralph help topics\n", exitCodes)
}

// members are the group's commands, or those in no group where it names none.
func (g commandGroup) members(app *kong.Application, listed map[string]bool) []*kong.Node {
	var found []*kong.Node
	for _, name := range g.commands {
		if i := slices.IndexFunc(app.Children, func(n *kong.Node) bool { return n.Name == name }); i >= 0 {
			found = append(found, app.Children[i])
		}
	}
	if g.commands != nil {
		return found
	}
	return slices.DeleteFunc(slices.Clone(app.Children), func(n *kong.Node) bool { return listed[n.Name] || n.Hidden })
}

// commandHelp is the parser's own description of the command, and examples.
func commandHelp(text *bytes.Buffer, o kong.HelpOptions, ctx *kong.Context, width int) error {
	o.WrapUpperBound = min(80, width) // the buffer has no width of its own
	out := ctx.Stdout
	ctx.Stdout = text
	err := kong.DefaultHelpPrinter(o, ctx)
	ctx.Stdout = out
	if err != nil {
		return err
	}
	node := ctx.Selected()
	commands := []*kong.Node{node}
	if len(node.Children) > 0 {
		commands = node.Leaves(true)
	}
	fmt.Fprint(text, "\nExamples:\n")
	for _, c := range commands {
		for _, line := range examplesOf(nodePath(c)) {
			fmt.Fprintf(text, "  %s\n", line)
		}
	}
	fmt.Fprintf(text, "\n%s\n", exitCodes)
	return nil
}
