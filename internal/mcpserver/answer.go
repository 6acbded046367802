package mcpserver

import (
	"bytes"
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"

	"ralph/internal/journal"
	"ralph/internal/preflight"
	"ralph/internal/stream"
)

// What an answer may hold at most: it ends up in the context of a model.
const (
	maxSentence = 2000     // characters of an error
	maxText     = 64 << 10 // bytes of one text, that of a log or a file included
	maxRows     = 500      // of a list
	maxAnswer   = 1 << 20  // bytes of it all
)

// schemaOf is the schema of what a tool answers.
func schemaOf[T any]() *jsonschema.Schema {
	nullable := func(name string) *jsonschema.Schema { return &jsonschema.Schema{Types: []string{"null", name}} }
	s, err := jsonschema.For[T](&jsonschema.ForOptions{TypeSchemas: map[reflect.Type]*jsonschema.Schema{
		// Those that encode themselves.
		reflect.TypeFor[journal.Text]():      nullable("string"),
		reflect.TypeFor[journal.Reason]():    nullable("string"),
		reflect.TypeFor[journal.RunStatus](): nullable("string"),
		reflect.TypeFor[journal.Time]():      nullable("string"),
		reflect.TypeFor[journal.PID]():       nullable("integer"),
		reflect.TypeFor[preflight.Detail]():  {Type: "string"},
	}})
	if err != nil {
		panic(err) // a type of this program cannot be described: no input can cause it
	}
	return s
}

// argumentsOf returns the schema of a tool's arguments. An argument is left out, not null:
// not every client knows a schema with a list of types.
func argumentsOf[T any]() *jsonschema.Schema {
	s := schemaOf[T]()
	for _, p := range s.Properties {
		if len(p.Types) == 2 && p.Types[0] == "null" {
			p.Type, p.Types = p.Types[1], nil
		}
	}
	return s
}

// cleanJSON is a value as JSON knows it, in which no text can do anything to a
// terminal or is too long.
func cleanJSON(v any) (any, error) {
	data, err := json.Marshal(v)
	if err != nil {
		return nil, fmt.Errorf("the answer cannot be written: %w", err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber()
	if len(data) > maxAnswer {
		return nil, fmt.Errorf("the answer would have %d KB, and at most %d are given: ask for less, or read the file itself", len(data)>>10, maxAnswer>>10)
	}
	var plain any
	if err := dec.Decode(&plain); err != nil {
		return nil, fmt.Errorf("the answer cannot be written: %w", err)
	}
	return cleaned(plain), nil
}

func cleaned(v any) any {
	switch v := v.(type) {
	case string:
		return firstBytes(stream.Sanitize(v), maxText)
	case []any:
		for i := range v {
			v[i] = cleaned(v[i])
		}
	case map[string]any:
		for k := range v {
			v[k] = cleaned(v[k])
		}
	}
	return v
}

// firstBytes cuts a text that has more bytes, between two characters.
func firstBytes(s string, most int) string {
	return strings.ToValidUTF8(s[:min(len(s), most)], "")
}

// lastBytes is the end of a text that has more bytes, from the beginning of a
// line where there is one.
func lastBytes(s string, most int) string {
	if len(s) <= most {
		return s
	}
	end := s[len(s)-most-1:] // with a byte more: a line may begin after it
	if _, lines, found := strings.Cut(end[:len(end)-1], "\n"); found {
		return lines + end[len(end)-1:]
	}
	return strings.ToValidUTF8(end[1:], "")
}

// rowsWanted is how many rows an answer has: what the client says, or a default.
func rowsWanted(said *int, usual int) (int, error) {
	if said == nil {
		return usual, nil
	}
	if *said < 1 || *said > maxRows {
		return 0, fmt.Errorf("the argument last must be from 1 to %d, not %d", maxRows, *said)
	}
	return *said, nil
}
