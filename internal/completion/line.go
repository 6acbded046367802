// Package completion parses an incomplete command line and returns the words that can come next.
// It knows only the parser's model. For values that depend on the machine, such as units and
// stories, a line returns their kinds (Kinds) and gets the values from its caller (Candidates).
package completion

import (
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// Candidate is a possible word at the cursor, with its description.
type Candidate struct{ Value, About string }

// Candidates that ask the shell for what it knows better.
const (
	anyFile   = ":files"
	anyFolder = ":folders"
)

// Line is the parsed part of an incomplete command line.
type Line struct {
	Program *kong.Node
	Command *kong.Node        // the command named so far; at first the program
	Args    []string          // its arguments
	Given   map[string]string // its flags, by name

	typed    string     // the last word
	flag     *kong.Flag // the flag that the next word is the value of
	onlyArgs bool       // after --
}

// Read parses the words between "ralph" and the cursor. The last word may be incomplete or
// empty.
func Read(program *kong.Node, words []string) *Line {
	l := &Line{Program: program, Command: program, Given: map[string]string{}}
	if len(words) == 0 {
		return l
	}
	for _, w := range words[:len(words)-1] {
		l.read(w)
	}
	l.typed = words[len(words)-1]
	return l
}

// Kinds returns which kinds of values can come next, such as units. They come from the tag
// "predictor" of a flag or argument, where + separates several kinds.
func (l *Line) Kinds() []string {
	v := l.wanted()
	if v == nil {
		return nil
	}
	return slices.DeleteFunc(predictors(v), func(kind string) bool { return kind == "file" || kind == "folder" })
}

// Candidates returns the words that can come next and start with the last word. values are the
// values of the kinds that Kinds returned.
func (l *Line) Candidates(values []Candidate) (found []Candidate) {
	name, typed, _ := strings.Cut(l.typed, "=")
	v := l.wanted()
	if v != nil {
		values = slices.Concat(listed(v), values)
	}
	switch {
	case l.flag != nil:
		found = values
	case l.isFlag() && v != nil:
		return prefixed(name+"=", typed, values)
	case l.isFlag():
		found = l.flags()
	default:
		found = append(l.commands(), values...)
	}
	return beginning(l.typed, found)
}

// isFlag reports whether the last word is a flag, or can become one.
func (l *Line) isFlag() bool { return strings.HasPrefix(l.typed, "-") && !l.onlyArgs }

// wanted returns the value that the last word gives, nil if it gives no value.
func (l *Line) wanted() *kong.Value {
	name, _, hasValue := strings.Cut(l.typed, "=")
	switch {
	case l.flag != nil:
		return l.flag.Value
	case l.isFlag():
		if f := l.flagNamed(name); f != nil && hasValue && strings.HasPrefix(name, "--") && !f.IsBool() {
			return f.Value
		}
		return nil
	}
	if n := len(l.Command.Positional); n > 0 {
		if p := l.Command.Positional[min(len(l.Args), n-1)]; len(l.Args) < n || p.IsCumulative() {
			return p
		}
	}
	return nil
}

// predictors are the kinds of values that the grammar names.
func predictors(v *kong.Value) []string {
	return strings.FieldsFunc(v.Tag.Get("predictor"), func(r rune) bool { return r == '+' })
}

// listed returns the values that do not depend on the machine: those of an enum, and
// what the shell is to look for itself.
func listed(v *kong.Value) (found []Candidate) {
	for _, word := range v.EnumSlice() {
		if word != "" {
			found = append(found, Candidate{word, ""})
		}
	}
	for _, kind := range predictors(v) {
		switch kind {
		case "file":
			found = append(found, Candidate{anyFile, ""})
		case "folder":
			found = append(found, Candidate{anyFolder, ""})
		}
	}
	return found
}

// read takes a word that is complete.
func (l *Line) read(w string) {
	switch {
	case l.flag != nil:
		l.Given[l.flag.Name], l.flag = w, nil
	case w == "--" && !l.onlyArgs:
		l.onlyArgs = true
	case strings.HasPrefix(w, "-") && len(w) > 1 && !l.onlyArgs:
		name, value, hasValue := strings.Cut(w, "=")
		f := l.flagNamed(name)
		if f == nil {
			return
		}
		l.Given[f.Name] = value
		if !f.IsBool() && !hasValue {
			l.flag = f
		}
	default:
		i := slices.IndexFunc(l.Command.Children, func(n *kong.Node) bool { return n.Name == w || slices.Contains(n.Aliases, w) })
		if i >= 0 && len(l.Args) == 0 {
			l.Command = l.Command.Children[i]
			return
		}
		l.Args = append(l.Args, w)
	}
}

func (l *Line) flagNamed(name string) *kong.Flag {
	for _, group := range l.Command.AllFlags(false) {
		for _, f := range group {
			if name == "--"+f.Name || f.Short != 0 && name == "-"+string(f.Short) || slices.Contains(f.Aliases, strings.TrimPrefix(name, "--")) {
				return f
			}
		}
	}
	return nil
}

// flags are those of the command that are not given yet; other names of them
// only for anyone who begins to type one.
func (l *Line) flags() (found []Candidate) {
	groups := l.Command.AllFlags(true)
	slices.Reverse(groups) // the command's own first
	for _, f := range slices.Concat(groups...) {
		if _, given := l.Given[f.Name]; given {
			continue
		}
		found = append(found, Candidate{"--" + f.Name, f.Help})
		for _, alias := range f.Aliases {
			if len(l.typed) > 2 && !strings.HasPrefix("--"+f.Name, l.typed) {
				found = append(found, Candidate{"--" + alias, f.Help})
			}
		}
	}
	return found
}

// commands are those of the command, as long as it has no argument.
func (l *Line) commands() (found []Candidate) {
	for _, child := range l.Command.Children {
		if !child.Hidden && len(l.Args) == 0 {
			found = append(found, Candidate{child.Name, child.Help})
		}
	}
	return found
}

// prefixed are values as a shell wants them after the name of a flag.
func prefixed(prefix, typed string, values []Candidate) []Candidate {
	values = beginning(typed, values)
	for i, v := range values {
		if v.Value != anyFile && v.Value != anyFolder {
			values[i].Value = prefix + v.Value
		}
	}
	return values
}

// beginning are the candidates that continue from what was typed, each once.
func beginning(typed string, all []Candidate) []Candidate {
	seen := map[string]bool{}
	return slices.DeleteFunc(all, func(c Candidate) bool {
		listed := seen[c.Value]
		seen[c.Value] = true
		wrong := c.Value != anyFile && c.Value != anyFolder && !strings.HasPrefix(c.Value, typed)
		return listed || wrong || strings.ContainsAny(c.Value, "\t\n")
	})
}
