package replay

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// The steps of this file keep the plan's records: the stories in prd.json and
// the log in progress.txt of the feature folder.

// tickStep marks a story as passing.
type tickStep string

func (s *tickStep) check() error { return needStory(string(*s)) }

func (s *tickStep) play(ctx context.Context, p *player) error {
	return p.setStory(ctx, string(*s), "passes", true)
}

// untickStep marks a story as not passing.
type untickStep string

func (s *untickStep) check() error { return needStory(string(*s)) }

func (s *untickStep) play(ctx context.Context, p *player) error {
	return p.setStory(ctx, string(*s), "passes", false)
}

// notesStep replaces a story's notes.
type notesStep struct {
	Story string `yaml:"story"`
	Text  string `yaml:"text"`
}

func (s *notesStep) check() error { return needStory(s.Story) }

func (s *notesStep) play(ctx context.Context, p *player) error {
	return p.setStory(ctx, s.Story, "notes", s.Text)
}

func (p *player) setStory(ctx context.Context, id, key string, value any) error {
	plan, err := readPlan(p.env.prdPath(ctx))
	if err != nil {
		return err
	}
	old, replacement, err := plan.set(id, key, value)
	if err != nil {
		return err
	}
	p.edited(p.shown(plan.path), old, replacement)
	return nil
}

// shown returns a path as people know it, relative to the working directory.
func (p *player) shown(path string) string {
	if rel, err := filepath.Rel(p.env.dir, path); err == nil {
		return rel
	}
	return path
}

func needStory(id string) error {
	if id == "" {
		return errors.New("a story's id is needed")
	}
	return nil
}

// progressStep appends an entry to progress.txt.
type progressStep struct {
	Story     string   `yaml:"story"`
	Status    string   `yaml:"status"` // complete (the default), in-progress or blocked
	Files     []string `yaml:"files"`
	Tests     []string `yaml:"tests"`
	Learnings []string `yaml:"learnings"`
}

func (s *progressStep) check() error {
	switch s.Status {
	case "", "complete", "in-progress", "blocked":
		return needStory(s.Story)
	}
	return fmt.Errorf("status %q is none of complete, in-progress, blocked", s.Status)
}

func (s *progressStep) play(ctx context.Context, p *player) error {
	plan, err := readPlan(p.env.prdPath(ctx))
	if err != nil {
		return err
	}
	story, err := plan.story(s.Story)
	if err != nil {
		return err
	}
	path := filepath.Join(p.env.folder(ctx), "progress.txt")
	text := s.entry(p.env.number("RALPH_ITERATION"), time.Now(), story.Get("title").String(), p.head(ctx))
	if data, err := os.ReadFile(path); err == nil && len(data) > 0 && data[len(data)-1] != '\n' {
		text = "\n" + text
	}
	if err := appendFile(path, text); err != nil {
		return err
	}
	p.edited(p.shown(path), "", text)
	return nil
}

// entry returns the entry in the form that ralph's prompts ask for.
func (s *progressStep) entry(iteration int, now time.Time, title, commit string) string {
	status := s.Status
	if status == "" {
		status = "complete"
	}
	var b strings.Builder
	fmt.Fprintf(&b, "---\nIteration: %d\nDate: %s\n", iteration, now.UTC().Format(time.RFC3339))
	fmt.Fprintf(&b, "Story: %s - %s\nStatus: %s\n", s.Story, title, status)
	for _, list := range []struct {
		name  string
		items []string
	}{{"Files Changed", s.Files}, {"Tests Added", s.Tests}, {"Learnings", s.Learnings}} {
		fmt.Fprintf(&b, "%s:\n", list.name)
		for _, item := range list.items {
			fmt.Fprintf(&b, "  - %s\n", item)
		}
	}
	fmt.Fprintf(&b, "Commit: %s\n", commit)
	return b.String()
}

// head returns the abbreviated hash of HEAD, "none" before the first commit.
func (p *player) head(ctx context.Context) string {
	cmd := exec.CommandContext(ctx, "git", "rev-parse", "--short", "--verify", "HEAD")
	cmd.Dir, cmd.Env = p.env.dir, p.env.vars
	out, err := cmd.Output()
	if err != nil {
		return "none"
	}
	return strings.TrimSpace(string(out))
}
