package run_test

import (
	"encoding/json"
	"path/filepath"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v5"

	"ralph/internal/run"
)

const docs = "../../docs"

func validate(t *testing.T, schema string, document []byte) {
	t.Helper()
	compiled, err := jsonschema.Compile(filepath.Join(docs, schema))
	if err != nil {
		t.Fatal(err)
	}
	var v any
	if err := json.Unmarshal(document, &v); err != nil {
		t.Fatal(err)
	}
	if err := compiled.Validate(v); err != nil {
		t.Errorf("%#v\n%s", err, document)
	}
}

// TestTheSchemasFit validates both files after every event of a run.
func TestTheSchemasFit(t *testing.T) {
	var s run.State
	for _, e := range append(oneRun(), event(0, runStarted)) {
		s.Apply(e)
		data, err := s.LoopState().JSON()
		if err != nil {
			t.Fatal(err)
		}
		validate(t, "loop-state.schema.json", data)
		for _, alive := range []*bool{nil, ptr(true)} {
			for _, status := range []run.Status{s.Status(), s.Status().Crashed()} {
				data, err := status.JSON(alive)
				if err != nil {
					t.Fatal(err)
				}
				validate(t, "schemas/status.schema.json", data)
			}
		}
	}
}

func TestASchemaRefusesWhatIsWrong(t *testing.T) {
	for _, schema := range []string{"loop-state.schema.json", "schemas/status.schema.json"} {
		compiled, err := jsonschema.Compile(filepath.Join(docs, schema))
		if err != nil {
			t.Fatal(err)
		}
		if compiled.Validate(map[string]any{"status": "running"}) == nil {
			t.Errorf("%s accepts an object with one key", schema)
		}
	}
}
