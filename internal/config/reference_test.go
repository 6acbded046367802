package config

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"gopkg.in/yaml.v3"

	"ralph"
)

const (
	referencePage  = "../../docs/settings.md"
	referenceBegin = "<!-- From here on this page is made from the settings themselves. -->\n"
)

// TestTheReferenceIsUpToDate compares docs/settings.md with the keys, their bounds and the
// example that explains them. UPDATE_DOCS=1 writes the page.
func TestTheReferenceIsUpToDate(t *testing.T) {
	page, err := os.ReadFile(referencePage)
	if err != nil {
		t.Fatal(err)
	}
	prose, _, ok := strings.Cut(string(page), referenceBegin)
	if !ok {
		t.Fatalf("%s lacks the line %s", referencePage, referenceBegin)
	}
	want := prose + referenceBegin + reference(t)
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(referencePage, []byte(want), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(want, string(page)); diff != "" {
		t.Errorf("%s is out of date; write it anew with UPDATE_DOCS=1 go test ./internal/config -run TestTheReferenceIsUpToDate\n%s", referencePage, diff)
	}
}

// reference is the generated part of the page: a heading for each section of the
// example, with a table of its keys.
func reference(t *testing.T) string {
	t.Helper()
	example, groups := uncommented(string(ralph.ConfigExample))
	root, err := parseFile("config.yaml.example", []byte(example))
	if err != nil {
		t.Fatal(err)
	}
	var page strings.Builder
	part := regexp.MustCompile(`(?m)^# --- (.*?) -+$`)
	for i := 0; i+1 < len(root.Content); i += 2 {
		key, value := root.Content[i], root.Content[i+1]
		field, ok := fieldNamed(reflect.TypeFor[Settings](), key.Value)
		if !ok {
			t.Fatalf("the example has %s, which is no setting", key.Value)
		}
		if m := part.FindStringSubmatch(key.HeadComment); m != nil {
			fmt.Fprintf(&page, "\n## %s\n", m[1])
		}
		fmt.Fprintf(&page, "\n### %s\n\n", key.Value)
		switch {
		case isGroup(field.Type):
			page.WriteString(paragraph(key.HeadComment))
			fmt.Fprintf(&page, "```yaml\n%s```\n\n", groups[key.Value])
			page.WriteString("| key | values | what it is |\n| --- | --- | --- |\n")
			entryRows(&page, field.Type.Elem(), value)
		case field.Type.Kind() == reflect.Struct:
			page.WriteString(paragraph(key.HeadComment))
			page.WriteString("| key | built in | variable | what it is |\n| --- | --- | --- | --- |\n")
			for j := 0; j+1 < len(value.Content); j += 2 {
				leaf, _ := fieldNamed(field.Type, value.Content[j].Value)
				leafRow(&page, key.Value+".", leaf, value.Content[j], value.Content[j+1])
			}
		default:
			page.WriteString("| key | built in | variable | what it is |\n| --- | --- | --- | --- |\n")
			leafRow(&page, "", field, key, value)
		}
	}
	return page.String()
}

// uncommented takes the comment signs away from the example's groups, and returns the
// text of each too.
func uncommented(example string) (string, map[string]string) {
	var lines []string
	groups, name := map[string]string{}, ""
	for line := range strings.SplitSeq(example, "\n") {
		text := strings.TrimPrefix(line, "# ")
		if text == "quality_checks:" || text == "harnesses:" {
			name = strings.TrimSuffix(text, ":")
		}
		if name != "" && text == line {
			name = "" // the first line without a comment sign ends it
		}
		if name != "" {
			groups[name] += text + "\n"
			line = text
		}
		lines = append(lines, line)
	}
	return strings.Join(lines, "\n"), groups
}

// described takes a comment apart: whether it marks a setting as the user's own, and
// its text, in which lines that are moved in stay lines.
func described(comment string) (bool, string) {
	paragraphs := strings.Split(comment, "\n\n")
	text := ""
	for line := range strings.SplitSeq(paragraphs[len(paragraphs)-1], "\n") {
		line = strings.TrimLeft(line, "#")
		switch words := strings.Join(strings.Fields(line), " "); {
		case strings.HasPrefix(words, "--- "), words == "":
		case strings.HasPrefix(line, "   "):
			text += "<br>" + regexp.MustCompile(` {2,}`).ReplaceAllString(strings.TrimSpace(line), ": ")
		default:
			text = strings.TrimSpace(text + " " + words)
		}
	}
	text, yours := strings.CutPrefix(text, "[yours] ")
	return yours, strings.ReplaceAll(text, "|", `\|`)
}

func paragraph(comment string) string {
	yours, text := described(comment)
	if yours {
		text = "**Yours.** " + text
	}
	if text == "" {
		return ""
	}
	return text + "\n\n"
}

func leafRow(page *strings.Builder, prefix string, field reflect.StructField, key, value *yaml.Node) {
	yours, text := described(key.HeadComment)
	if yours != (field.Tag.Get("yours") != "") {
		text += " (the example and the program differ in whether it is yours)"
	}
	if yours {
		text = "**Yours.** " + text
	}
	variable := "none"
	if name, ok := envNames()[prefix+key.Value]; ok {
		variable = "`" + name + "`"
	}
	fmt.Fprintf(page, "| `%s%s` | `%s` | %s | %s%s |\n", prefix, key.Value, literal(value), variable, text, bounds(field, text))
}

// literal is a value as one would write it.
func literal(value *yaml.Node) string {
	copied := *value
	copied.HeadComment, copied.LineComment, copied.FootComment = "", "", ""
	text, err := yaml.Marshal(&copied)
	if err != nil {
		return err.Error()
	}
	return strings.TrimSpace(string(text))
}

// bounds returns the accepted values, unless the text has them.
func bounds(field reflect.StructField, text string) string {
	switch {
	case field.Tag.Get("min") != "" && field.Tag.Get("min") != "0":
		return " At least " + field.Tag.Get("min") + "."
	case field.Tag.Get("above") != "":
		return " More than " + field.Tag.Get("above") + "."
	}
	for word := range strings.SplitSeq(field.Tag.Get("enum"), "|") {
		if !strings.Contains(text, word) {
			return " One of " + oneOf(field) + "."
		}
	}
	return ""
}

func oneOf(field reflect.StructField) string {
	return "`" + strings.ReplaceAll(field.Tag.Get("enum"), "|", "`, `") + "`"
}

// entryRows are the keys that a member of a group may have, with the example's words
// about each.
func entryRows(page *strings.Builder, entry reflect.Type, example *yaml.Node) {
	comments := map[string]string{}
	full := example.Content[len(example.Content)-1] // the last member has all keys
	for j := 0; j+1 < len(full.Content); j += 2 {
		key, value := full.Content[j], full.Content[j+1]
		_, comments[key.Value] = described(value.LineComment + key.LineComment)
	}
	for i := range entry.NumField() {
		field := entry.Field(i)
		name := field.Tag.Get("yaml")
		if name == "-" {
			continue
		}
		fmt.Fprintf(page, "| `%s` | %s | %s |\n", name, kindOf(field), comments[name])
	}
}

func kindOf(field reflect.StructField) string {
	switch {
	case field.Tag.Get("enum") != "":
		return oneOf(field)
	case field.Type == reflect.TypeFor[Command]():
		return "a text, or a list of words"
	case field.Type.Kind() == reflect.Slice:
		return "a list"
	case field.Type.Kind() == reflect.Map:
		return "names and values"
	case field.Type.Kind() == reflect.Bool:
		return "`true`, `false`"
	case field.Type.Kind() == reflect.Float64:
		return "a number"
	}
	return "a text"
}
