package config

import (
	"fmt"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Origin is where a value came from. The zero Origin is the built-in value.
type Origin struct {
	File string // with Line, for a file
	Line int
	Name string // of the variable or flag
}

// String returns "default", file:line, or the name of the variable or flag.
func (o Origin) String() string {
	switch {
	case o.File != "":
		return o.File + ":" + strconv.Itoa(o.Line)
	case o.Name != "":
		return o.Name
	}
	return "default"
}

// Origin returns the source of a key's value.
func (l *Loaded) Origin(key string) Origin { return l.origins[key] }

// IsDefault reports whether no source has set the key.
func (l *Loaded) IsDefault(key string) bool { return l.origins[key] == Origin{} }

// Entry is one key of a listing. Value is a string, number, boolean, list of
// strings, or map of strings, with secrets hidden.
type Entry struct {
	Key    string `json:"key"`
	Value  any    `json:"value"`
	Origin string `json:"origin"`
}

// Text returns the value in one line, quoted where its parts would be unclear.
func (e Entry) Text() string {
	switch v := e.Value.(type) {
	case string:
		if v == "" || strings.TrimSpace(v) != v || strings.ContainsFunc(v, isControl) {
			return strconv.Quote(v)
		}
		return v
	case []string:
		words := slices.Clone(v)
		for i, word := range v {
			if word == "" || strings.ContainsAny(word, " ,\"'[]\t\n") {
				words[i] = strconv.Quote(word)
			}
		}
		return "[" + strings.Join(words, ", ") + "]"
	}
	return fmt.Sprint(e.Value)
}

// Entries lists all keys, in the order of the example, the members of groups
// each on its own. It is made to be shown: what looks like a secret is hidden.
func (l *Loaded) Entries() []Entry {
	return l.entries(reflect.ValueOf(l.Settings), "")
}

func (l *Loaded) entries(section reflect.Value, path string) []Entry {
	var list []Entry
	for field, value := range section.Fields() {
		name := field.Tag.Get("yaml")
		key := join(path, name)
		switch {
		case name == "-":
		case isGroup(field.Type):
			for j := range value.Len() {
				entry := value.Index(j)
				list = append(list, l.entries(entry, join(key, entry.FieldByName("Name").String()))...)
			}
		case field.Type.Kind() == reflect.Struct:
			list = append(list, l.entries(value, key)...)
		default:
			list = append(list, Entry{Key: key, Value: shown(value), Origin: l.Origin(key).String()})
		}
	}
	return list
}

// hidden replaces a value that must not be shown.
const hidden = "(hidden)"

// secret finds passwords and keys where people put them against all advice: in
// the words of a command.
var secret = regexp.MustCompile(`(?i)((?:api[-_]?key|token|secret|password|passwd|credential)s?["']?\s*[=: ]\s*)(?:bearer\s+)?[^\s"',]+|\b(?:sk|pk|ghp|gho|github_pat|xox[a-z])[-_][\w-]{8,}|(://[^/\s:@]*:)[^/\s@]+@`)

func redact(text string) string {
	return secret.ReplaceAllStringFunc(text, func(found string) string {
		part := secret.FindStringSubmatch(found)
		if part[2] != "" {
			return part[2] + hidden + "@"
		}
		return part[1] + hidden
	})
}

func shown(value reflect.Value) any {
	switch v := value.Interface().(type) {
	case map[string]string:
		masked := make(map[string]string, len(v))
		for name := range v {
			masked[name] = hidden
		}
		return masked
	case []string:
		return redactWords(v)
	case Command:
		return redactWords(v)
	}
	switch value.Kind() {
	case reflect.Float64:
		return value.Float()
	case reflect.String:
		return redact(value.String())
	}
	return value.Interface()
}

// redactWords also hides the word after one such as --api-key.
func redactWords(words []string) []string {
	list := make([]string, len(words))
	for i, word := range words {
		list[i] = redact(word)
		if i > 0 && strings.HasPrefix(words[i-1], "-") && redact(words[i-1]+" x") != words[i-1]+" x" {
			list[i] = hidden
		}
	}
	return list
}
