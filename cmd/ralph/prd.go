package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"ralph"
	"ralph/internal/config"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/prd"
	"ralph/internal/regular"
	"ralph/internal/screen"
	"ralph/internal/setup"
	"ralph/internal/spec"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// prdCmd is "ralph prd".
type prdCmd struct {
	Check                bool `help:"Change nothing. Exit with 1 if prd.json does not match spec.md."`
	Schema               bool `help:"Print the JSON schema of prd.json."`
	Example              bool `help:"Print an example of a spec.md."`
	ConfirmOrphanRemoval bool `help:"Remove finished stories that are no longer in spec.md."`
}

// Run carries the command out.
func (c *prdCmd) Run(a *app) error {
	if c.Schema {
		a.t.Printf("%s\n", bytes.TrimSpace(prd.Schema))
		return nil
	}
	if c.Example {
		text, err := ralph.Templates.ReadFile("templates/spec.md.example")
		if err != nil {
			return errors.New("this build of ralph lacks its example")
		}
		a.t.Printf("%s", text)
		return nil
	}
	if os.Getenv("RALPH_ITERATION") != "" && !c.Check { // also where it left its worktree
		return errNotTheAgents
	}
	p, err := unit.Find(a.ctx, a.home, unit.Query{Here: true})
	if err != nil {
		return err
	}
	if !c.Check && p.CalledByAgent() {
		return errNotTheAgents
	}
	return c.refresh(a, p)
}

var errNotTheAgents = hint.With(errors.New("the plan cannot be changed by the agent that works on it"),
	"you may set \"passes\" and \"notes\" in prd.json; ask the user before you change anything else")

// refresh brings prd.json in line with spec.md.
func (c *prdCmd) refresh(a *app, p *unit.Place) error {
	if !c.Check {
		if err := p.NotAnothers(); err != nil {
			return err
		}
		if err := recoverKeeping(a, p); err != nil {
			return err
		}
	}
	s, err := readSpec(a.t, p)
	if err != nil {
		return err
	}
	if err := enoughCriteria(a, p, s); err != nil {
		return err
	}
	path := p.File("prd.json")
	old, err := readPRD(a.t, p)
	if err != nil {
		return err
	}
	progress, err := p.Progress()
	if err != nil {
		return err
	}
	now, diff, err := spec.Generate(s, old, spec.Options{ConfirmOrphanRemoval: c.ConfirmOrphanRemoval, Now: time.Now()})
	var lost *spec.OrphanError
	switch {
	case errors.As(err, &lost):
		screen.ShowLost(a.t, lost.IDs)
		return exitError(1)
	case err != nil:
		return hint.With(unit.Local(p.Repo.Root, err), "correct spec.md there; list all errors with: ralph validate")
	}
	if old == nil && unit.IsFile(filepath.Join(p.Repo.Root, setup.PRDSchema)) {
		now.SetSchema("../" + filepath.Base(setup.PRDSchema))
	}
	screen.ShowDifference(a.t, diff, old, now)
	have, err := os.ReadFile(path)
	same := err == nil && bytes.Equal(have, now.Bytes())
	if err == nil && !same && diff.Empty() {
		a.t.Printf("%s the formatting of prd.json\n", a.t.Paint(terminal.Yellow, "~"))
	}
	switch {
	case c.Check:
		return c.checked(a.t, progress, same)
	case unit.Running(p):
		return c.handOver(a.t, p, same)
	}
	return c.save(a.t, p, now, progress, same)
}

// readSpec reads spec.md and shows what is odd about it.
func readSpec(t *terminal.Terminal, p *unit.Place) (*spec.Spec, error) {
	s, findings, err := spec.Load(p.File("spec.md"))
	if errors.Is(err, fs.ErrNotExist) {
		return nil, hint.With(fmt.Errorf("%s/spec.md does not exist", p.Folder),
			fmt.Sprintf("plan the feature with 'ralph plan', or start with an example: mkdir -p %s && ralph prd --example > %s/spec.md", p.Folder, p.Folder))
	}
	if err != nil {
		return nil, hint.With(unit.Local(p.Repo.Root, err), "put a spec.md in its place that can be read")
	}
	for _, f := range findings {
		if f.Warning {
			t.Warn("%s", unit.Relative(p.Repo.Root, f.String()))
		}
	}
	return s, nil
}

