// Package compat translates the command lines of other loop tools into ralph's. A table lists
// every command and flag with its equivalent, or with the reason to ignore or refuse it.
package compat

import (
	"fmt"
	"slices"
	"strings"
)

// Line is a translated command line.
type Line struct {
	Args    []string
	Ignored []string // flags without an effect, each with the reason
}

// flag is one flag of another tool.
type flag struct {
	names []string
	value bool   // the flag takes a value
	to    string // ralph's flag; "" where it is ignored or refused
	why   string // the reason for which it is ignored
	no    string // what to use instead; the flag is refused
	only  string // the one value for which to is given, without it; others are ignored with why

	values []string // the values that ralph knows, where it does not know all; others are ignored with why
}

// command is one command of another tool.
type command struct {
	name string
	to   []string
	args bool   // arguments are passed on
	no   string // what to use instead; the command is refused
	own  []flag
}

// tool is one other loop tool.
type tool struct {
	name     string
	commands []command
}

// Tools returns the names of the supported loop tools.
func Tools() []string {
	var names []string
	for _, t := range tools() {
		names = append(names, t.name)
	}
	return names
}

// Translate translates the command line of the tool name into ralph's. If a command or flag has
// no equivalent, the error names it and says what to do instead.
func Translate(name string, args []string) (Line, error) {
	i := slices.IndexFunc(tools(), func(t tool) bool { return t.name == name })
	if i < 0 {
		return Line{}, fmt.Errorf("unknown tool %q; known are: %s", name, strings.Join(Tools(), ", "))
	}
	t := tools()[i]
	if len(args) == 0 || isHelp(args[0]) {
		return Line{Args: []string{"--help"}}, nil
	}
	i = slices.IndexFunc(t.commands, func(c command) bool { return c.name == args[0] })
	if i < 0 {
		return Line{}, fmt.Errorf("%s has no command %q that ralph knows; known are: %s", name, args[0], t.known())
	}
	c := t.commands[i]
	if c.no != "" {
		return Line{}, fmt.Errorf("%s %s: %s", name, c.name, c.no)
	}
	return c.translate(name, args[1:])
}

func (t tool) known() string {
	var names []string
	for _, c := range t.commands {
		names = append(names, c.name)
	}
	return strings.Join(names, ", ")
}

func (c command) translate(name string, args []string) (Line, error) {
	line := Line{Args: slices.Clone(c.to)}
	for len(args) > 0 {
		word := args[0]
		args = args[1:]
		switch {
		case isHelp(word):
			return Line{Args: append(slices.Clone(c.to[:1]), "--help")}, nil
		case word == "--" && c.args:
			line.Args = append(append(line.Args, word), args...)
			return line, nil
		}
		if !strings.HasPrefix(word, "-") || word == "-" {
			if !c.args {
				return Line{}, fmt.Errorf("%s %s takes no argument %q", name, c.name, word)
			}
			line.Args = append(line.Args, word)
			continue
		}
		given, value, inline := strings.Cut(word, "=")
		if len(given) > 2 && given[1] != '-' { // short flags in one word: -vn 3, -n30
			given, value, inline = word[:2], word[2:], true
			if short, ok := c.find(given); ok && !short.value {
				args, inline = append([]string{"-" + value}, args...), false
			}
		}
		f, ok := c.find(given)
		if !ok {
			return Line{}, fmt.Errorf("%s %s: ralph knows no equivalent of %s; see: ralph %s --help", name, c.name, given, c.to[0])
		}
		if inline && !f.value {
			return Line{}, fmt.Errorf("%s takes no value: leave out %q, or the flag", given, "="+value)
		}
		if f.value && !inline {
			if len(args) == 0 {
				return Line{}, fmt.Errorf("%s needs a value", given)
			}
			value, args = args[0], args[1:]
		}
		if f.no != "" {
			return Line{}, fmt.Errorf("%s: %s", given, f.no)
		}
		line.add(f, given, value)
	}
	return line, nil
}

func isHelp(word string) bool { return word == "-h" || word == "--help" }

func (c command) find(name string) (flag, bool) {
	for _, f := range c.own {
		if slices.Contains(f.names, name) {
			return f, true
		}
	}
	return flag{}, false
}

// add appends ralph's flag, or notes why it has no equivalent.
func (l *Line) add(f flag, given, value string) {
	switch {
	case f.to == "", f.only != "" && value != f.only, f.values != nil && !slices.Contains(f.values, value):
		l.Ignored = append(l.Ignored, given+": "+f.why)
	case f.value && f.only == "":
		l.Args = append(l.Args, f.to, value)
	default:
		l.Args = append(l.Args, f.to)
	}
}
