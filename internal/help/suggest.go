package help

import (
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// misunderstood finds in an error of the parser the word that it does not know.
var misunderstood = regexp.MustCompile(`^(unexpected argument|unknown flag) (\S+?)(, did you mean .*)?$`)

// Suggest says the parser's error in our words; about a word that it does not
// know, with the one that was most likely meant.
func Suggest(err error) error {
	var parse *kong.ParseError
	if !errors.As(err, &parse) || parse.Context == nil {
		return err
	}
	node := parse.Context.Selected()
	if node == nil {
		node = parse.Context.Model.Node
	}
	m := misunderstood.FindStringSubmatch(parse.Error())
	if m == nil {
		return errors.New(plainly(node, parse.Error()))
	}
	if m[1] == "unknown flag" {
		return unknownFlag(node, m[2])
	}
	return unknownCommand(node, m[2], err)
}

func unknownFlag(node *kong.Node, word string) error {
	text := fmt.Sprintf("unknown flag %s", word)
	if best := Closest(word, flagNames(node)); best != "" {
		return fmt.Errorf("%s; did you mean %s?", text, best)
	}
	var others []string
	for _, leaf := range root(node).Leaves(true) {
		if slices.Contains(flagNames(leaf), word) {
			others = append(others, "ralph "+Path(leaf))
		}
	}
	if len(others) > 0 && len(others) < 4 {
		return fmt.Errorf("%s; it is one of: %s", text, strings.Join(others, ", "))
	}
	return errors.New(text)
}

// unknownCommand is about a word where a command could stand. Whoever calls a
// command that does nothing but call another, such as "config", may mean another
// one of its children.
func unknownCommand(node *kong.Node, word string, err error) error {
	if len(node.Children) == 0 && node.Parent != nil && node.Parent.DefaultCmd == node {
		node = node.Parent
	}
	if len(node.Children) == 0 {
		return err
	}
	text := fmt.Sprintf("there is no command %q", strings.TrimSpace(Path(node)+" "+word))
	var known []string
	for _, child := range node.Children {
		if !child.Hidden {
			known = append(append(known, child.Name), child.Aliases...)
		}
	}
	best := Closest(word, known)
	if best == "" && node.Type == kong.ApplicationNode {
		best = otherWord(word)
	}
	if best == "" {
		return errors.New(text)
	}
	return fmt.Errorf("%s; did you mean %q?", text, strings.TrimSpace(Path(node)+" "+best))
}

// otherWord is the command that other programs call by this word.
func otherWord(word string) string {
	return map[string]string{
		"init": "setup", "ls": "list", "ps": "list", "log": "logs", "tail": "logs", "watch": "monitor", "attach": "monitor", "dashboard": "monitor",
		"kill": "stop", "abort": "stop", "continue": "resume", "check": "validate", "lint": "validate", "test": "verify", "prove": "verify",
		"settings": "config", "explain": "why", "summary": "report", "usage": "limits", "note": "context add", "version": "--version",
	}[word]
}

func flagNames(node *kong.Node) []string {
	var names []string
	for _, group := range node.AllFlags(true) {
		for _, f := range group {
			names = append(names, "--"+f.Name)
			for _, alias := range f.Aliases {
				names = append(names, "--"+alias)
			}
			if f.Short != 0 {
				names = append(names, "-"+string(f.Short))
			}
		}
	}
	return names
}

func root(node *kong.Node) *kong.Node {
	for node.Parent != nil {
		node = node.Parent
	}
	return node
}

// Path is the words that call a command, such as "config show".
func Path(node *kong.Node) string {
	if node.Type == kong.ApplicationNode {
		return ""
	}
	return strings.TrimSpace(Path(node.Parent) + " " + node.Name)
}

// Closest is the name that a word is a slip of: one that begins with it, or has
// it with a letter wrong in three. It is empty where there is none.
func Closest(word string, names []string) string {
	best, least := "", len(word)/3+1
	for _, name := range names {
		if d := slips(word, name); d < least {
			best, least = name, d
		}
	}
	bare := strings.TrimLeft(word, "-")
	for _, name := range names {
		if best == "" && len(bare) > 1 && strings.HasPrefix(name, word) {
			best = name
		}
	}
	return best
}

// slips counts what must be changed to make one word the other: a letter more,
// less or another, or two that have changed places (the restricted
// Damerau-Levenshtein distance).
func slips(a, b string) int {
	before, last := make([]int, len(b)+1), make([]int, len(b)+1)
	for j := range last {
		last[j] = j
	}
	for i := range len(a) {
		row := make([]int, len(b)+1)
		row[0] = i + 1
		for j := range len(b) {
			same := 1
			if a[i] == b[j] {
				same = 0
			}
			row[j+1] = min(last[j]+same, row[j]+1, last[j+1]+1)
			if i > 0 && j > 0 && a[i] == b[j-1] && a[i-1] == b[j] {
				row[j+1] = min(row[j+1], before[j-1]+1)
			}
		}
		before, last = last, row
	}
	return last[len(b)]
}
