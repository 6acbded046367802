package conformance

import (
	"bytes"
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"ralph/internal/agent"
)

// name is what the settings may call the command: after its program, and after no
// harness that ralph has already.
func (s *session) name() string {
	name := strings.TrimSuffix(filepath.Base(s.Command[0]), filepath.Ext(s.Command[0]))
	name = strings.Trim(regexp.MustCompile(`[^a-z0-9_-]+`).ReplaceAllString(strings.ToLower(name), "-"), "-")
	if name == "" {
		name = "mine"
	}
	taken := func(h agent.Harness) bool { return h.Name == name }
	if slices.ContainsFunc(agent.Builtin(""), taken) {
		name = "my-" + name
	}
	return name
}

// snippet is the part of the settings that makes the command a harness.
func (s *session) snippet() string {
	var words []string
	for _, w := range s.Command {
		words = append(words, quoted(w))
	}
	return fmt.Sprintf("harnesses:\n  %s:\n    command: [%s]\n    prompt: %s\n    output: %s\n",
		s.name(), strings.Join(words, ", "), s.mode, s.format)
}

// quoted is a string in YAML, which takes those of JSON.
func quoted(s string) string {
	var b bytes.Buffer
	enc := json.NewEncoder(&b)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(s); err != nil {
		return `""` // a string can always be encoded
	}
	return strings.TrimSpace(b.String())
}
