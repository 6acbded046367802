package journal_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/santhosh-tekuri/jsonschema/v5"

	"ralph/internal/journal"
)

const docs = "../../docs"

// bodies is one of each type of event.
var bodies = []journal.Body{
	journal.RunStarted{}, journal.IterationStarted{}, journal.AttemptStarted{}, journal.AgentStarted{},
	journal.AttemptEnded{}, journal.IterationEnded{}, journal.WaitStarted{}, journal.WaitEnded{},
	journal.ClockJumped{}, journal.HarnessSwitched{}, journal.CheckEnded{}, journal.StoryProved{}, journal.TamperFound{}, journal.ClaimRejected{}, journal.PlanRestored{}, journal.PlanChanged{},
	journal.NoWork{}, journal.HeadMoved{}, journal.BreakerOpened{}, journal.BreakerReset{},
	journal.Request{}, journal.Warning{}, journal.Archived{}, journal.RunEnded{},
}

// TestEveryTypeIsListed holds the list above against the source.
func TestEveryTypeIsListed(t *testing.T) {
	source, err := os.ReadFile("event.go")
	if err != nil {
		t.Fatal(err)
	}
	var want, got []string
	for _, m := range regexp.MustCompile(`EventType\(\) string +\{ return "(\w+)"`).FindAllStringSubmatch(string(source), -1) {
		want = append(want, m[1])
	}
	for _, b := range bodies {
		got = append(got, b.EventType())
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
}

// TestTheDocumentDescribesEveryEvent: each type has a section with an example
// that reads and writes as it stands there, and a row for each of its keys.
func TestTheDocumentDescribesEveryEvent(t *testing.T) {
	data, err := os.ReadFile(filepath.Join(docs, "journal.md"))
	if err != nil {
		t.Fatal(err)
	}
	for _, b := range bodies {
		t.Run(b.EventType(), func(t *testing.T) {
			_, section, ok := strings.Cut(string(data), "\n### `"+b.EventType()+"`\n")
			if !ok {
				t.Fatal("no section")
			}
			section, _, _ = strings.Cut(section, "\n##")

			_, example, _ := strings.Cut(section, "```json\n")
			example, _, _ = strings.Cut(example, "\n```")
			var e journal.Event
			if err := e.UnmarshalJSON([]byte(example)); err != nil {
				t.Fatal(err)
			}
			again, err := e.MarshalJSON()
			if diff := cmp.Diff(example, string(again)); diff != "" || err != nil {
				t.Error(diff, err)
			}
			if got := e.Body.EventType(); got != b.EventType() {
				t.Errorf("the example is a %s", got)
			}

			var rows []string
			for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\|").FindAllStringSubmatch(section, -1) {
				rows = append(rows, m[1])
			}
			if diff := cmp.Diff(keys(reflect.TypeOf(b)), rows); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// keys are the JSON keys of a struct, in their order.
func keys(typ reflect.Type) []string {
	var out []string
	for i := range typ.NumField() {
		name, _, _ := strings.Cut(typ.Field(i).Tag.Get("json"), ",")
		out = append(out, name)
	}
	return out
}

func TestNoBodyUsesAKeyOfTheHead(t *testing.T) {
	for _, b := range bodies {
		for _, key := range keys(reflect.TypeOf(b)) {
			if slices.Contains([]string{"", "-", "time", "type", "run"}, key) {
				t.Errorf("%s has the key %q", b.EventType(), key)
			}
		}
	}
}

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
	dir := t.TempDir()
	var status journal.Status
	var loop journal.LoopState
	check := func() {
		t.Helper()
		path := filepath.Join(dir, "loop-state.json")
		if err := journal.WriteLoopState(path, &loop); err != nil {
			t.Fatal(err)
		}
		data, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		validate(t, "loop-state.schema.json", data)
		for _, alive := range []*bool{nil, ptr(true)} {
			data, err := status.JSON(alive)
			if err != nil {
				t.Fatal(err)
			}
			validate(t, "schemas/status.schema.json", data)
		}
	}
	for _, e := range oneRun() {
		status.Apply(e)
		loop.Apply(e)
		check()
	}
	status.Apply(event(0, runStarted))
	loop.Apply(event(0, runStarted))
	status, loop = status.Crashed(), loop.Crashed()
	check()
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
