package replay

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"reflect"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"gopkg.in/yaml.v3"
)

// Script is a script file: its turns, and the steps when no turn fits.
type Script struct {
	Turns     []Turn `yaml:"turns"`
	Otherwise []Step `yaml:"otherwise"` // played where no turn fits

	path string
}

// Turn is what the agent does in one session, and the conditions for playing it. A zero
// condition is ignored.
type Turn struct {
	Story     string `yaml:"story"`     // plays in iterations about this story
	Iteration int    `yaml:"iteration"` // plays in this iteration
	Attempt   int    `yaml:"attempt"`   // plays at this attempt of an iteration
	Model     string `yaml:"model"`     // plays with this model
	Review    bool   `yaml:"review"`    // plays for a review, and only then
	Steps     []Step `yaml:"steps"`
}

// Step is one action of the agent. Exactly one field is set, and its key is the step's name in
// a script.
type Step struct {
	Say     *string `yaml:"say"`
	Final   *string `yaml:"final"`
	Promise *string `yaml:"promise"` // true for the default, or a text

	Write   *file        `yaml:"write"`
	Append  *file        `yaml:"append"`
	Replace *replacement `yaml:"replace"`
	Remove  *string      `yaml:"remove"`

	Run    argv    `yaml:"run"`
	FailOK bool    `yaml:"fail_ok"` // next to run: its failure does not fail the turn
	Commit *string `yaml:"git_commit"`
	Spawn  *spawn  `yaml:"spawn"`

	Tick     *string   `yaml:"tick"`
	TickTask *task     `yaml:"tick_task"`
	Progress *progress `yaml:"progress"`

	Sleep         *duration `yaml:"sleep"`
	Hang          bool      `yaml:"hang"`
	IgnoreSignals []string  `yaml:"ignore_signals"`
	Exit          *int      `yaml:"exit"`

	Raw      *string `yaml:"raw"`
	RawFile  *string `yaml:"raw_file"`
	Stderr   *string `yaml:"stderr"`
	NoResult bool    `yaml:"no_result"`

	Limit      *limit   `yaml:"limit"`
	Overloaded bool     `yaml:"overloaded"`
	AuthError  bool     `yaml:"auth_error"`
	Deny       []string `yaml:"deny"`
	Tokens     *tokens  `yaml:"tokens"`
	Cost       *float64 `yaml:"cost"`

	SavePrompt   *string `yaml:"save_prompt"`
	ExpectPrompt *string `yaml:"expect_prompt"`

	name string
	line int
}

// stepNames returns the names of all steps in the order of the reference.
func stepNames() []string {
	var names []string
	for f := range reflect.TypeFor[Step]().Fields() {
		if name := f.Tag.Get("yaml"); name != "" && name != "fail_ok" {
			names = append(names, name)
		}
	}
	return names
}

// Load reads a script file. Errors name the file and the line.
func Load(path string) (*Script, error) {
	data, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) { // what a newcomer meets first
		return nil, fmt.Errorf("there is no replay script %s: write one (see docs/replay.md), or name another in %s", path, ScriptVar)
	}
	if err != nil {
		return nil, fmt.Errorf("cannot read the replay script: %w", err)
	}
	return Parse(path, data)
}

// Parse decodes a script. Errors name path and the line.
func Parse(path string, data []byte) (*Script, error) {
	s := &Script{path: path}
	decoder := yaml.NewDecoder(bytes.NewReader(data))
	decoder.KnownFields(true)
	err := decoder.Decode(s)
	var doc yaml.Node
	switch {
	case errors.Is(err, io.EOF):
		return nil, s.fault(1, "the script is empty: it needs 'turns:'")
	case err != nil:
		return nil, s.yamlFault(err)
	case len(s.Turns) == 0 && s.Otherwise == nil:
		return nil, s.fault(1, "the script has no turns")
	}
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, s.yamlFault(err)
	}
	return s, s.check(doc.Content[0])
}

// check checks what types cannot say, and gives each step its name and line.
func (s *Script) check(root *yaml.Node) error {
	turns := child(root, "turns")
	for i := range s.Turns {
		t := &s.Turns[i]
		if t.Iteration < 0 || t.Attempt < 0 {
			return s.fault(turns.Content[i].Line, "iteration and attempt count from 1")
		}
		if err := s.checkSteps(t.Steps, child(follow(turns.Content[i]), "steps")); err != nil {
			return err
		}
	}
	return s.checkSteps(s.Otherwise, child(root, "otherwise"))
}

