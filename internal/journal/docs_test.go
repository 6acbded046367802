package journal_test

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
)

const docs = "../../docs"

// bodies is one of each type of event.
var bodies = []journal.Body{
	journal.RunStarted{}, journal.IterationStarted{}, journal.AttemptStarted{}, journal.AgentStarted{},
	journal.AttemptEnded{}, journal.IterationEnded{}, journal.WaitStarted{}, journal.WaitEnded{},
	journal.ClockJumped{}, journal.HarnessSwitched{}, journal.CheckEnded{}, journal.StoryProved{},
	journal.WorkProved{}, journal.ReviewStarted{}, journal.ReviewEnded{}, journal.TamperFound{},
	journal.ClaimRejected{}, journal.ClaimAccepted{}, journal.BaseMoved{}, journal.PlanRestored{},
	journal.PlanChanged{}, journal.NoWork{}, journal.HeadMoved{}, journal.StoryParked{},
	journal.Undone{}, journal.BreakerOpened{}, journal.BreakerReset{},
	journal.Request{}, journal.Warning{}, journal.Archived{}, journal.RunEnded{},
}

// TestEveryTypeIsListed compares the list above with the source.
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

const (
	eventsPage  = docs + "/journal.md"
	eventsBegin = "<!-- The rest of this page is generated from event.go: UPDATE_DOCS=1 go test ./internal/journal -->\n"
)

// TestTheDocumentDescribesEveryEvent compares the generated part of the page with the
// comments of event.go. UPDATE_DOCS=1 writes it. The examples are kept from the page:
// each must read as an event of its type, and write as the same line.
func TestTheDocumentDescribesEveryEvent(t *testing.T) {
	page, err := os.ReadFile(eventsPage)
	if err != nil {
		t.Fatal(err)
	}
	prose, old, ok := strings.Cut(string(page), eventsBegin)
	if !ok {
		t.Fatalf("%s lacks the line %s", eventsPage, eventsBegin)
	}
	types := eventTypes(t)
	want := prose + eventsBegin
	for _, b := range bodies {
		want += section(t, b, types[reflect.TypeOf(b).Name()], example(t, old, b))
	}
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(eventsPage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("%s is out of date; update it with UPDATE_DOCS=1 go test ./internal/journal\n%s", eventsPage, diff)
	}
}

// eventTypes returns the type declarations of event.go by name.
func eventTypes(t *testing.T) map[string]*ast.GenDecl {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "event.go", nil, parser.ParseComments)
	if err != nil {
		t.Fatal(err)
	}
	types := map[string]*ast.GenDecl{}
	for _, d := range file.Decls {
		if decl, ok := d.(*ast.GenDecl); ok && decl.Tok == token.TYPE {
			types[decl.Specs[0].(*ast.TypeSpec).Name.Name] = decl
		}
	}
	return types
}

// example returns the example line of the page for an event, or one with empty values.
func example(t *testing.T, page string, b journal.Body) string {
	t.Helper()
	_, text, _ := strings.Cut(page, "\n### `"+b.EventType()+"`\n")
	text, _, _ = strings.Cut(text, "\n##")
	_, text, found := strings.Cut(text, "```json\n")
	text, _, _ = strings.Cut(text, "\n```")
	e := journal.Event{Time: start, Run: "20261121-140203", Body: b}
	if found {
		if err := e.UnmarshalJSON([]byte(text)); err != nil {
			t.Fatal(err)
		}
	}
	again, err := e.MarshalJSON()
	if err != nil {
		t.Fatal(err)
	}
	if e.Body.EventType() != b.EventType() {
		t.Errorf("the example of %s is a %s", b.EventType(), e.Body.EventType())
	}
	return string(again)
}

// section is the part of the page about one type of event.
func section(t *testing.T, b journal.Body, decl *ast.GenDecl, example string) string {
	t.Helper()
	name, doc, _ := strings.Cut(strings.TrimSpace(decl.Doc.Text()), " ")
	if name != reflect.TypeOf(b).Name() {
		t.Errorf("the comment of %T does not start with its name", b)
	}
	var out strings.Builder
	fmt.Fprintf(&out, "\n### `%s`\n\n", b.EventType())
	fmt.Fprintf(&out, "%s\n\n```json\n%s\n```\n\n", strings.ToUpper(doc[:1])+doc[1:], example)
	out.WriteString("| key | type | meaning |\n| --- | --- | --- |\n")
	fields := decl.Specs[0].(*ast.TypeSpec).Type.(*ast.StructType).Fields.List
	for i, key := range keys(reflect.TypeOf(b)) {
		f := reflect.TypeOf(b).Field(i)
		meaning := strings.Join(strings.Fields(fields[i].Doc.Text()+fields[i].Comment.Text()), " ")
		if meaning == "" {
			t.Errorf("event.go says nothing about %T.%s", b, f.Name)
		}
		kind := jsonKind(f.Type)
		if strings.HasSuffix(f.Tag.Get("json"), ",omitempty") {
			kind += ", optional"
		}
		fmt.Fprintf(&out, "| `%s` | %s | %s |\n", key, kind, meaning)
	}
	return out.String()
}

// jsonKind names what a field is in JSON.
func jsonKind(typ reflect.Type) string {
	switch {
	case typ == reflect.TypeFor[*time.Time]():
		return "time"
	case typ == reflect.TypeFor[*float64]():
		return "number or null"
	case typ.Kind() == reflect.Pointer:
		return jsonKind(typ.Elem())
	case typ.Kind() == reflect.Slice:
		return "list"
	case typ.Kind() == reflect.Struct:
		return "object"
	case typ.Kind() == reflect.Bool:
		return "true or false"
	case typ.Kind() == reflect.String:
		return "text"
	}
	return "number"
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
