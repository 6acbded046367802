package prd

import (
	_ "embed"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/tidwall/gjson"

	"ralph/internal/words"
)

// Schema is the JSON schema of prd.json. Parse judges by it, and so do editors and
// other programs. Do not change it.
//
//go:embed schema.json
var Schema []byte

var schema = sync.OnceValue(func() *jsonschema.Schema {
	// An address without a scheme would be resolved against the working folder, and that can
	// have any name.
	return jsonschema.MustCompileString("https://ralph.invalid/prd.schema.json", string(Schema))
})

func storySchema() *jsonschema.Schema { return schema().Properties["userStories"].Items2020 }

// ValidTime reports whether s is an ISO-8601 date, or date and time, as
// prd.json and spec.md may hold it.
func ValidTime(s string) bool { return schema().Properties["createdAt"].Pattern.MatchString(s) }

// checkSchema refuses each value of the document that is against the schema.
func (d *decoder) checkSchema(doc any) {
	invalid := (*jsonschema.ValidationError)(nil)
	if errors.As(schema().Validate(doc), &invalid) {
		d.causes(invalid)
	}
}

// causes reports the innermost causes of an error, in our words.
func (d *decoder) causes(e *jsonschema.ValidationError) {
	for _, cause := range e.Causes {
		d.causes(cause)
	}
	if len(e.Causes) > 0 || len(d.broken) == maxViolations {
		return
	}
	path := strings.Split(e.InstanceLocation, "/")[1:]
	value := valueAt(d.root, path)
	keyword := e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
	switch {
	case keyword == "required":
		d.missing(value, path)
	case keyword == "minItems" && len(path) > 1:
		f := d.finding(value.Index, path, "a story needs at least one acceptance criterion", "")
		f.NoCriteria = true
		d.odd = append(d.odd, f)
	default:
		d.refuse(value.Index, path, sentence(keyword, path, e.Message), "")
	}
}

// sentence says what is wrong with the value at the path.
func sentence(keyword string, path []string, message string) string {
	switch {
	case keyword == "minItems":
		return "a plan needs at least one story"
	case keyword == "minimum" || keyword == "maximum":
		return "a priority has at most nine digits"
	case keyword != "pattern":
		return message // about types: "expected string, but got number"
	case path[0] == "createdAt":
		return "not an ISO-8601 time, such as 2026-01-15T10:30:00Z"
	case path[2] == "id" || path[2] == "dependsOn":
		return "an id must not be empty or contain white space"
	}
	return "must not be empty"
}

// missing reports the required keys that an object lacks.
func (d *decoder) missing(object gjson.Result, path []string) {
	rules, known := schema(), rootKeys
	if len(path) > 0 {
		rules, known = storySchema(), storyKeys
	}
	has := map[string]bool{}
	meant := map[string]string{} // the unknown key that a known one was probably misspelt as
	object.ForEach(func(key, _ gjson.Result) bool {
		name := unescaped(key)
		has[name] = true
		if !slices.Contains(known, name) {
			meant[words.Closest(name, known)] = name
		}
		return true
	})
	for _, key := range rules.Required {
		hint := ""
		if wrong, ok := meant[key]; ok {
			hint = fmt.Sprintf("Did you mean it by %q?", wrong)
		}
		if !has[key] {
			d.refuse(object.Index, path, fmt.Sprintf("%q is missing", key), hint)
		}
	}
}

// valueAt returns the value at a path of keys and indexes. Of a key that occurs
// twice it is the last value, which is the one that was judged.
func valueAt(v gjson.Result, path []string) gjson.Result {
	for _, name := range path {
		i := -1
		inArray, found := v.IsArray(), v
		v.ForEach(func(key, value gjson.Result) bool {
			i++
			if inArray && strconv.Itoa(i) == name || !inArray && unescaped(key) == name {
				found = value
				return !inArray
			}
			return true
		})
		v = found
	}
	return v
}
