package config

import (
	"reflect"
	"slices"
	"strings"
)

// key is a setting with a fixed name: a leaf of Settings outside of the groups with names
// that the user chooses.
type key struct {
	path  string // such as "defaults.max_iterations"
	field reflect.StructField
	index []int // for reflect.Value.FieldByIndex
}

// keys lists all keys in the order of the struct.
func keys() []key { return keysOf(reflect.TypeFor[Settings](), "", nil) }

func keysOf(t reflect.Type, prefix string, index []int) []key {
	var list []key
	for field := range t.Fields() {
		at := slices.Concat(index, field.Index)
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

// isGroup reports whether a type is a list of structs. The files write it as a mapping
// from names that the user chooses.
func isGroup(t reflect.Type) bool {
	return t.Kind() == reflect.Slice && t.Elem().Kind() == reflect.Struct
}

// fieldNamed returns the field of a struct type for a name in a file.
func fieldNamed(t reflect.Type, name string) (reflect.StructField, bool) {
	for field := range t.Fields() {
		if tag := field.Tag.Get("yaml"); tag == name && tag != "-" {
			return field, true
		}
	}
	return reflect.StructField{}, false
}

// envNames gives each key its variable: RALPH_ and the key's path in capitals. Keys of
// defaults, circuit_breaker and completion have the last name only: RALPH_MAX_ITERATIONS.
// trusted_projects has none: only a file can say what is trusted.
func envNames() map[string]string {
	names := map[string]string{}
	for _, k := range keys() {
		section, name, _ := strings.Cut(k.path, ".")
		switch section {
		case "defaults", "circuit_breaker", "completion":
			names[k.path] = envName(name)
		default:
			names[k.path] = envName(k.path)
		}
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
