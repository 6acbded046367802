package help

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/alecthomas/kong"
)

// Path returns the words that call a command, such as "config show".
func Path(node *kong.Node) string {
	if node.Type == kong.ApplicationNode {
		return ""
	}
	return strings.TrimSpace(Path(node.Parent) + " " + node.Name)
}

// OtherWord returns ralph's command for what other programs call by this word,
// or "".
func OtherWord(word string) string {
	return map[string]string{
		"init": "setup", "ls": "list", "ps": "list", "log": "logs", "tail": "logs", "watch": "monitor", "attach": "monitor", "dashboard": "monitor",
		"kill": "stop", "abort": "stop", "continue": "resume", "check": "validate", "lint": "validate", "test": "verify", "prove": "verify",
		"settings": "config", "explain": "why", "summary": "report", "usage": "limits", "note": "context add", "version": "--version",
	}[word]
}

// BadValue returns an error where a flag or an argument is an empty text: a
// variable that a script never set. Empty does not mean left out: 'ralph stop ""'
// must not end the loop of this worktree. A text in another encoding is an error
// too: kong and the journal would change it.
func BadValue(ctx *kong.Context) error {
	for _, arg := range ctx.Args {
		if !utf8.ValidString(arg) {
			return fmt.Errorf("%q is not valid UTF-8: set the terminal to UTF-8", arg)
		}
	}
	empty := func(v *kong.Value) bool {
		return v.Target.Kind() == reflect.String && strings.TrimSpace(v.Target.String()) == ""
	}
	for _, at := range ctx.Path {
		switch {
		case at.Flag != nil && empty(at.Flag.Value):
			return fmt.Errorf("--%s is empty: give it a value, or leave it out", at.Flag.Name)
		case at.Positional != nil && empty(at.Positional):
			return fmt.Errorf("the %s is empty: write one, or leave it out", at.Positional.Name)
		}
	}
	return nil
}

// Elsewhere returns the commands that have the first flag of the command line that
// the chosen command does not have.
func Elsewhere(ctx *kong.Context) []string {
	for _, arg := range ctx.Args {
		word, _, _ := strings.Cut(arg, "=")
		if !strings.HasPrefix(word, "--") || hasFlag(ctx.Selected(), word) {
			continue
		}
		var others []string
		for _, leaf := range ctx.Model.Leaves(true) {
			if hasFlag(leaf, word) {
				others = append(others, "ralph "+Path(leaf))
			}
		}
		return others
	}
	return nil
}

func hasFlag(node *kong.Node, word string) bool {
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			if word == "--"+f.Name || slices.Contains(f.Aliases, word[2:]) {
				return true
			}
		}
	}
	return false
}
