package main

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph"
	"ralph/internal/archive"
	"ralph/internal/config"
	"ralph/internal/conformance"
	"ralph/internal/journal"
	"ralph/internal/limits"
	"ralph/internal/prd"
	"ralph/internal/preflight"
	"ralph/internal/report"
	"ralph/internal/run"
	"ralph/internal/unit"
	"ralph/internal/verify"
)

const schemaFolder = "../../docs/schemas"

// TestTheSchemasAreUpToDate compares the schemas in docs/schemas with the written types.
// UPDATE_SCHEMAS=1 writes them.
func TestTheSchemasAreUpToDate(t *testing.T) {
	t.Parallel()
	settings, err := config.Schema(ralph.ConfigExample)
	if err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string][]byte{
		"config":        settings,
		"prd":           prd.Schema,
		"journal-event": document(t, "A line of journal.jsonl and of 'ralph run --json'", eventSchema(t)),
		"list":          document(t, "ralph list --json", shapeOf(reflect.TypeFor[[]unit.Loop]())),
		"history":       document(t, "ralph history --json", shapeOf(reflect.TypeFor[[]run.Row]())),
		"validate":      document(t, "ralph validate --json", shapeOf(reflect.TypeFor[preflight.Report]())),
		"verify":        document(t, "ralph verify --json", shapeOf(reflect.TypeFor[verify.Report]())),
		"archive-list":  document(t, "ralph archive --list --json", shapeOf(reflect.TypeFor[[]archive.Entry]())),
		"config-show":   document(t, "ralph config show --json", shapeOf(reflect.TypeFor[[]config.Entry]())),
		"start":         document(t, "ralph start --json", shapeOf(reflect.TypeFor[started]())),
		"limits":        document(t, "ralph limits --json", shapeOf(reflect.TypeFor[[]limits.Harness]())),
		"report":        document(t, "ralph report --json", shapeOf(reflect.TypeFor[report.Report]())),
		"why":           document(t, "ralph why --json", shapeOf(reflect.TypeFor[whyJSON]())),
		"doctor":        document(t, "ralph doctor --json", shapeOf(reflect.TypeFor[doctorReport]())),
		"conformance":   document(t, "ralph doctor --conformance --json", shapeOf(reflect.TypeFor[conformance.Card]())),
		"pr":            document(t, "ralph pr --json", shapeOf(reflect.TypeFor[pullRequest]())),
		"context":       document(t, "ralph context show --json", shapeOf(reflect.TypeFor[steering]())),
		"change-state":  document(t, "state.json of a change", shapeOf(reflect.TypeFor[run.ChangeState]())),
	} {
		path := filepath.Join(schemaFolder, name+".schema.json")
		if os.Getenv("UPDATE_SCHEMAS") != "" {
			if err := os.WriteFile(path, want, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		got, err := os.ReadFile(path)
		if diff := cmp.Diff(string(want), string(got)); diff != "" || err != nil {
			t.Errorf("%s is out of date; write it anew with UPDATE_SCHEMAS=1 go test ./cmd/ralph -run TestTheSchemasAreUpToDate\n%v\n%s", path, err, diff)
		}
	}
}

func document(t *testing.T, title string, schema map[string]any) []byte {
	t.Helper()
	schema["$schema"], schema["title"], schema["version"] = "https://json-schema.org/draft/2020-12/schema", title, 1
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(schema); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// eventSchema knows the types of event from the document that describes each.
func eventSchema(t *testing.T) map[string]any {
	t.Helper()
	text, err := os.ReadFile("../../docs/journal.md")
	if err != nil {
		t.Fatal(err)
	}
	var types []any
	for _, m := range regexp.MustCompile("(?s)```json\n(.*?)\n```").FindAllSubmatch(text, -1) {
		var e journal.Event
		if err := e.UnmarshalJSON(m[1]); err != nil {
			t.Fatal(err)
		}
		s := shapeOf(reflect.TypeOf(e.Body))
		properties := s["properties"].(map[string]any)
		properties["time"], properties["run"] = timeSchema("string"), map[string]any{"type": "string"}
		properties["type"] = map[string]any{"const": e.Body.EventType()}
		s["required"] = append([]string{"time", "type", "run"}, s["required"].([]string)...)
		types = append(types, s)
	}
	return map[string]any{"oneOf": types}
}

// special are the types that have a form of their own in JSON.
var special = map[reflect.Type]map[string]any{
	reflect.TypeFor[journal.Text]():       {"type": []string{"string", "null"}},
	reflect.TypeFor[journal.Reason]():     {"type": []string{"string", "null"}},
	reflect.TypeFor[journal.RunStatus]():  {"type": []string{"string", "null"}},
	reflect.TypeFor[journal.Time]():       timeSchema("string", "null"),
	reflect.TypeFor[journal.PID]():        {"type": []string{"integer", "null"}},
	reflect.TypeFor[time.Time]():          timeSchema("string"),
	reflect.TypeFor[preflight.Detail]():   {"type": "string"},
	reflect.TypeFor[preflight.Severity](): {"enum": []string{"ok", "warn", "error"}},
}

func timeSchema(types ...string) map[string]any {
	return map[string]any{"type": types, "pattern": `^\d{4}-\d{2}-\d{2}T\d{2}:\d{2}:\d{2}(\.\d+)?Z$`}
}

// shapeOf is the JSON schema of what encoding/json makes of a type. Other keys are
// allowed: new ones come without a new version.
func shapeOf(t reflect.Type) map[string]any {
	if s, ok := special[t]; ok {
		return s
	}
	switch t.Kind() {
	case reflect.Pointer:
		return map[string]any{"anyOf": []any{shapeOf(t.Elem()), map[string]any{"type": "null"}}}
	case reflect.Slice:
		return map[string]any{"type": "array", "items": shapeOf(t.Elem())}
	case reflect.Struct:
		return structSchema(t)
	case reflect.Interface:
		return map[string]any{}
	case reflect.String:
		return map[string]any{"type": "string"}
	case reflect.Bool:
		return map[string]any{"type": "boolean"}
	case reflect.Float64:
		return map[string]any{"type": "number"}
	case reflect.Int, reflect.Int64:
		return map[string]any{"type": "integer"}
	}
	panic("no schema is known for " + t.String())
}

func structSchema(t reflect.Type) map[string]any {
	properties, required := map[string]any{}, []string{}
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get("json"), ",")
		switch {
		case f.Anonymous && name == "":
			inner := structSchema(f.Type)
			for key, s := range inner["properties"].(map[string]any) {
				properties[key] = s
			}
			required = append(required, inner["required"].([]string)...)
			continue
		case !f.IsExported() || name == "-":
			continue
		}
		properties[name] = shapeOf(f.Type)
		if !slices.Contains(strings.Split(options, ","), "omitempty") {
			required = append(required, name)
		}
	}
	return map[string]any{"type": "object", "properties": properties, "required": required}
}
