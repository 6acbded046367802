package replay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"

	"ralph/internal/checklist"
)

// tickTaskStep ticks a task of a tasks.md: by its number among all of them,
// counted from 1, or by a text that stands in an open one.
type tickTaskStep struct {
	Task string `yaml:"task"`
	Path string `yaml:"path"` // empty: the tasks.md that ralph would find
}

// UnmarshalYAML implements yaml.Unmarshaler: 'tick_task: TEXT' is the short
// form of 'tick_task: {task: TEXT}'.
func (s *tickTaskStep) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		s.Task = n.Value
		return nil
	}
	type plain tickTaskStep // without this method
	return decode(n, (*plain)(s))
}

func (s *tickTaskStep) check() error {
	if s.Task == "" {
		return errors.New("a task's text or number is needed")
	}
	return nil
}

func (s *tickTaskStep) play(_ context.Context, p *player) error {
	path := p.env.path(s.Path)
	if s.Path == "" {
		if path = checklist.Find(p.env.dir); path == "" {
			return errors.New("no tasks.md")
		}
	}
	data, err := checklist.Read(path)
	if err != nil {
		return err
	}
	id, err := openTask(checklist.Parse(data), s.Task)
	if err != nil {
		return fmt.Errorf("%s: %w", p.shown(path), err)
	}
	ticked := checklist.Tick(data, id)
	if err := os.WriteFile(path, ticked, 0o644); err != nil {
		return err
	}
	before, after := strings.SplitAfter(string(data), "\n"), strings.SplitAfter(string(ticked), "\n")
	for i, line := range before {
		if line != after[i] {
			p.edited(p.shown(path), line, after[i])
		}
	}
	return nil
}

// openTask returns the id of the open task that a script means.
func openTask(tasks []checklist.Task, meant string) (id string, err error) {
	if n, err := strconv.Atoi(meant); err == nil {
		switch {
		case n < 1 || n > len(tasks):
			return "", fmt.Errorf("no open task %q", meant)
		case tasks[n-1].State != checklist.Open:
			return "", fmt.Errorf("task %d is not open", n)
		}
		return tasks[n-1].ID, nil
	}
	for _, t := range tasks {
		if t.State == checklist.Open && (strings.Contains(t.Title, meant) || strings.Contains(t.ID, meant)) {
			return t.ID, nil
		}
	}
	return "", fmt.Errorf("no open task %q", meant)
}
