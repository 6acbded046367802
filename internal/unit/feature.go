package unit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"ralph/internal/config"
	"ralph/internal/hint"
	"ralph/internal/prd"
	"ralph/internal/regular"
)

// Folders returns the names of the feature folders of the worktree.
func (p *Place) Folders() (names []string) {
	folders, _ := os.ReadDir(filepath.Join(p.Repo.Root, ".ralph"))
	for _, f := range folders {
		if f.IsDir() && f.Name() != "archive" && !strings.HasPrefix(f.Name(), ".") {
			names = append(names, f.Name())
		}
	}
	return names
}

// Iterations returns the iterations of the last run with kept output, the last one first.
func (p *Place) Iterations() (numbers []int) {
	files, _ := os.ReadDir(filepath.Join(p.Repo.Root, p.LogDir()))
	for _, f := range files {
		text, isLog := strings.CutPrefix(strings.TrimSuffix(f.Name(), ".log"), "iteration-")
		if n, err := strconv.Atoi(text); isLog && err == nil {
			numbers = append(numbers, n)
		}
	}
	slices.Sort(numbers)
	slices.Reverse(numbers)
	return slices.Compact(numbers)
}

// WritePlan writes the files of a new plan, and the settings of the project unless they are
// empty: all or none.
func (p *Place) WritePlan(text []byte, state *prd.PRD, settings string) error {
	spec, stories := p.File("spec.md"), p.File("prd.json")
	if err := regular.WriteNew(spec, text); err != nil {
		return err
	}
	err := state.Save(stories)
	if err == nil {
		err = p.BeginProgress()
	}
	if err == nil && settings != "" {
		err = regular.WriteNew(config.ProjectFile(p.Repo.Root), []byte(settings))
	}
	if err != nil {
		return errors.Join(err, os.Remove(spec), os.RemoveAll(stories))
	}
	return nil
}

// PlanUpToDate reports whether prd.json is at least as new as spec.md.
func (p *Place) PlanUpToDate() (bool, error) {
	spec, err := os.Stat(p.File("spec.md"))
	if errors.Is(err, fs.ErrNotExist) {
		err = fmt.Errorf("there is no plan yet: %s/spec.md does not exist", p.Folder)
		return false, hint.With(err, "continue planning with: ralph plan")
	}
	if err != nil {
		return false, err
	}
	stories, err := os.Stat(p.File("prd.json"))
	return err == nil && !spec.ModTime().After(stories.ModTime()), nil
}
