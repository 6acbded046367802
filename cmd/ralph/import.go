package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"ralph/internal/change"
	"ralph/internal/config"
	"ralph/internal/hint"
	"ralph/internal/importer"
	"ralph/internal/prd"
	"ralph/internal/regular"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// importCmd is "ralph import".
type importCmd struct {
	Source    string `arg:"" optional:"" help:"A prd.json, a checklist, a folder of a change, issues.jsonl of beads; or GitHub issues: 12,13 or label:NAME. Default: what is found."`
	Settings  bool   `help:"Translate the settings of the other tool into .ralph/config.yaml."`
	WithAgent bool   `help:"Plan with the agent from any document."`
	Yes       bool   `short:"y" help:"Write without a question."`
}

// Validate implements kong's check of a command line.
func (c *importCmd) Validate() error {
	switch {
	case c.Settings && c.WithAgent:
		return errors.New("--settings and --with-agent exclude each other")
	case c.WithAgent && c.Source == "":
		return errors.New("--with-agent needs a document: ralph import --with-agent FILE")
	}
	return nil
}

// Run carries the command out: show what would be written, ask, write. It never
// overwrites a file.
func (c *importCmd) Run(a *app) error {
	switch {
	case c.Settings:
		return c.settings(a)
	case c.WithAgent:
		return c.withAgent(a)
	}
	p, err := unit.Worktree(a.ctx)
	if err != nil {
		return err
	}
	made, err := c.read(a, p)
	if err != nil {
		return err
	}
	return c.plan(a, p, made)
}

func (c *importCmd) withAgent(a *app) error {
	if _, err := os.Stat(c.Source); err != nil {
		return err
	}
	return (&planCmd{Description: "Make the plan from the document " + c.Source + ". Read it first. Ask about whatever it leaves open."}).Run(a)
}

// read reads the source that was named, or the only one there is.
func (c *importCmd) read(a *app, p *unit.Place) (*importer.Plan, error) {
	if importer.IsIssues(c.Source) {
		return importer.Issues(a.ctx, p.Repo.Root, c.Source)
	}
	source := c.Source
	if source == "" {
		found, err := importer.Find(p.Repo.Root, p.Unit)
		var none *importer.NoSourceError
		if errors.As(err, &none) {
			remedy := "name the file or folder: ralph import SOURCE"
			if len(none.Found) > 0 {
				remedy = "name one: ralph import " + none.Found[0]
			} else if unit.IsFile(filepath.Join(p.Repo.Root, "PROMPT.md")) {
				remedy = "run the prompt as it is: ralph run \"$(cat PROMPT.md)\"; or " + remedy
			}
			return nil, hint.With(err, remedy)
		}
		if err != nil {
			return nil, err
		}
		source = filepath.Join(p.Repo.Root, found)
	}
	made, err := importer.Read(source)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint.With(fmt.Errorf("%s does not exist", source), "name a file or folder that exists, or leave it out: ralph import")
	}
	if err != nil {
		return nil, hint.With(unit.Local(p.Repo.Root, err),
			"correct the source, or let the agent read it: ralph import --with-agent "+source)
	}
	made.From = unit.Relative(p.Repo.Root, made.From)
	for i, line := range made.Lost {
		made.Lost[i] = unit.Relative(p.Repo.Root, line)
	}
	return made, nil
}

// ownBranch is what helps if ralph cannot create the branch of a plan.
const ownBranch = "import on a branch that you choose yourself: git switch -c feature/NAME"

// plan shows what was read, asks, and writes spec.md, prd.json and progress.txt.
func (c *importCmd) plan(a *app, p *unit.Place, made *importer.Plan) error {
	now := time.Now()
	text, state, err := made.Spec(now)
	if err != nil {
		return err
	}
	branch, err := c.branch(a, p, made)
	if err != nil {
		return err
	}
	target := p
	if branch != "" {
		name, err := change.UnitOf(branch)
		if err == nil {
			err = p.Repo.CheckBranch(a.ctx, branch)
		}
		if err != nil {
			return hint.With(err, ownBranch)
		}
		target = unit.PlaceAt(p.Repo, name)
	}
	for _, name := range []string{"spec.md", "prd.json"} {
		if _, err := os.Lstat(target.File(name)); err == nil {
			return hint.With(fmt.Errorf("%s/%s exists, and ralph import never overwrites a plan", target.Folder, name),
				"import on a branch of its own: git switch -c "+change.BranchFor(made.Title))
		}
	}
	c.show(a.t, target, branch, made, state)
	checks := newChecks(target.Repo.Root, made.Checks)
	c.showChecks(a.t, made.Checks, checks != "")
	a.t.Printf("\n")
	if err := a.confirm(c.Yes, "Write these files?", "nothing was written", "write it with: ralph import --yes"); err != nil {
		return err
	}
	if branch != "" {
		if err := p.Repo.CreateBranch(a.ctx, branch); err != nil {
			return hint.With(err, ownBranch)
		}
	}
	if err := target.WritePlan(text, state, checks); err != nil {
		return unit.Local(target.Repo.Root, err)
	}
	a.t.Printf("%s %s/spec.md, prd.json and progress.txt written\n\nStart the loop with: ralph run\n",
		a.t.Mark("✓"), stream.OneLine(target.Folder))
	return nil
}

