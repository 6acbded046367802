package replay

import (
	"strings"

	"gopkg.in/yaml.v3"
)

// kind is a kind of step: the name it has in a script, and an empty one to decode into.
type kind struct {
	name string
	make func() action
}

// of makes an empty step of the type T.
func of[T any, P interface {
	*T
	action
}]() action {
	return P(new(T))
}

// kinds lists the steps in the order of the reference.
func kinds() []kind {
	return []kind{
		{"say", of[sayStep]}, {"tool", of[toolStep]}, {"final", of[finalStep]}, {"promise", of[promiseStep]},
		{"write", of[writeStep]}, {"append", of[appendStep]}, {"replace", of[replaceStep]},
		{"remove", of[removeStep]}, {"mkdir", of[mkdirStep]}, {"symlink", of[symlinkStep]},
		{"run", of[runStep]}, {"git_commit", of[commitStep]}, {"spawn", of[spawnStep]},
		{"tick", of[tickStep]}, {"untick", of[untickStep]}, {"tick_task", of[tickTaskStep]},
		{"notes", of[notesStep]}, {"progress", of[progressStep]},
		{"sleep", of[sleepStep]}, {"hang", of[hangStep]}, {"ignore_signals", of[ignoreStep]},
		{"stop_self", of[stopSelfStep]}, {"close_stdout", of[closeStdoutStep]}, {"exit", of[exitStep]},
		{"raw", of[rawStep]}, {"raw_file", of[rawFileStep]}, {"garbage", of[garbageStep]},
		{"flood", of[floodStep]}, {"stderr", of[stderrStep]},
		{"limit", of[limitStep]}, {"overloaded", of[overloadedStep]}, {"auth_error", of[authErrorStep]},
		{"no_result", of[noResultStep]}, {"deny", of[denyStep]}, {"tokens", of[tokensStep]}, {"cost", of[costStep]},
		{"read_prompt", of[readPromptStep]}, {"save_prompt", of[savePromptStep]},
		{"expect_prompt", of[expectPromptStep]},
	}
}

// newAction returns an empty step of a kind; where there is no such kind, the
// names that there are.
func newAction(name string) (action, []string) {
	all := kinds()
	names := make([]string, 0, len(all))
	for _, k := range all {
		if k.name == name {
			return k.make(), nil
		}
		names = append(names, k.name)
	}
	return nil, names
}

func parseSteps(n *yaml.Node) ([]Step, error) {
	if n.Kind != yaml.SequenceNode {
		return nil, fault(n.Line, "expected a list of steps, each on a line such as '- say: hello'")
	}
	steps := make([]Step, 0, len(n.Content))
	for _, item := range n.Content {
		step, err := parseStep(item)
		if err != nil {
			return nil, err
		}
		steps = append(steps, step)
	}
	return steps, nil
}

// parseStep decodes a step: a mapping with one key, the step's name. Beside
// 'run' there may be 'fail_ok'.
func parseStep(n *yaml.Node) (Step, error) {
	entries, err := mapping(n)
	if err != nil {
		return Step{}, err
	}
	if len(entries) == 0 {
		return Step{}, fault(n.Line, "empty step")
	}
	first := entries[0]
	act, names := newAction(first.key)
	if act == nil {
		return Step{}, fault(first.line, "unknown step %q; there are %s", first.key, strings.Join(names, ", "))
	}
	if err := decodeAction(first, act); err != nil {
		return Step{}, err
	}
	for _, e := range entries[1:] {
		run, ok := act.(*runStep)
		if !ok || e.key != "fail_ok" {
			return Step{}, fault(e.line, "a step has one key: put %q into a step of its own", e.key)
		}
		if err := decode(e.value, &run.failOK); err != nil {
			return Step{}, err
		}
	}
	return Step{Name: first.key, Line: first.line, action: act}, nil
}

// checker is a step that knows values it cannot play.
type checker interface{ check() error }

func decodeAction(e entry, act action) error {
	if err := decode(e.value, act); err != nil {
		return err
	}
	if c, ok := act.(checker); ok {
		if err := c.check(); err != nil {
			return fault(e.line, "%s: %w", e.key, err)
		}
	}
	return nil
}
