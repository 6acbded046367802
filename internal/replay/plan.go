package replay

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/tidwall/gjson"
	"gopkg.in/yaml.v3"

	"ralph/internal/checklist"
)

// plan is the text of a prd.json, empty where it cannot be read. It is edited as
// text, so that everything else keeps its form: ralph's guard compares it.
type plan struct {
	folder string // of the feature
	text   string
}

// readPlan reads the plan of RALPH_UNIT, or of the branch outside of a run.
func readPlan(env environ) *plan {
	unit := env.get("RALPH_UNIT")
	if unit == "" {
		unit = strings.ReplaceAll(env.git("symbolic-ref", "--quiet", "--short", "HEAD"), "/", "-")
	}
	p := &plan{folder: filepath.Join(env.dir, ".ralph", unit)}
	if data, err := os.ReadFile(p.path()); err == nil && gjson.ValidBytes(data) {
		p.text = string(data)
	}
	return p
}

func (p *plan) path() string { return filepath.Join(p.folder, "prd.json") }

// open returns the id of the open story with the highest priority (1 is the highest), the
// first one if several have it; "" without an open story.
func (p *plan) open() string {
	id, best := "", 0.0
	for _, s := range gjson.Get(p.text, "userStories").Array() {
		if priority := s.Get("priority").Num; !s.Get("passes").Bool() && (id == "" || priority < best) {
			id, best = s.Get("id").String(), priority
		}
	}
	return id
}

func (p *plan) story(id string) (gjson.Result, error) {
	for _, s := range gjson.Get(p.text, "userStories").Array() {
		if s.Get("id").String() == id {
			return s, nil
		}
	}
	return gjson.Result{}, fmt.Errorf("%s has no story %q", p.path(), id)
}

// tick sets the story's key 'passes'.
func (p *player) tick(id string) error {
	plan := readPlan(p.env)
	s, err := plan.story(id)
	if err != nil {
		return err
	}
	at, length, value := s.Index+1, 0, `"passes": true,`
	if now := s.Get("passes"); now.Exists() {
		at, length, value = now.Index, len(now.Raw), "true"
	}
	old := plan.text[at : at+length]
	text := plan.text[:at] + value + plan.text[at+length:]
	if err := os.WriteFile(plan.path(), []byte(text), 0o644); err != nil {
		return err
	}
	p.edited(p.env.shown(plan.path()), `"passes": `+old, `"passes": true`)
	return nil
}

// task is a task of a tasks.md: its number among all of them, counted from 1, or
// a text that an open one has.
type task struct {
	Task string `yaml:"task"`
	Path string `yaml:"path"` // empty: the tasks.md that ralph would find
}

// UnmarshalYAML implements yaml.Unmarshaler: 'tick_task: TEXT' is short for
// 'tick_task: {task: TEXT}'.
func (t *task) UnmarshalYAML(n *yaml.Node) error {
	if n.Kind == yaml.ScalarNode {
		t.Task = n.Value
		return nil
	}
	for i := 0; i < len(n.Content); i += 2 {
		if key := n.Content[i]; key.Value != "task" && key.Value != "path" {
			return fmt.Errorf("line %d: field %s not found in type replay.task", key.Line, key.Value)
		}
	}
	type plain task // without this method
	return n.Decode((*plain)(t))
}

func (p *player) tickTask(t task) error {
	path := p.env.path(t.Path)
	if t.Path == "" {
		if path = checklist.Find(p.env.dir); path == "" {
			return errors.New("no tasks.md")
		}
	}
	data, err := checklist.Read(path)
	if err != nil {
		return err
	}
	id := openTask(checklist.Parse(data), t.Task)
	if id == "" {
		return fmt.Errorf("%s: no open task %q", p.env.shown(path), t.Task)
	}
	ticked := checklist.Mark(data, []string{id}, true)
	if err := os.WriteFile(path, ticked, 0o644); err != nil {
		return err
	}
	before, after := strings.SplitAfter(string(data), "\n"), strings.SplitAfter(string(ticked), "\n")
	for i, line := range before {
		if line != after[i] {
			p.edited(p.env.shown(path), line, after[i])
		}
	}
	return nil
}

// openTask returns the id of the open task that a script means, empty for none.
func openTask(tasks []checklist.Task, meant string) string {
	number, _ := strconv.Atoi(meant)
	for i, t := range tasks {
		named := number == 0 && (strings.Contains(t.Title, meant) || strings.Contains(t.ID, meant))
		if t.State == checklist.Open && (named || i+1 == number) {
			return t.ID
		}
	}
	return ""
}

// progress is an entry of progress.txt.
type progress struct {
	Story     string   `yaml:"story"`
	Status    string   `yaml:"status"` // complete (the default), in-progress or blocked
	Files     []string `yaml:"files"`
	Tests     []string `yaml:"tests"`
	Learnings []string `yaml:"learnings"`
}

// log appends the entry in the form that ralph's prompts ask for.
func (p *player) log(entry progress) error {
	plan := readPlan(p.env)
	story, err := plan.story(entry.Story)
	if err != nil {
		return err
	}
	path := filepath.Join(plan.folder, "progress.txt")
	var b strings.Builder
	if data, err := os.ReadFile(path); err == nil && len(data) > 0 && data[len(data)-1] != '\n' {
		b.WriteString("\n")
	}
	if entry.Status == "" {
		entry.Status = "complete"
	}
	fmt.Fprintf(&b, "---\nIteration: %d\nDate: %s\n", p.env.number("RALPH_ITERATION"), time.Now().UTC().Format(time.RFC3339))
	fmt.Fprintf(&b, "Story: %s - %s\nStatus: %s\n", entry.Story, story.Get("title"), entry.Status)
	for _, list := range []struct {
		name  string
		items []string
	}{{"Files Changed", entry.Files}, {"Tests Added", entry.Tests}, {"Learnings", entry.Learnings}} {
		fmt.Fprintf(&b, "%s:\n", list.name)
		for _, item := range list.items {
			fmt.Fprintf(&b, "  - %s\n", item)
		}
	}
	commit := p.env.git("rev-parse", "--short", "--verify", "HEAD")
	if commit == "" {
		commit = "none"
	}
	fmt.Fprintf(&b, "Commit: %s\n", commit)
	if err := appendFile(path, b.String()); err != nil {
		return err
	}
	p.edited(p.env.shown(path), "", b.String())
	return nil
}

// git returns the output of a git command, empty where it fails.
func (e environ) git(args ...string) string {
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = e.dir, e.vars
	out, _ := cmd.Output()
	return strings.TrimSpace(string(out))
}
