package replay

import (
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// size is a number of bytes: 300, 20KB, 100MB (thousands and millions).
type size int64

// UnmarshalYAML implements yaml.Unmarshaler.
func (s *size) UnmarshalYAML(n *yaml.Node) error {
	text, unit := strings.TrimSpace(n.Value), int64(1)
	for _, u := range []struct {
		suffix string
		bytes  int64
	}{{"KB", 1e3}, {"MB", 1e6}, {"GB", 1e9}} {
		if digits, ok := strings.CutSuffix(text, u.suffix); ok {
			text, unit = strings.TrimSpace(digits), u.bytes
		}
	}
	number, err := strconv.ParseInt(text, 10, 64)
	if n.Kind != yaml.ScalarNode || err != nil || number < 0 || number > 1e12/unit {
		return fault(n.Line, "%q is no size: write 300, 20KB or 100MB", n.Value)
	}
	*s = size(number * unit)
	return nil
}

// duration is a span of time: 300ms, 2s, 1m.
type duration time.Duration

// UnmarshalYAML implements yaml.Unmarshaler.
func (d *duration) UnmarshalYAML(n *yaml.Node) error {
	span, err := time.ParseDuration(n.Value)
	if n.Kind != yaml.ScalarNode || err != nil || span < 0 {
		return fault(n.Line, "%q is no duration: write 300ms, 2s or 1m", n.Value)
	}
	*d = duration(span)
	return nil
}

// argv is a command and its arguments. A single string would need a shell to
// take it apart, so it is refused with the way to write it.
type argv []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (a *argv) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode || len(n.Content) == 0 {
		return fault(n.Line, "a command is a list: [git, status]; for a shell's syntax [sh, -c, %q]", n.Value)
	}
	var words []string
	if err := n.Decode(&words); err != nil {
		return err
	}
	*a = words
	return nil
}

// String returns the command as a person would type it.
func (a argv) String() string {
	words := make([]string, len(a))
	for i, word := range a {
		words[i] = quoteWord(word)
	}
	return strings.Join(words, " ")
}

func quoteWord(word string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:@%+,"
	if word != "" && strings.Trim(word, plain) == "" {
		return word
	}
	return "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
}

// flag is a step that can only be switched on: 'hang: true'.
type flag struct{}

// UnmarshalYAML implements yaml.Unmarshaler.
func (f *flag) UnmarshalYAML(n *yaml.Node) error {
	var on bool
	if err := n.Decode(&on); err != nil || !on {
		return fault(n.Line, "write true here, or leave the step out")
	}
	return nil
}
