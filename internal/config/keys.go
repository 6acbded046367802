package config

import (
	"reflect"
	"strings"
)

// key is a setting with a name of its own: a leaf of Settings that is not
// inside of a group whose names the user chooses.
type key struct {
	path  string // such as "defaults.max_iterations"
	field reflect.StructField
	index []int // for reflect.Value.FieldByIndex
}

// keys lists all keys in the order of the struct.
func keys() []key { return keysOf(reflect.TypeFor[Settings](), "", nil) }

func keysOf(t reflect.Type, prefix string, index []int) []key {
	var list []key
	for i := range t.NumField() {
		field := t.Field(i)
		at := append(append([]int{}, index...), i)
		path := join(prefix, field.Tag.Get("yaml"))
		switch {
		case isGroup(field.Type):
		case field.Type.Kind() == reflect.Struct:
			list = append(list, keysOf(field.Type, path, at)...)
		default:
			list = append(list, key{path, field, at})
		}
	}
	return list
}

// isGroup tells whether a type is a list of structs, which the files write as a
// mapping from names that the user chooses.
func isGroup(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct
}

// fieldNamed returns the field of a struct type for a name in a file.
func fieldNamed(t reflect.Type, name string) (reflect.StructField, bool) {
	for i := range t.NumField() {
		if tag := t.Field(i).Tag.Get("yaml"); tag == name && tag != "-" {
			return t.Field(i), true
		}
	}
	return reflect.StructField{}, false
}

// envNames gives each key its variable: RALPH_ and the key's last name in
// capitals. Of keys with the same last name the one least deep, and among
// equals the first, has it (RALPH_MODEL is model, RALPH_COMMAND is
// claude.command); the others have their whole path (RALPH_CLAUDE_MODEL,
// RALPH_NOTIFY_COMMAND). trusted_projects has none: only a file can be trusted to
// say what is trusted.
func envNames() map[string]string {
	names := map[string]string{}
	owner := map[string]key{}
	for _, k := range keys() {
		name := envName(k.path[strings.LastIndexByte(k.path, '.')+1:])
		if other, taken := owner[name]; !taken || len(k.index) < len(other.index) {
			owner[name] = k
		}
		names[k.path] = envName(k.path)
	}
	for name, k := range owner {
		names[k.path] = name
	}
	delete(names, "trusted_projects")
	return names
}

func envName(path string) string {
	return "RALPH_" + strings.ToUpper(strings.ReplaceAll(path, ".", "_"))
}

func join(prefix, name string) string {
	if prefix == "" {
		return name
	}
	return prefix + "." + name
}