func (s *Script) checkSteps(steps []Step, list *yaml.Node) error {
	for i := range steps {
		step, n := &steps[i], follow(list.Content[i])
		if len(n.Content) == 0 {
			return s.fault(list.Content[i].Line, "empty step")
		}
		key, value := n.Content[0], n.Content[1]
		step.name, step.line = key.Value, key.Line
		if len(n.Content) > 2 && (step.name != "run" || n.Content[2].Value != "fail_ok") {
			return s.fault(n.Content[2].Line, "a step has one key: put %q into a step of its own", n.Content[2].Value)
		}
		if value.Tag == "!!bool" && value.Value != "true" || value.Tag == "!!null" {
			return s.fault(value.Line, "%s has no effect here: give it a value, or leave it out", step.name)
		}
		if err := step.check(); err != nil {
			return s.fault(step.line, "%s: %v", step.name, err)
		}
	}
	return nil
}

func (s *Step) check() error {
	switch {
	case s.name == "run" && len(s.Run) == 0, s.Spawn != nil && len(s.Spawn.Argv) == 0:
		return errors.New("a command is needed, such as [sleep, \"10\"]")
	case s.Exit != nil && (*s.Exit < 0 || *s.Exit > 255):
		return errors.New("an exit status is between 0 and 255")
	case s.Limit != nil && !slices.Contains([]string{"", "five_hour", "seven_day"}, s.Limit.Window):
		return fmt.Errorf("window %q is neither five_hour nor seven_day", s.Limit.Window)
	case s.Progress != nil && !slices.Contains([]string{"", "complete", "in-progress", "blocked"}, s.Progress.Status):
		return fmt.Errorf("status %q is not one of complete, in-progress, blocked", s.Progress.Status)
	case s.TickTask != nil && s.TickTask.Task == "":
		return errors.New("a task's text or number is needed")
	case s.Replace != nil && s.Replace.Old == "":
		return errors.New("the old text is needed")
	}
	for _, name := range s.IgnoreSignals {
		if signalNamed(name) == 0 {
			return fmt.Errorf("%q cannot be ignored, only INT, TERM and HUP", name)
		}
	}
	return nil
}

// child returns the value of a key of a mapping.
func child(n *yaml.Node, key string) *yaml.Node {
	for i := 0; i+1 < len(n.Content); i += 2 {
		if n.Content[i].Value == key {
			return follow(n.Content[i+1])
		}
	}
	return &yaml.Node{}
}

// follow returns the node that an alias means.
func follow(n *yaml.Node) *yaml.Node {
	if n.Kind == yaml.AliasNode {
		return n.Alias
	}
	return n
}

func (s *Script) fault(line int, format string, args ...any) error {
	return fmt.Errorf("%s:%d: "+format, append([]any{s.path, line}, args...)...)
}

// yamlFault rewrites an error of the yaml package, which names Go types.
func (s *Script) yamlFault(err error) error {
	text := strings.TrimPrefix(err.Error(), "yaml: ")
	var list *yaml.TypeError
	if errors.As(err, &list) {
		text = list.Errors[0]
	}
	line := 1
	if m := regexp.MustCompile(`^line (\d+): `).FindStringSubmatch(text); m != nil {
		line, _ = strconv.Atoi(m[1])
		text = text[len(m[0]):]
	}
	if m := regexp.MustCompile(`^cannot unmarshal !!\w+ (.*) into `).FindStringSubmatch(text); m != nil {
		text = "unexpected value " + m[1] + " (see docs/replay.md)"
	}
	m := regexp.MustCompile(`^field (\S+) not found in type replay\.(\w+)$`).FindStringSubmatch(text)
	switch {
	case m == nil:
		return s.fault(line, "%s", text)
	case m[2] == "Step":
		return s.fault(line, "unknown step %q; the steps are %s", m[1], strings.Join(stepNames(), ", "))
	}
	return s.fault(line, "unknown key %q (see docs/replay.md)", m[1])
}

// duration is a span of time: 300ms, 2s, 1m.
type duration time.Duration

// UnmarshalYAML implements yaml.Unmarshaler.
func (d *duration) UnmarshalYAML(n *yaml.Node) error {
	span, err := time.ParseDuration(n.Value)
	if err != nil || span < 0 {
		return fmt.Errorf("line %d: %q is no duration: write 300ms, 2s or 1m", n.Line, n.Value)
	}
	*d = duration(span)
	return nil
}

// argv is a command and its arguments. A single string would need a shell to split
// it, so it is refused with the way to write it.
type argv []string

// UnmarshalYAML implements yaml.Unmarshaler.
func (a *argv) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind != yaml.SequenceNode {
		return fmt.Errorf("line %d: a command is a list: [git, status]; for a shell's syntax [sh, -c, %q]", n.Line, n.Value)
	}
	return n.Decode((*[]string)(a))
}

// String returns the command as a user would type it.
func (a argv) String() string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./=:@%+,"
	words := slices.Clone(a)
	for i, word := range words {
		if word == "" || strings.Trim(word, plain) != "" {
			words[i] = "'" + strings.ReplaceAll(word, "'", `'\''`) + "'"
		}
	}
	return strings.Join(words, " ")
}