// enoughCriteria refuses stories without acceptance criteria, unless quality checks decide
// when they are done.
func enoughCriteria(a *app, p *unit.Place, s *spec.Spec) error {
	var loaded *config.Loaded
	for _, story := range s.Stories {
		if len(story.Criteria) > 0 {
			continue
		}
		text := fmt.Sprintf("%s/spec.md:%d: story %s has no acceptance criteria", p.Folder, story.Line, story.ID)
		if loaded == nil {
			var err error
			if loaded, err = config.Load(settingsInput(a, p.Repo.Root, nil)); err != nil {
				return err
			}
		}
		if len(loaded.Settings.QualityChecks) == 0 {
			return hint.With(errors.New(text+"; nothing was generated"),
				"list them under '**Acceptance Criteria:**', let the agent write them with 'ralph plan --criteria', or configure quality_checks")
		}
		a.t.Warn("%s", text)
	}
	return nil
}

// readPRD reads prd.json and prints warnings about it. It returns nil if the file is
// missing, or empty: an empty file has nothing to lose.
func readPRD(t *terminal.Terminal, p *unit.Place) (*prd.PRD, error) {
	path := p.File("prd.json")
	data, err := regular.Read(path, prd.MaxSize)
	if errors.Is(err, fs.ErrNotExist) || err == nil && prd.Blank(data) {
		return nil, nil
	}
	if err != nil {
		return nil, hint.With(unit.Local(p.Repo.Root, err), "repair it, or move it out of the way, and all stories start again")
	}
	old, warnings, err := prd.Parse(path, data)
	for _, f := range warnings {
		t.Warn("%s", unit.Relative(p.Repo.Root, f.String()))
	}
	if err != nil {
		return nil, hint.With(unit.Local(p.Repo.Root, err),
			"repair it by hand, so that finished stories stay finished; or remove it, and all stories start again")
	}
	return old, nil
}

// checked prints whether a refresh would change a file, and returns an error if so.
func (c *prdCmd) checked(t *terminal.Terminal, progress unit.ProgressState, same bool) error {
	stale := "prd.json is not what spec.md asks for"
	if same {
		if progress == unit.ProgressStarted {
			t.Printf("%s prd.json is what spec.md asks for\n", t.Mark("✓"))
			return nil
		}
		stale = "progress.txt is " + string(progress)
	}
	return hint.With(errors.New(stale), "refresh with: ralph prd")
}

// save writes what is not there yet. Other plans that wait for a loop are dropped:
// this one is newer.
func (c *prdCmd) save(t *terminal.Terminal, p *unit.Place, now *prd.PRD, progress unit.ProgressState, same bool) error {
	if err := p.DropPlans(); err != nil {
		return err
	}
	if err := now.Save(p.File("prd.json")); err != nil {
		return unit.Local(p.Repo.Root, err)
	}
	done, total := now.Counts()
	what := fmt.Sprintf("%s/prd.json: %s, %d done", p.Folder, words.CountPlural(total, "story", "stories"), done)
	if same {
		what += "; nothing to change"
	}
	t.Printf("%s %s\n", t.Mark("✓"), stream.OneLine(what))
	if progress == unit.ProgressStarted {
		return nil
	}
	if err := p.BeginProgress(); err != nil {
		return err
	}
	t.Printf("%s %s/progress.txt started\n", t.Mark("✓"), stream.OneLine(p.Folder))
	return nil
}

// handOver sends the new plan to the running loop. Only the loop may change the plan's
// files, and does so at its next iteration. A new plan replaces one that still waits, even
// if it changes nothing.
func (c *prdCmd) handOver(t *terminal.Terminal, p *unit.Place, same bool) error {
	_, waiting, err := p.PlansThatWait()
	if err != nil {
		return err
	}
	if same && len(waiting) == 0 {
		t.Printf("%s prd.json is what spec.md asks for; nothing to change\n", t.Mark("✓"))
		return nil
	}
	text, err := os.ReadFile(p.File("spec.md"))
	if err != nil {
		return err
	}
	if err := p.Post(journal.Request{Kind: journal.RequestPlan, Text: string(text), DropFinished: c.ConfirmOrphanRemoval}); err != nil {
		return err
	}
	t.Printf("a loop is running: it uses the new plan from its next iteration\n")
	return nil
}
