package replay

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// yaml.v3 is strict about unknown keys only when it decodes a whole document;
// the helpers of this file are strict for a part of one.

// entry is one key of a mapping with its value.
type entry struct {
	key   string
	line  int
	value *yaml.Node
}

// mapping returns the entries of a mapping in order; a key that occurs twice is a fault.
func mapping(n *yaml.Node) ([]entry, error) {
	n = resolve(n)
	if n.Kind != yaml.MappingNode {
		return nil, fault(n.Line, "expected keys with values here, such as 'say: hello'")
	}
	seen := map[string]bool{}
	entries := make([]entry, 0, len(n.Content)/2)
	for i := 0; i+1 < len(n.Content); i += 2 {
		key := n.Content[i]
		if seen[key.Value] {
			return nil, fault(key.Line, "key %q occurs twice", key.Value)
		}
		seen[key.Value] = true
		entries = append(entries, entry{key.Value, key.Line, resolve(n.Content[i+1])})
	}
	return entries, nil
}

// resolve follows an alias to what it stands for.
func resolve(n *yaml.Node) *yaml.Node {
	for n.Kind == yaml.AliasNode {
		n = n.Alias
	}
	return n
}

// decode decodes n into out; keys that out's struct does not have are faults.
func decode(n *yaml.Node, out any) error {
	n = resolve(n)
	_, own := out.(yaml.Unmarshaler)
	if t := reflect.TypeOf(out).Elem(); t.Kind() == reflect.Struct && !own {
		entries, err := mapping(n)
		if err != nil {
			return err
		}
		known := fieldNames(t)
		for _, e := range entries {
			if !slices.Contains(known, e.key) {
				return fault(e.line, "unknown key %q: it may have %s", e.key, quoteList(known))
			}
		}
	}
	if err := n.Decode(out); err != nil {
		return yamlFault(n.Line, err)
	}
	return nil
}

// fieldNames returns the yaml names of a struct's fields.
func fieldNames(t reflect.Type) []string {
	names := make([]string, 0, t.NumField())
	for i := range t.NumField() {
		if name, _, _ := strings.Cut(t.Field(i).Tag.Get("yaml"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

func quoteList(names []string) string {
	return "'" + strings.Join(names, "', '") + "'"
}

// fault is a fault at a line of the script; Parse adds the path.
func fault(line int, format string, args ...any) error {
	return &LineError{Line: line, Err: fmt.Errorf(format, args...)}
}

// yamlFault takes line and text out of an error of the yaml package, which
// begins its messages with "yaml: line N:" or, per value, "line N:".
func yamlFault(line int, err error) error {
	var at *LineError
	if errors.As(err, &at) {
		return at
	}
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var list *yaml.TypeError
	if errors.As(err, &list) && len(list.Errors) > 0 {
		text = list.Errors[0]
	}
	pattern := regexp.MustCompile(`^line (\d+): `)
	if m := pattern.FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	return fault(line, "%s", text)
}
