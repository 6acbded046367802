package docs_test

import (
	"cmp"
	"go/ast"
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// command is one command of the program's grammar.
type command struct {
	subs  map[string]*command
	flags map[string]bool
	bare  bool // may be called without one of its subcommands
}

// check reports the words of a line that the command does not accept.
func (c *command) check(t *testing.T, page, line string, words []string) {
	t.Helper()
	flags := c.flags
	for len(words) > 0 && len(c.subs) > 0 && !strings.HasPrefix(words[0], "-") {
		sub := c.subs[words[0]]
		if sub == nil {
			t.Errorf("%s shows %q: command not found: %q", page, line, words[0])
			return
		}
		if words[0] == "compat" {
			return // the words after it are another program's
		}
		c, words = sub, words[1:]
	}
	if len(c.subs) > 0 && !c.bare && len(words) == 0 {
		t.Errorf("%s shows %q, which lacks a subcommand", page, line)
	}
	for _, w := range words {
		if w == "--conformance" {
			break // the words after it are another program's
		}
		name, _, _ := strings.Cut(w, "=")
		if strings.HasPrefix(w, "-") && !c.flags[name] && !flags[name] {
			t.Errorf("%s shows %q: the command has no flag %s", page, line, name)
		}
	}
}

// structs are the structs of package main by name. They are read from the source,
// because a test cannot import main.
type structs map[string]*ast.StructType

func readGrammar(t *testing.T) structs {
	t.Helper()
	files, err := filepath.Glob("cmd/ralph/*.go")
	if err != nil {
		t.Fatal(err)
	}
	all := structs{}
	for _, path := range files {
		ast.Inspect(parseGo(t, path), func(n ast.Node) bool {
			if spec, ok := n.(*ast.TypeSpec); ok {
				if s, ok := spec.Type.(*ast.StructType); ok {
					all[spec.Name.Name] = s
				}
			}
			return true
		})
	}
	return all
}

// command returns the command of that struct, as kong reads it.
func (s structs) command(name string) *command {
	c := &command{subs: map[string]*command{}, flags: map[string]bool{"--help": true, "-h": true}}
	if s[name] == nil {
		return c
	}
	for _, field := range s[name].Fields.List {
		kind, _ := field.Type.(*ast.Ident)
		if len(field.Names) == 0 && kind != nil {
			for flag := range s.command(kind.Name).flags {
				c.flags[flag] = true
			}
		}
		for _, ident := range field.Names {
			c.add(s, ident.Name, kind, tagOf(field))
		}
	}
	return c
}

func (c *command) add(s structs, field string, kind *ast.Ident, tag reflect.StructTag) {
	humps := regexp.MustCompile(`([a-z0-9])([A-Z])`)
	name := cmp.Or(tag.Get("name"), strings.ToLower(humps.ReplaceAllString(field, "$1-$2")))
	names := append(strings.FieldsFunc(tag.Get("aliases"), func(r rune) bool { return r == ',' }), name)
	_, isCommand := tag.Lookup("cmd")
	_, isArgument := tag.Lookup("arg")
	switch {
	case isCommand && kind != nil:
		_, isDefault := tag.Lookup("default")
		c.bare = c.bare || isDefault
		for _, n := range names {
			c.subs[n] = s.command(kind.Name)
		}
	case !isArgument && tag != "":
		for _, n := range names {
			c.flags["--"+n] = true
		}
		if short := tag.Get("short"); short != "" {
			c.flags["-"+short] = true
		}
	}
}

func tagOf(field *ast.Field) reflect.StructTag {
	if field.Tag == nil {
		return ""
	}
	tag, _ := strconv.Unquote(field.Tag.Value)
	return reflect.StructTag(tag)
}
