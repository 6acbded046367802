package config

import (
	"encoding/json"
	"fmt"
	"reflect"
	"strings"

	"gopkg.in/yaml.v3"
)

// Schema returns a JSON schema (draft 2020-12) of a settings file. The
// descriptions and default values are those of the example.
func Schema(example []byte) ([]byte, error) {
	root, err := parseFile("config.yaml.example", example)
	if err != nil {
		return nil, err
	}
	schema := sectionSchema(reflect.TypeFor[Settings](), root)
	schema["$schema"], schema["version"] = "https://json-schema.org/draft/2020-12/schema", 1
	schema["title"] = "The settings of ralph"
	text, err := json.MarshalIndent(schema, "", "  ")
	if err != nil {
		return nil, fmt.Errorf("write the schema: %w", err)
	}
	return append(text, '\n'), nil
}

// orNull allows a key without a value: it counts as not set.
func orNull(schema map[string]any) map[string]any {
	return map[string]any{"anyOf": []any{schema, map[string]any{"type": "null"}}}
}

func sectionSchema(t reflect.Type, example *yaml.Node) map[string]any {
	properties := map[string]any{}
	for field := range t.Fields() {
		name := field.Tag.Get("yaml")
		if name == "-" {
			continue
		}
		comment, value := exampleOf(example, name)
		schema := orNull(fieldSchema(field, value))
		if comment != "" {
			schema["description"] = comment
		}
		if leaf := !isGroup(field.Type) && field.Type.Kind() != reflect.Struct; leaf && value != nil {
			var plain any
			if value.Decode(&plain) == nil {
				schema["default"] = plain
			}
		}
		properties[name] = schema
	}
	return map[string]any{"type": "object", "properties": properties, "additionalProperties": false}
}

func fieldSchema(field reflect.StructField, example *yaml.Node) map[string]any {
	if isGroup(field.Type) {
		entry := sectionSchema(field.Type.Elem(), nil)
		either := map[string]any{"anyOf": []any{map[string]any{"type": "string", "minLength": 1}, entry}}
		return map[string]any{"type": "object", "additionalProperties": either}
	}
	if field.Type.Kind() == reflect.Struct {
		section := sectionSchema(field.Type, example)
		if short, ok := field.Type.FieldByName(field.Tag.Get("short")); ok {
			return map[string]any{"anyOf": []any{section, fieldSchema(short, nil)}}
		}
		return section
	}
	schema := typeSchema(field.Type)
	for tag, keyword := range map[string]string{"min": "minimum", "max": "maximum", "above": "exclusiveMinimum"} {
		if bound, ok := field.Tag.Lookup(tag); ok {
			schema[keyword] = atof(bound)
		}
	}
	if enum, ok := field.Tag.Lookup("enum"); ok {
		delete(schema, "type")
		schema["enum"] = enumWords(enum)
	}
	if field.Tag.Get("nonempty") != "" && field.Type.Kind() == reflect.String {
		schema["minLength"] = 1
	}
	return schema
}

// enumWords adds the booleans that YAML makes of the words true and false.
func enumWords(enum string) []any {
	var words []any
	for word := range strings.SplitSeq(enum, "|") {
		words = append(words, word)
		if word == "true" || word == "false" {
			words = append(words, word == "true")
		}
	}
	return words
}

func typeSchema(t reflect.Type) map[string]any {
	list := map[string]any{"type": "array", "items": map[string]any{"type": []any{"string", "number", "boolean"}}}
	switch {
	case t == reflect.TypeFor[Command]():
		return map[string]any{"anyOf": []any{map[string]any{"type": "string"}, list}}
	case t.Kind() == reflect.Slice:
		return list
	case t.Kind() == reflect.Map:
		return map[string]any{"type": "object", "additionalProperties": map[string]any{"type": []any{"string", "number", "boolean"}}}
	case t.Kind() == reflect.Bool:
		return map[string]any{"enum": []any{true, false, "yes", "no", "on", "off"}}
	case t.Kind() == reflect.Int, t.Kind() == reflect.Int64:
		return map[string]any{"type": "integer"}
	case t == reflect.TypeFor[Span]():
		return map[string]any{"type": []any{"string", "number"}}
	case t.Kind() == reflect.Float64:
		return map[string]any{"type": "number"}
	}
	return map[string]any{"type": []any{"string", "number", "boolean"}}
}

// exampleOf returns the comment above a key of the example, and its value.
func exampleOf(section *yaml.Node, name string) (string, *yaml.Node) {
	if section == nil || section.Kind != yaml.MappingNode {
		return "", nil
	}
	for i := 0; i+1 < len(section.Content); i += 2 {
		if key := section.Content[i]; key.Value == name {
			return commentText(key.HeadComment), section.Content[i+1]
		}
	}
	return "", nil
}

// commentText joins the last paragraph of a comment: what is above it may be
// the heading of a part, or an example of another key.
func commentText(comment string) string {
	paragraphs := strings.Split(comment, "\n\n")
	var words []string
	for line := range strings.SplitSeq(paragraphs[len(paragraphs)-1], "\n") {
		if text := strings.TrimLeft(line, "#"); !strings.HasPrefix(text, " ---") {
			words = append(words, strings.Fields(text)...)
		}
	}
	return strings.Join(words, " ")
}
