package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/alecthomas/kong"
)

// completionLimit is how long a shell waits for what can be typed next: a person
// has pressed a key.
const completionLimit = 2 * time.Second

// candidate is a word that can stand where the cursor is, and what it is.
type candidate struct{ value, about string }

// Candidates that ask the shell for what it knows better.
const (
	anyFile   = ":files"
	anyFolder = ":folders"
)

// complete answers a shell: words are those behind "ralph" up to the cursor, the
// last one as far as it was typed. It prints a line for each candidate, with a
// tab before what it is. It only looks, and nothing is wrong for it: a shell
// that completes must not fill the screen with errors.
func complete(words []string) int {
	ctx, cancel := context.WithTimeout(context.Background(), completionLimit)
	defer cancel()
	var cli grammar
	parser, err := kong.New(&cli, options()...)
	if err != nil {
		return 1
	}
	if len(words) == 0 {
		words = []string{""}
	}
	silent := &terminal{in: os.Stdin, out: io.Discard, err: io.Discard}
	c := &completion{app: &app{ctx: ctx, t: silent, home: ralphHome()}, root: parser.Model.Node, node: parser.Model.Node, given: map[string]string{}}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, found := range c.candidates(words) {
		if found.about == "" {
			fmt.Fprintln(out, found.value)
			continue
		}
		fmt.Fprintf(out, "%s\t%s\n", found.value, shortened(oneLine(found.about), 60))
	}
	return 0
}

// completion is how far a command line is understood.
type completion struct {
	app      *app
	root     *kong.Node        // the program
	node     *kong.Node        // the command
	args     []string          // its arguments
	given    map[string]string // its flags, by name
	flag     *kong.Flag        // whose value comes next
	onlyArgs bool              // behind --
}

func (c *completion) candidates(words []string) []candidate {
	for _, w := range words[:len(words)-1] {
		c.read(w)
	}
	last := words[len(words)-1]
	name, value, hasValue := strings.Cut(last, "=")
	var found []candidate
	switch {
	case c.flag != nil:
		found = c.values(c.flag.Value)
	case strings.HasPrefix(last, "--") && hasValue && !c.onlyArgs:
		if f := c.flagNamed(name); f != nil && !f.IsBool() {
			return c.prefixed(name+"=", value, c.values(f.Value))
		}
	case strings.HasPrefix(last, "-") && !c.onlyArgs:
		found = c.flags(last)
	default:
		found = c.words()
	}
	return beginning(last, found)
}

// read takes a word that is complete.
func (c *completion) read(w string) {
	switch {
	case c.flag != nil:
		c.given[c.flag.Name], c.flag = w, nil
	case w == "--" && !c.onlyArgs:
		c.onlyArgs = true
	case strings.HasPrefix(w, "-") && len(w) > 1 && !c.onlyArgs:
		name, value, hasValue := strings.Cut(w, "=")
		f := c.flagNamed(name)
		if f == nil {
			return
		}
		c.given[f.Name] = value
		if !f.IsBool() && !hasValue {
			c.flag = f
		}
	default:
		i := slices.IndexFunc(c.node.Children, func(n *kong.Node) bool { return n.Name == w || slices.Contains(n.Aliases, w) })
		if i >= 0 && len(c.args) == 0 {
			c.node = c.node.Children[i]
			return
		}
		c.args = append(c.args, w)
	}
}

func (c *completion) flagNamed(name string) *kong.Flag {
	for _, group := range c.node.AllFlags(false) {
		for _, f := range group {
			if name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short) || slices.Contains(f.Aliases, strings.TrimPrefix(name, "--")) {
				return f
			}
		}
	}
	return nil
}

// flags are those of the command that are not given yet; other names of them
// only for whoever begins to type one.
func (c *completion) flags(typed string) (found []candidate) {
	groups := c.node.AllFlags(true)
	slices.Reverse(groups) // the command's own first
	for _, f := range slices.Concat(groups...) {
		if _, given := c.given[f.Name]; given {
			continue
		}
		found = append(found, candidate{"--" + f.Name, f.Help})
		for _, alias := range f.Aliases {
			if len(typed) > 2 && !strings.HasPrefix("--"+f.Name, typed) {
				found = append(found, candidate{"--" + alias, f.Help})
			}
		}
	}
	return found
}

// words are what can stand where no flag does: a command, or an argument.
func (c *completion) words() (found []candidate) {
	for _, child := range c.node.Children {
		if !child.Hidden && len(c.args) == 0 {
			found = append(found, candidate{child.Name, child.Help})
		}
	}
	if n := len(c.node.Positional); n > 0 {
		if p := c.node.Positional[min(len(c.args), n-1)]; len(c.args) < n || p.IsCumulative() {
			found = append(found, c.values(p)...)
		}
	}
	return found
}

// prefixed are values as a shell wants them behind the name of a flag.
func (c *completion) prefixed(prefix, typed string, values []candidate) []candidate {
	values = beginning(typed, values)
	for i, v := range values {
		if v.value != anyFile && v.value != anyFolder {
			values[i].value = prefix + v.value
		}
	}
	return values
}

// beginning are the candidates that go on from what was typed, each once.
func beginning(typed string, all []candidate) []candidate {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(c candidate) bool {
		told := seen[c.value]
		seen[c.value] = true
		wrong := c.value != anyFile && c.value != anyFolder && !strings.HasPrefix(c.value, typed)
		return told || wrong || strings.ContainsAny(c.value, "\t\n")
	})
}
