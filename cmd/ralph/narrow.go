package main

import (
	"cmp"
	"reflect"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

// narrow returns a grammar for this command line as a pointer to a struct: where
// the first word is a command, that command alone, else all of them. kong looks
// at each flag of each command that it is given, which costs more than all else
// that happens before a command's own work. The second result is where the
// colour option will be.
func narrow(args []string) (cli any, color *string) {
	var fields []reflect.StructField
	found := len(args) == 1 && args[0] == "--version"
	for f := range reflect.TypeFor[grammar]().Fields() {
		_, command := f.Tag.Lookup("cmd")
		if command && !isCalled(f, args[0]) {
			continue
		}
		fields, found = append(fields, f), found || command
	}
	if !found {
		whole := new(grammar)
		return whole, &whole.Color
	}
	part := reflect.New(reflect.StructOf(fields))
	return part.Interface(), part.Elem().FieldByName("Color").Addr().Interface().(*string)
}

// amongAll is what is wrong with a command line as all commands together tell it: that
// another one has the flag is nothing which a single one knows.
func amongAll(args []string, err error) error {
	parser, broken := kong.New(new(grammar), options()...)
	if broken != nil {
		panic(broken) // the grammar itself is wrong: no input can cause it
	}
	if _, told := parser.Parse(args); told != nil {
		return told
	}
	return err // not kong's own: an empty value
}

// isCalled reports whether word is the name or an alias of a command.
func isCalled(command reflect.StructField, word string) bool {
	name := cmp.Or(command.Tag.Get("name"), strings.ToLower(command.Name))
	return word == name || word != "" && slices.Contains(strings.Split(command.Tag.Get("aliases"), ","), word)
}
