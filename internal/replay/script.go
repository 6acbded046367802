package replay

import (
	"errors"
	"fmt"
	"io"
	"os"

	"gopkg.in/yaml.v3"
)

// maxScript bounds the size of a script in bytes; a recorded stream belongs
// into a file of its own.
const maxScript = 16 << 20

// Script is a decoded script.
type Script struct {
	Path      string
	Turns     []Turn
	Otherwise *Turn // played where no turn fits; nil where the script has none
}

// Turn is what the agent does in one session, and when it is played. A zero
// selector selects nothing.
type Turn struct {
	Story     string // plays while this is the open story with the highest priority
	Iteration int    // plays in this iteration
	Attempt   int    // plays at this attempt of an iteration
	Line      int    // where it begins in the script
	Steps     []Step
}

// Step is one thing the agent does.
type Step struct {
	Name string
	Line int
	action
}

// LineError is a fault in a script, at a line of it.
type LineError struct {
	Path string
	Line int
	Err  error
}

func (e *LineError) Error() string { return fmt.Sprintf("%s:%d: %v", e.Path, e.Line, e.Err) }

// Unwrap returns the fault itself.
func (e *LineError) Unwrap() error { return e.Err }

// Load reads a script. Every fault in it is a *LineError.
func Load(path string) (*Script, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, fmt.Errorf("cannot read the script: %w", err)
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, maxScript+1))
	if err != nil {
		return nil, fmt.Errorf("cannot read the script: %w", err)
	}
	if len(data) > maxScript {
		return nil, fmt.Errorf("%s: the script is larger than %d MB", path, maxScript>>20)
	}
	return Parse(path, data)
}

// Parse decodes a script; path is what its faults name.
func Parse(path string, data []byte) (*Script, error) {
	script, err := parse(data)
	if err != nil {
		var at *LineError
		if !errors.As(err, &at) {
			at = &LineError{Line: 1, Err: err}
		}
		at.Path = path
		return nil, at
	}
	script.Path = path
	return script, nil
}

func parse(data []byte) (*Script, error) {
	var doc yaml.Node
	if err := yaml.Unmarshal(data, &doc); err != nil {
		return nil, yamlFault(1, err)
	}
	if len(doc.Content) == 0 {
		return nil, errors.New("the script is empty: it needs 'turns:'")
	}
	root, err := mapping(doc.Content[0])
	if err != nil {
		return nil, err
	}
	script := &Script{}
	for _, e := range root {
		switch e.key {
		case "turns":
			script.Turns, err = parseTurns(e.value)
		case "otherwise":
			script.Otherwise = &Turn{Line: e.line}
			script.Otherwise.Steps, err = parseSteps(e.value)
		default:
			err = fault(e.line, "unknown key %q: a script has 'turns' and 'otherwise'", e.key)
		}
		if err != nil {
			return nil, err
		}
	}
	if len(script.Turns) == 0 && script.Otherwise == nil {
		return nil, errors.New("the script has no turns")
	}
	return script, nil
}

func parseTurns(n *yaml.Node) ([]Turn, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, fault(n.Line, "turns is not a list")
	}
	turns := make([]Turn, 0, len(n.Content))
	for _, item := range n.Content {
		turn, err := parseTurn(item)
		if err != nil {
			return nil, err
		}
		turns = append(turns, turn)
	}
	return turns, nil
}

func parseTurn(n *yaml.Node) (Turn, error) {
	turn := Turn{Line: n.Line}
	entries, err := mapping(n)
	if err != nil {
		return turn, err
	}
	for _, e := range entries {
		switch e.key {
		case "story":
			err = decode(e.value, &turn.Story)
		case "iteration":
			turn.Iteration, err = parseCount(e)
		case "attempt":
			turn.Attempt, err = parseCount(e)
		case "steps":
			turn.Steps, err = parseSteps(e.value)
		default:
			err = fault(e.line, "unknown key %q: a turn has 'story', 'iteration', 'attempt' and 'steps'", e.key)
		}
		if err != nil {
			return turn, err
		}
	}
	return turn, nil
}

func parseCount(e entry) (int, error) {
	var n int
	if err := decode(e.value, &n); err != nil {
		return 0, err
	}
	if n < 1 {
		return 0, fault(e.line, "%s counts from 1", e.key)
	}
	return n, nil
}
