package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/google/renameio/v2"

	"ralph/internal/journal"
	"ralph/internal/loop"
	"ralph/internal/prd"
	"ralph/internal/spec"
)

// prdCmd is "ralph prd".
type prdCmd struct {
	Check                bool `help:"Change nothing; end with 1 if prd.json is not what spec.md asks for."`
	Schema               bool `help:"Print the JSON schema of prd.json."`
	ConfirmOrphanRemoval bool `help:"Let finished stories go that are no longer in spec.md."`
}

// Run carries the command out.
func (c *prdCmd) Run(a *app) error {
	if c.Schema {
		a.t.printf("%s\n", bytes.TrimSpace(prd.Schema))
		return nil
	}
	if os.Getenv("RALPH_ITERATION") != "" && !c.Check {
		return &hintError{errors.New("the plan cannot be changed by the agent that works on it"),
			"set passes and notes in prd.json; what the plan should be is a person's to say"}
	}
	p, err := here(a.ctx, "")
	if err != nil {
		return err
	}
	if p.unit == "" {
		return errDetached
	}
	return c.refresh(a, p)
}

// refresh brings prd.json in line with spec.md.
func (c *prdCmd) refresh(a *app, p *place) error {
	path := filepath.Join(p.repo.Root, p.folder, "prd.json")
	s, findings, err := spec.Load(filepath.Join(p.repo.Root, p.folder, "spec.md"))
	if errors.Is(err, fs.ErrNotExist) {
		return &hintError{fmt.Errorf("%s/spec.md does not exist", p.folder), "write it first; an example is in templates/spec.md.example"}
	}
	if err != nil {
		return err
	}
	for _, f := range findings {
		a.t.warn("%s", relative(p.repo.Root, f.String()))
	}
	old, warnings, err := prd.Load(path)
	if errors.Is(err, fs.ErrNotExist) {
		old, err = nil, nil
	}
	if err != nil {
		return err
	}
	for _, f := range warnings {
		a.t.warn("%s", relative(p.repo.Root, f.String()))
	}
	now, diff, err := spec.Generate(s, old, spec.Options{ConfirmOrphanRemoval: c.ConfirmOrphanRemoval, Now: time.Now()})
	if err != nil {
		return err
	}
	c.show(a.t, diff)
	if c.Check {
		return checkSame(a.t, path, now)
	}
	if running(p) {
		return handOver(a.t, p)
	}
	if err := now.Save(path); err != nil {
		return fmt.Errorf("%s/prd.json cannot be written: %w", p.folder, err)
	}
	if err := startProgress(p); err != nil {
		return err
	}
	done, total := now.Counts()
	a.t.printf("%s %s/prd.json: %s, %d done\n", a.t.paint(green, a.t.symbol("✓")), p.folder, plural2(total, "story", "stories"), done)
	return nil
}

// show prints what will change.
func (c *prdCmd) show(t *terminal, d prd.Difference) {
	line := func(code, mark, format string, args ...any) {
		t.printf("%s %s\n", t.paint(code, mark), fmt.Sprintf(format, args...))
	}
	for _, id := range d.Added {
		line(green, "+", "%s", id)
	}
	for _, id := range d.Removed {
		line(red, "-", "%s", id)
	}
	for _, ch := range d.Changed {
		line(yellow, "~", "%s: %s", ch.ID, ch.Field)
	}
	for _, key := range d.Other {
		line(yellow, "~", "%s", key)
	}
}

func checkSame(t *terminal, path string, want *prd.PRD) error {
	have, err := os.ReadFile(path)
	if err == nil && bytes.Equal(have, want.Bytes()) {
		t.printf("%s prd.json is what spec.md asks for\n", t.paint(green, t.symbol("✓")))
		return nil
	}
	return &hintError{errors.New("prd.json is not what spec.md asks for"), "refresh it with 'ralph prd'"}
}

// handOver gives the new plan to the loop that is at work: it alone may change
// the plan's files then, and takes them over at its next iteration.
func handOver(t *terminal, p *place) error {
	text, err := os.ReadFile(filepath.Join(p.repo.Root, p.folder, "spec.md"))
	if err != nil {
		return err
	}
	if err := p.post(journal.Request{Kind: loop.RequestPlan, Text: string(text)}); err != nil {
		return err
	}
	t.printf("a loop is at work: it takes the new plan over at its next iteration\n")
	return nil
}

// startProgress writes the head of progress.txt where the file is missing.
func startProgress(p *place) error {
	path := filepath.Join(p.repo.Root, p.folder, "progress.txt")
	if _, err := os.Lstat(path); err == nil {
		return nil
	}
	return renameio.WriteFile(path, []byte(spec.ProgressHead(p.unit, time.Now())), 0o644)
}

// relative shortens the paths in a message to those from the worktree's root.
func relative(root, message string) string {
	return strings.ReplaceAll(message, root+string(filepath.Separator), "")
}

func plural2(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

var errDetached = &hintError{errors.New("Not on a branch (detached HEAD)"), "switch to the feature's branch: git switch <branch>"}
