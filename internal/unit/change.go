package unit

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ralph/internal/change"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/run"
	"ralph/internal/stream"
)

// workOnChange makes the place that of a change. One that is archived by now is known
// by its whole id, while there is a journal of it.
func (p *Place) workOnChange(ref string) error {
	list, err := change.List(p.Repo.Root)
	if err != nil {
		return err
	}
	c, err := change.Find(list, ref)
	if err != nil && change.Valid(ref) == nil && IsFile(journal.Path(filepath.Join(p.Repo.GitDir, "ralph", ref))) {
		c, err = change.Change{ID: ref}, nil
	}
	if err != nil {
		return HintAmbiguous(err)
	}
	p.SwitchTo(c.ID, p.folderOf(c.ID))
	return nil
}

// folderOf returns where a unit's status file and logs are, by its name.
func (p *Place) folderOf(unit string) string {
	ito := change.New(unit, ".ito/changes/"+unit)
	for _, folder := range []string{ito.Folder, ito.StateFolder()} {
		if _, err := os.Stat(filepath.Join(p.Repo.Root, folder)); err == nil {
			return filepath.FromSlash(ito.StateFolder())
		}
	}
	return filepath.Join(".ralph", unit)
}

// latest returns the unit of the running loop of the worktree, else the change that ran last, if
// that was after the branch's own unit and on this branch.
func (p *Place) latest() string {
	dir := filepath.Join(p.Repo.GitDir, "ralph")
	if h, err := journal.ReadHolder(dir); err == nil && h.Unit != "" && holderAlive(dir) {
		return h.Unit
	}
	journals, _ := filepath.Glob(filepath.Join(strings.NewReplacer("[", "\\[", "*", "\\*", "?", "\\?").Replace(dir), "*", "journal.jsonl"))
	newest, last := "", int64(0)
	for _, path := range journals {
		if info, err := os.Stat(path); err == nil && info.ModTime().UnixNano() > last {
			newest, last = path, info.ModTime().UnixNano()
		}
	}
	if newest == "" || newest == p.JournalPath() {
		return ""
	}
	var s run.State
	_, _ = journal.Scan(newest, s.Apply)
	if r := s.Last(); r != nil && r.Start.Branch == p.Branch {
		return r.Start.Change
	}
	return ""
}

// IsFile reports whether a path is a regular file.
func IsFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// StartHint returns the command that starts the first loop on the unit.
func (p *Place) StartHint() string {
	if c, err := p.Change(Silent(), nil); err == nil && c != nil {
		return fmt.Sprintf("ralph run --change %s", stream.ShellWord(stream.OneLine(p.Unit)))
	}
	return "ralph run"
}

// HintAmbiguous adds a hint to an error that a short form matches several changes. It returns any
// other error as it is.
func HintAmbiguous(err error) error {
	var several *change.AmbiguousError
	if !errors.As(err, &several) {
		return err
	}
	if all := several.Candidates; all[0].ID == all[1].ID {
		return hint.With(err, "rename one of the folders: changes of one id would have one state")
	}
	return hint.With(err, "name one of them by its whole id")
}

// Change returns the change that the unit works on, or nil if the unit works on a branch. A
// branch may have the name of a change: then the last run decides, or without a run whether
// there is a feature.
func (p *Place) Change(t Notes, r *Record) (*change.Change, error) {
	list, err := change.List(p.Repo.Root)
	if err != nil || !slices.ContainsFunc(list, func(c change.Change) bool { return c.ID == p.Unit }) {
		return nil, err
	}
	if r != nil {
		s, err := r.Fold(t, run.KeepNone)
		if err != nil || s.Last() == nil || s.Last().Start.Change == "" {
			return nil, err
		}
	} else if p.HasPlan() {
		return nil, nil //nolint:nilnil // it is the unit of a branch
	}
	c, err := change.Find(list, p.Unit)
	return &c, err
}

// HasPlan reports whether the feature folder with the unit's name contains a plan.
func (p *Place) HasPlan() bool {
	return plan.HasFeature(filepath.Join(p.Repo.Root, ".ralph", p.Unit))
}

// Plan returns the plan that a run of the unit would work on now, and the task of the last
// run. For an archived unit it is the plan in the archive.
func (p *Place) Plan(t Notes, r *Record) (chosen plan.Plan, task string, err error) {
	if r != nil {
		s, err := r.Fold(t, run.KeepNone)
		if err != nil {
			return nil, "", err
		}
		if last := s.Last(); last != nil {
			task = last.Start.Task
		}
		if r.Archive != "" {
			return plan.Feature(filepath.Dir(r.Folder), filepath.Base(r.Folder), ""), task, nil
		}
	}
	choice := plan.Choice{Root: p.Repo.Root, Folder: p.Folder, Text: task}
	if choice.Change, err = p.Change(t, r); err == nil {
		chosen, _, err = plan.Choose(choice)
	}
	return chosen, task, err
}
