package replay

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"gopkg.in/yaml.v3"
)

// tickTaskStep ticks a box of a tasks.md: by its number among all boxes,
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
		found, err := findTasks(p.env.dir)
		if err != nil {
			return err
		}
		path = found
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	lines := strings.SplitAfter(string(data), "\n")
	i, err := findBox(lines, s.Task)
	if err != nil {
		return fmt.Errorf("%s: %w", p.shown(path), err)
	}
	old := lines[i]
	lines[i] = strings.Replace(old, "[ ]", "[x]", 1)
	if err := os.WriteFile(path, []byte(strings.Join(lines, "")), 0o644); err != nil {
		return err
	}
	p.edited(p.shown(path), old, lines[i])
	return nil
}

// findBox returns the index of the line with the open box that task means.
func findBox(lines []string, task string) (int, error) {
	box := regexp.MustCompile(`^\s*[-*+] \[[ xX?]\] `)
	number, err := strconv.Atoi(task)
	byNumber := err == nil
	count := 0
	for i, line := range lines {
		if !box.MatchString(line) {
			continue
		}
		count++
		open := strings.Contains(line, "[ ]")
		if byNumber && count == number && !open {
			return 0, fmt.Errorf("task %d is not open", number)
		}
		if open && (byNumber && count == number || !byNumber && strings.Contains(line, task)) {
			return i, nil
		}
	}
	return 0, fmt.Errorf("no open task %q", task)
}

// findTasks finds the tasks.md that ralph works on: the one at the root, else
// the first by path at most three levels down, archives left out.
func findTasks(root string) (string, error) {
	found := filepath.Join(root, "tasks.md")
	if _, err := os.Stat(found); err == nil {
		return found, nil
	}
	found = ""
	err := filepath.WalkDir(root, func(path string, d fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read holds no task for us
		}
		rel, _ := filepath.Rel(root, path)
		depth := strings.Count(rel, string(filepath.Separator)) + 1
		switch {
		case d.IsDir() && path != root && (depth >= 3 || d.Name() == ".git" || d.Name() == "archive" || d.Name() == "node_modules"):
			return filepath.SkipDir
		case !d.IsDir() && d.Name() == "tasks.md":
			found = path
			return filepath.SkipAll
		}
		return nil
	})
	if err == nil && found == "" {
		err = errors.New("no tasks.md")
	}
	return found, err
}
