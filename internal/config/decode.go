package config

import (
	"fmt"
	"reflect"
	"slices"
	"strings"

	"gopkg.in/yaml.v3"
)

// Error is one thing wrong with the settings.
type Error struct {
	Place string // file:line, the variable's or the flag's name
	Key   string // empty where the error is not about one key
	What  string
}

// Error implements error.
func (e *Error) Error() string {
	if e.Key == "" {
		return e.Place + ": " + e.What
	}
	return e.Place + ": " + e.Key + ": " + e.What
}

// decoder sets the values of one layer. It collects errors, so that the user sees all of
// them at once.
type decoder struct {
	file    string // empty for a layer of texts
	name    string // the variable or flag of a layer of texts
	builtIn bool
	ignored func(place, key string) // not nil for a project's file; called for keys that it cannot set
	trusted bool                    // of a project's file
	origins map[string]Origin
	errs    []error
}

func (d *decoder) origin(node *yaml.Node) Origin {
	switch {
	case d.builtIn:
		return Origin{}
	case d.file != "":
		return Origin{File: d.file, Line: node.Line}
	}
	return Origin{Name: d.name}
}

func (d *decoder) fail(node *yaml.Node, key, format string, args ...any) {
	place := d.name
	if d.file != "" {
		place = Origin{File: d.file, Line: node.Line}.String()
	}
	d.errs = append(d.errs, &Error{Place: place, Key: key, What: fmt.Sprintf(format, args...)})
}

// resolve follows an alias to its value.
func resolve(node *yaml.Node) *yaml.Node {
	for node.Kind == yaml.AliasNode {
		node = node.Alias
	}
	return node
}

// isNull reports whether a key has no value: the user has commented it out.
func isNull(node *yaml.Node) bool { return node.Kind == yaml.ScalarNode && node.Tag == "!!null" }

// pairs calls each for the entries of a mapping that have valid names.
func (d *decoder) pairs(node *yaml.Node, path string, each func(name, value *yaml.Node)) {
	if isNull(node) {
		return
	}
	if node.Kind != yaml.MappingNode {
		d.fail(node, path, "want keys and values, got %s", describe(node))
		return
	}
	seen := map[string]int{}
	for i := 0; i+1 < len(node.Content); i += 2 {
		name, value := node.Content[i], resolve(node.Content[i+1])
		if name.Kind != yaml.ScalarNode {
			d.fail(name, path, "a key must be a plain name")
			continue
		}
		if line, twice := seen[name.Value]; twice {
			d.fail(name, join(path, name.Value), "is already set in line %d", line)
			continue
		}
		seen[name.Value] = name.Line
		each(name, value)
	}
}

// section decodes a mapping into a struct.
func (d *decoder) section(node *yaml.Node, path string, into reflect.Value) {
	d.pairs(node, path, func(name, value *yaml.Node) {
		field, ok := fieldNamed(into.Type(), name.Value)
		if !ok {
			d.fail(name, "", "unknown key %q%s", join(path, name.Value), guess(name.Value, into.Type()))
			return
		}
		key := join(path, name.Value)
		target := into.FieldByIndex(field.Index)
		if d.forbidden(field, value, target) {
			d.ignored(d.origin(name).String(), key)
			return
		}
		if short := field.Tag.Get("short"); short != "" && value.Kind == yaml.ScalarNode && !isNull(value) {
			inner, _ := field.Type.FieldByName(short)
			value = &yaml.Node{Kind: yaml.MappingNode, Tag: "!!map", Line: value.Line, Content: []*yaml.Node{
				{Kind: yaml.ScalarNode, Tag: "!!str", Value: inner.Tag.Get("yaml"), Line: value.Line}, value}}
		}
		switch {
		case isNull(value):
		case isGroup(field.Type):
			d.group(value, key, target)
		case field.Type.Kind() == reflect.Struct:
			d.section(value, key, target)
		default:
			d.leaf(value, key, field, target)
		}
	})
}

// forbidden reports whether a project's file sets a key that it cannot set. It may turn a
// permission off. Only the user's file can name trusted projects.
func (d *decoder) forbidden(field reflect.StructField, value *yaml.Node, now reflect.Value) bool {
	if order := strings.Split(field.Tag.Get("tighter"), "|"); len(order) > 1 && d.ignored != nil && !d.trusted {
		return slices.Index(order, value.Value) < slices.Index(order, now.String()) && slices.Contains(order, value.Value)
	}
	switch {
	case d.ignored == nil || field.Tag.Get("yours") == "" || isNull(value):
		return false
	case field.Name == "TrustedProjects":
		return true
	case field.Type.Kind() == reflect.Bool:
		on, err := parseBool(value)
		return !d.trusted && (on || err != nil)
	}
	return !d.trusted
}

// group decodes a mapping with the user's own names into a list. A name from a weaker
// layer keeps its place, and the values that this layer does not set.
func (d *decoder) group(node *yaml.Node, path string, into reflect.Value) {
	d.pairs(node, path, func(name, value *yaml.Node) {
		key := join(path, name.Value)
		if strings.TrimSpace(name.Value) == "" || strings.ContainsFunc(name.Value, isControl) {
			d.fail(name, path, "%q cannot be a name", name.Value)
			return
		}
		entry := entryNamed(into, name.Value)
		if value.Kind == yaml.ScalarNode && !isNull(value) {
			nameField, _ := into.Type().Elem().FieldByName("Name")
			field, _ := into.Type().Elem().FieldByName(nameField.Tag.Get("short"))
			d.leaf(value, join(key, field.Tag.Get("yaml")), field, entry.FieldByIndex(field.Index))
			return
		}
		if isNull(value) {
			d.fail(name, key, "has no value")
			return
		}
		d.section(value, key, entry)
	})
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }

// entryNamed returns the element of a group, a new one where it has none.
func entryNamed(list reflect.Value, name string) reflect.Value {
	for i := range list.Len() {
		if list.Index(i).FieldByName("Name").String() == name {
			return list.Index(i)
		}
	}
	entry := reflect.New(list.Type().Elem()).Elem()
	entry.FieldByName("Name").SetString(name)
	list.Set(reflect.Append(list, entry))
	return list.Index(list.Len() - 1)
}

// leaf decodes one value, checks it, and notes where it came from.
func (d *decoder) leaf(node *yaml.Node, key string, field reflect.StructField, into reflect.Value) {
	value := reflect.New(field.Type).Elem()
	if err := d.parse(node, value); err != nil {
		d.fail(node, key, "%v", err)
		return
	}
	if err := check(value, field.Tag); err != nil {
		d.fail(node, key, "%v", err)
		return
	}
	if field.Tag.Get("adds") != "" {
		value = reflect.AppendSlice(into, value)
	}
	into.Set(value)
	d.origins[key] = d.origin(node)
}

// describe names the kind of a value in a file, for messages.
func describe(node *yaml.Node) string {
	switch node.Kind {
	case yaml.MappingNode:
		return "keys and values"
	case yaml.SequenceNode:
		return "a list"
	}
	if node.Tag == "!!str" && len(node.Value) < 60 {
		return fmt.Sprintf("the text %q", node.Value)
	}
	if len(node.Value) < 60 {
		return node.Value
	}
	return "a long text"
}
