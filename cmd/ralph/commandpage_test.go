package main

import (
	"fmt"
	"os"
	"reflect"
	"strings"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"

	"ralph/internal/help"
)

const (
	commandsPage  = "../../docs/commands.md"
	commandsBegin = "<!-- The rest of this page is generated from the commands:\n" +
		"UPDATE_DOCS=1 go test ./cmd/ralph -run TestTheCommandsPage -->\n"
)

// TestTheCommandsPageIsUpToDate compares docs/commands.md with the grammar, the examples
// of the help and its topic exit-codes. UPDATE_DOCS=1 writes the page.
func TestTheCommandsPageIsUpToDate(t *testing.T) {
	t.Parallel()
	page, err := os.ReadFile(commandsPage)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, ok := strings.Cut(string(page), commandsBegin)
	if !ok {
		t.Fatalf("%s lacks the line %s", commandsPage, commandsBegin)
	}
	var cli grammar
	parser, err := kong.New(&cli, options()...)
	if err != nil {
		t.Fatal(err)
	}
	var out strings.Builder
	out.WriteString(prose + commandsBegin)
	listed := map[string]bool{}
	for _, group := range append(help.Groups(), help.Group{Title: "Also"}) {
		title := fmt.Sprintf("\n## %s\n", group.Title)
		for _, command := range group.Members(parser.Model, listed) {
			listed[command.Name] = true
			out.WriteString(title)
			title = ""
			leaves := []*kong.Node{command}
			if len(command.Children) > 0 {
				leaves = command.Leaves(true)
			}
			for _, leaf := range leaves {
				commandSection(&out, leaf)
			}
		}
	}
	exitCodes(t, &out)
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(commandsPage, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(out.String(), string(page)); diff != "" {
		t.Errorf("%s is out of date; update it with UPDATE_DOCS=1 go test ./cmd/ralph "+
			"-run TestTheCommandsPage\n%s", commandsPage, diff)
	}
}

// commandSection describes one command: what it does, its arguments, flags and examples.
func commandSection(out *strings.Builder, leaf *kong.Node) {
	path := help.Path(leaf)
	fmt.Fprintf(out, "\n### ralph %s\n\n%s", path, leaf.Help)
	if len(leaf.Aliases) > 0 {
		fmt.Fprintf(out, " Also: `ralph %s`.", strings.Join(leaf.Aliases, "`, `ralph "))
	}
	out.WriteString("\n")
	var rows strings.Builder
	for _, argument := range leaf.Positional {
		fmt.Fprintf(&rows, "| `%s` | %s |\n", argument.Summary(), cell(argument.Help))
	}
	if path == "start" {
		rows.WriteString("| | All flags of `ralph run`, but for `--monitor`. |\n")
	}
	shared := reflect.TypeFor[loopFlags]()
	for _, flag := range leaf.Flags {
		_, isLoops := shared.FieldByName(fieldName(flag.Name))
		if !flag.Hidden && flag.Name != "help" && !(isLoops && path == "start") {
			fmt.Fprintf(&rows, "| %s | %s |\n", flagNames(flag), cell(flag.Help))
		}
	}
	if rows.Len() > 0 {
		fmt.Fprintf(out, "\n| argument or flag | |\n| --- | --- |\n%s", rows.String())
	}
	if examples := help.Examples(path); len(examples) > 0 {
		fmt.Fprintf(out, "\n```text\n%s\n```\n", strings.Join(examples, "\n"))
	}
}

// fieldName is the Go name that kong makes a flag of.
func fieldName(flag string) string {
	var name strings.Builder
	for word := range strings.SplitSeq(flag, "-") {
		name.WriteString(strings.ToUpper(word[:1]) + word[1:])
	}
	return name.String()
}

// flagNames lists what a flag can be typed as.
func flagNames(flag *kong.Flag) string {
	value := ""
	if !flag.IsBool() {
		value = " " + strings.Trim(flag.FormatPlaceHolder(), `"`)
	}
	names := []string{"`--" + flag.Name + value + "`"}
	if flag.Short != 0 {
		names = append([]string{"`-" + string(flag.Short) + "`"}, names...)
	}
	for _, alias := range flag.Aliases {
		names = append(names, "`--"+alias+"`")
	}
	return strings.Join(names, ", ")
}

func cell(text string) string { return strings.ReplaceAll(text, "|", `\|`) }

// exitCodes adds the tables of the topic exit-codes.
func exitCodes(t *testing.T, out *strings.Builder) {
	t.Helper()
	topic, err := help.Topic("exit-codes", nil)
	if err != nil {
		t.Fatal(err)
	}
	out.WriteString("\n## Exit codes\n\n| code | meaning |\n| --- | --- |\n")
	inReasons := false
	for line := range strings.Lines(topic) {
		words := strings.Fields(line)
		switch {
		case len(words) > 2 && words[0] == "reason":
			out.WriteString("\n## Why a run ended\n\n| reason | status | exit | |\n| --- | --- | --- | --- |\n")
			inReasons = true
		case inReasons && len(words) == 0:
			return
		case inReasons:
			fmt.Fprintf(out, "| `%s` | `%s` | %s | %s |\n", words[0], words[1],
				strings.Replace(words[2], "-", "–", 1), strings.Join(words[3:], " "))
		case len(words) > 1 && words[0][0] >= '0' && words[0][0] <= '9':
			fmt.Fprintf(out, "| %s | %s |\n", words[0], strings.Join(words[1:], " "))
		}
	}
}