// branch returns the branch to create, or "" where the current one serves.
func (c *importCmd) branch(a *app, p *unit.Place, made *importer.Plan) (string, error) {
	loaded, err := loadSettings(a, p.Repo.Root, nil)
	if err != nil {
		return "", err
	}
	switch {
	case p.Branch == "":
		return "", unit.ErrDetached
	case !slices.Contains(loaded.Settings.ProtectedBranches, p.Branch):
		if made.Branch != "" && made.Branch != p.Branch {
			made.Lost = append(made.Lost, "the branch "+made.Branch+": the plan is made for "+p.Branch)
		}
		return "", p.Refused
	case made.Branch != "":
		return made.Branch, nil
	}
	return change.BranchFor(made.Title), nil
}

func (c *importCmd) show(t *terminal.Terminal, p *unit.Place, branch string, made *importer.Plan, state *prd.PRD) {
	done, total := state.Counts()
	t.Printf("%s\n  from    %s\n", stream.OneLine(made.Title), stream.OneLine(made.From))
	if branch != "" {
		t.Printf("  branch  %s (new)\n", stream.OneLine(branch))
	}
	t.Printf("  plan    %s/: %s, %d done\n\n", stream.OneLine(p.Folder), words.CountPlural(total, "story", "stories"), done)
	for _, s := range state.Stories {
		mark := " "
		if s.Passes {
			mark = "x"
		}
		t.Printf("  [%s] %s: %s (%s)\n", mark, stream.OneLine(s.ID), stream.OneLine(s.Title), words.CountPlural(len(s.AcceptanceCriteria), "criterion", "criteria"))
	}
	showNotImported(t, made.Lost)
}

func showNotImported(t *terminal.Terminal, lost []string) {
	if len(lost) == 0 {
		return
	}
	t.Printf("\nNot imported:\n")
	for _, line := range lost {
		t.Printf("  - %s\n", stream.OneLine(line))
	}
}

// newChecks returns the config.yaml with the checks; "" without checks, or if the project
// has settings already.
func newChecks(root string, checks []importer.ForeignCheck) string {
	if len(checks) == 0 {
		return ""
	}
	if _, err := os.Lstat(config.ProjectFile(root)); err == nil {
		return ""
	}
	return importer.ChecksYAML(checks)
}

func (c *importCmd) showChecks(t *terminal.Terminal, checks []importer.ForeignCheck, write bool) {
	if len(checks) == 0 {
		return
	}
	where := ".ralph/config.yaml exists: add these lines to it"
	if write {
		where = "to .ralph/config.yaml; ralph runs these commands itself before it accepts a story"
	}
	t.Printf("\nQuality checks (%s):\n%s", where, indent(importer.ChecksYAML(checks)))
}

func indent(text string) string {
	return "  " + strings.ReplaceAll(strings.TrimRight(text, "\n"), "\n", "\n  ") + "\n"
}

// settings translates the settings of another tool.
func (c *importCmd) settings(a *app) error {
	p, err := unit.Worktree(a.ctx)
	if err != nil {
		return err
	}
	source := c.Source
	if source == "" {
		found, err := importer.FindSettings(p.Repo.Root)
		if err != nil {
			return hint.With(err, "name the file: ralph import --settings FILE")
		}
		source = filepath.Join(p.Repo.Root, found)
	}
	s, err := importer.ReadSettings(source)
	if err != nil {
		return unit.Local(p.Repo.Root, err)
	}
	s.From = unit.Relative(p.Repo.Root, s.From)
	text := s.YAML()
	a.t.Printf("%s", text)
	showNotImported(a.t, s.Lost)
	target := config.ProjectFile(p.Repo.Root)
	if _, err := os.Lstat(target); err == nil {
		return hint.With(errors.New("nothing was written: .ralph/config.yaml exists"), "move it away first, or add the lines above to it")
	}
	if len(s.Set) == 0 {
		return hint.With(errors.New("nothing was written: no setting has an equivalent"), "ralph's own settings: ralph config show")
	}
	a.t.Printf("\n")
	if err := a.confirm(c.Yes, "Write these files?", "nothing was written", "write it with: ralph import --yes"); err != nil {
		return err
	}
	if err := regular.WriteNew(target, []byte(text)); err != nil {
		return err
	}
	a.t.Printf("%s .ralph/config.yaml written\n", a.t.Mark("✓"))
	return nil
}
