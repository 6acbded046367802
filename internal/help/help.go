// Package help prints the help of the program and of each command, examples and topics, and
// suggests the nearest word for an unknown one. It takes commands and flags from the parser's
// model, so that the help always agrees with the parser.
package help

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
	"github.com/tidwall/gjson"

	"ralph/internal/config"
)

// TopicList is what 'ralph help topics' shows.
func TopicList() string {
	var b strings.Builder
	b.WriteString("Topics\n\n")
	for _, name := range Topics() {
		fmt.Fprintf(&b, "  ralph help %-12s %s\n", name, Title(name))
	}
	return b.String()
}

// settingsTopic adds each key with its built-in value.
func settingsTopic(text string, example []byte) (string, error) {
	loaded, err := config.Load(config.Input{Example: example})
	if err != nil {
		return "", err
	}
	schema, err := config.Schema(example)
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

// ExitCodes is the table of exit codes in short; the topic exit-codes has it all.
const ExitCodes = `Exit codes: 0 done, 1 not done, 2 stopped at the usage limit, 80 bad command
line, 130 Ctrl-C, 143 SIGTERM, SIGHUP or 'ralph stop' (ralph help exit-codes)`

// Groups is the order of the commands in 'ralph --help'. A command that
// is in not one of them comes last.
func Groups() []Group {
	return []Group{
		{"Plan", []string{"plan", "import", "prd", "validate", "setup"}},
		{"Run", []string{"run", "start", "stop", "pause", "resume", "context", "set", "allow", "unpark"}},
		{"Watch", []string{"status", "monitor", "logs", "list", "limits"}},
		{"Afterwards", []string{"history", "why", "report", "pr", "verify", "undo", "archive"}},
		{"More", []string{"demo", "doctor", "config", "mcp", "compat", "completion", "help"}},
	}
}

// Group is some commands of one purpose.
type Group struct {
	Title    string
	commands []string
}

// Program writes what 'ralph --help' shows.
func Program(text *bytes.Buffer, app *kong.Application) {
	fmt.Fprintf(text, "Usage: ralph COMMAND [flags]\n\n%s\n", app.Help)
	listed := map[string]bool{}
	for _, g := range append(Groups(), Group{Title: "Also"}) {
		heading := "\n" + g.Title + "\n"
		for _, c := range g.Members(app, listed) {
			listed[c.Name] = true
			fmt.Fprintf(text, "%s  %-10s  %s\n", heading, c.Name, c.Help)
			heading = ""
		}
	}
	fmt.Fprintf(text, "\nFlags\n  --color WHEN  auto, always or never\n  --version     print the version\n")
	fmt.Fprintf(text, "\n%s\n\nMore: ralph COMMAND --help, ralph help topics\n", ExitCodes)
}

// Members are the group's commands; where it names none, all those that are not
// listed.
func (g Group) Members(app *kong.Application, listed map[string]bool) []*kong.Node {
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

// Command writes what --help shows of the chosen command: the parser's own
// description, and examples.
func Command(text *bytes.Buffer, o kong.HelpOptions, ctx *kong.Context) error {
	o.WrapUpperBound = Width // the buffer has no width of its own
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
		for _, line := range Examples(Path(c)) {
			fmt.Fprintf(text, "  %s\n", line)
		}
	}
	fmt.Fprintf(text, "\n%s\n", ExitCodes)
	return nil
}
