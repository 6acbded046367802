package prd_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"ralph/internal/prd"
)

// engine judges documents by prd.Schema alone.
type engine struct{ schema *jsonschema.Schema }

func newEngine(t testing.TB) engine {
	t.Helper()
	schema, err := jsonschema.CompileString("prd.schema.json", string(prd.Schema))
	if err != nil {
		t.Fatal(err)
	}
	return engine{schema}
}

// violations returns the paths at which the document is against the schema,
// sorted, each once.
func (e engine) violations(t *testing.T, src string) []string {
	t.Helper()
	var doc any
	dec := json.NewDecoder(strings.NewReader(src))
	dec.UseNumber()
	if err := dec.Decode(&doc); err != nil {
		t.Fatal(err)
	}
	invalid := (*jsonschema.ValidationError)(nil)
	if err := e.schema.Validate(doc); err != nil && !errors.As(err, &invalid) {
		t.Fatal(err)
	}
	var paths []string
	var add func(e *jsonschema.ValidationError)
	add = func(e *jsonschema.ValidationError) {
		if len(e.Causes) == 0 {
			paths = append(paths, readable(e.InstanceLocation))
		}
		for _, cause := range e.Causes {
			add(cause)
		}
	}
	if invalid != nil {
		add(invalid)
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

var pointerIndex = regexp.MustCompile(`/([0-9]+)`)

// readable turns a JSON pointer into a path as findings have it. No key of the
// schema is a number.
func readable(pointer string) string {
	path := pointerIndex.ReplaceAllString(pointer, "[$1]")
	return strings.TrimPrefix(strings.ReplaceAll(path, "/", "."), ".")
}

var longExponent = regexp.MustCompile(`[eE][+-]?[0-9]{4}`)

// beyondEngine tells whether the engine may panic on a number of src, or take
// seconds for it.
func beyondEngine(src string) bool { return longExponent.MatchString(src) }

// repeats tells whether a key stands twice in the document or in one of its
// stories, or two stories have one id: what the schema cannot express. The
// document may break the schema.
func repeats(t *testing.T, src string) bool {
	t.Helper()
	root, twice := members(t, src)
	if twice || !strings.HasPrefix(root["userStories"], "[") {
		return twice
	}
	var stories []json.RawMessage
	if err := json.Unmarshal([]byte(root["userStories"]), &stories); err != nil {
		t.Fatal(err)
	}
	ids := map[string]bool{}
	for _, story := range stories {
		keys, twice := members(t, string(story))
		var id string
		if json.Unmarshal([]byte(keys["id"]), &id) != nil {
			id = ""
		}
		if twice || id != "" && ids[id] {
			return true
		}
		ids[id] = true
	}
	return false
}

// members returns the JSON text of each key of an object, and whether one
// stands twice; of what is no object, nothing.
func members(t *testing.T, src string) (values map[string]string, twice bool) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(src))
	if open, err := dec.Token(); err != nil || open != json.Delim('{') {
		return nil, false
	}
	values = map[string]string{}
	for dec.More() {
		key, err := dec.Token()
		var value json.RawMessage
		if err := errors.Join(err, dec.Decode(&value)); err != nil {
			t.Fatal(err)
		}
		name, _ := key.(string)
		_, seen := values[name]
		twice = twice || seen
		values[name] = string(bytes.TrimSpace(value))
	}
	return values, twice
}
