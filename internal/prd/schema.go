package prd

import (
	"bytes"
	_ "embed"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"sync"

	"github.com/santhosh-tekuri/jsonschema/v5"
	"github.com/tidwall/gjson"
)

// Schema is the JSON schema of prd.json. Do not change it.
//
//go:embed schema.json
var Schema []byte

// compiled is the schema, made at its first use: few runs need it.
var compiled = sync.OnceValues(func() (*jsonschema.Schema, error) {
	const name = "prd.schema.json"
	c := jsonschema.NewCompiler()
	if err := c.AddResource(name, bytes.NewReader(Schema)); err != nil {
		return nil, err
	}
	return c.Compile(name)
})

// violations asks the schema what is wrong with src, which must be JSON.
// stories are the places of the elements of userStories.
func violations(src string, stories []extent) []Finding {
	schema, err := compiled()
	if err != nil {
		return []Finding{{Message: fmt.Sprintf("the schema of prd.json is broken: %v", err)}}
	}
	var doc any
	dec := json.NewDecoder(strings.NewReader(src))
	dec.UseNumber()
	if err := dec.Decode(&doc); err != nil {
		return []Finding{{Message: err.Error()}}
	}
	invalid := (*jsonschema.ValidationError)(nil)
	if err := schema.Validate(doc); err == nil {
		return nil
	} else if !errors.As(err, &invalid) {
		return []Finding{{Message: err.Error()}}
	}
	r := reporter{src: src, stories: stories, schema: schema, lines: newLineIndex(src)}
	r.add(invalid)
	return r.findings
}

// reporter words the schema's verdict for people and finds its places.
type reporter struct {
	src      string
	stories  []extent
	schema   *jsonschema.Schema
	lines    *lineIndex
	findings []Finding
}

// maxViolations bounds the work for a file that is wrong throughout.
const maxViolations = 100

func (r *reporter) add(e *jsonschema.ValidationError) {
	if len(r.findings) >= maxViolations {
		return
	}
	for _, cause := range e.Causes {
		r.add(cause)
	}
	if len(e.Causes) > 0 {
		return
	}
	steps := strings.FieldsFunc(e.InstanceLocation, func(c rune) bool { return c == '/' })
	value := r.find(steps)
	f := Finding{Path: readable(steps)}
	f.Line, f.Column = r.lines.position(value.Index)
	keyword := e.KeywordLocation[strings.LastIndexByte(e.KeywordLocation, '/')+1:]
	if keyword == "required" {
		r.missing(f, value, len(steps) == 0)
		return
	}
	f.Message = wording(steps, keyword, e.Message)
	r.findings = append(r.findings, f)
}

// missing adds a finding for each required key that the object has not.
func (r *reporter) missing(f Finding, object gjson.Result, root bool) {
	required, known := r.schema.Required, rootKeys
	if !root {
		required, known = r.schema.Properties["userStories"].Items2020.Required, storyKeys
	}
	meant := map[string]string{} // by what the file has in their place
	var has []string
	object.ForEach(func(key, _ gjson.Result) bool {
		has = append(has, key.Str)
		if guess := closest(key.Str, known); guess != "" && guess != key.Str {
			meant[guess] = key.Str
		}
		return true
	})
	for _, key := range required {
		if slices.Contains(has, key) {
			continue
		}
		f.Message, f.Hint = fmt.Sprintf("%q is missing", key), ""
		if wrong, ok := meant[key]; ok {
			f.Hint = fmt.Sprintf("Did you mean it by %q?", wrong)
		}
		r.findings = append(r.findings, f)
	}
}

// find returns the value that the steps of a JSON pointer lead to. It does not
// walk through the stories to get to one of them.
func (r *reporter) find(steps []string) gjson.Result {
	v := gjson.Parse(r.src)
	v.Raw = strings.TrimRight(v.Raw, " \t\r\n")
	if len(steps) >= 2 && steps[0] == "userStories" {
		if i, err := strconv.Atoi(steps[1]); err == nil && i < len(r.stories) {
			at := r.stories[i]
			v = gjson.Parse(r.src[at.from:at.to])
			v.Index = at.from
			steps = steps[2:]
		}
	}
	for _, step := range steps {
		v = child(v, step)
	}
	return v
}

// child returns the value at an index of an array or a key of an object.
func child(v gjson.Result, step string) gjson.Result {
	index, err := strconv.Atoi(step)
	byIndex := v.IsArray() && err == nil
	found := v
	i := 0
	v.ForEach(func(key, value gjson.Result) bool {
		if byIndex && i == index || !byIndex && key.Str == step {
			found = value
		}
		i++
		// Of a key that stands twice the last one counts, as for the schema.
		return !byIndex || i <= index
	})
	return found
}

// readable turns the steps of a JSON pointer into a path.
func readable(steps []string) string {
	var b strings.Builder
	for _, step := range steps {
		if _, err := strconv.Atoi(step); err == nil {
			b.WriteString("[" + step + "]")
			continue
		}
		if b.Len() > 0 {
			b.WriteByte('.')
		}
		b.WriteString(step)
	}
	return b.String()
}

// wording says what a violated keyword means for the value at the steps.
func wording(steps []string, keyword, message string) string {
	field := ""
	if len(steps) > 0 {
		field = steps[len(steps)-1]
	}
	switch field + " " + keyword {
	case "createdAt pattern":
		return "not an ISO-8601 time, such as 2026-01-15T10:30:00Z"
	case "userStories minItems":
		return "a plan needs at least one story"
	case "acceptanceCriteria minItems":
		return "a story needs at least one acceptance criterion"
	case "id pattern":
		return "an id must not be empty or hold white space"
	case "priority minimum":
		return "a priority is a whole number from 1, the highest"
	case "priority maximum":
		return "a priority has at most nine digits"
	}
	if keyword == "pattern" {
		return "must not be empty"
	}
	return message
}
