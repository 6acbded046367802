package verify

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"ralph/internal/archive"
	"ralph/internal/prd"
)

// Feature is a unit with a prd.json, in its folder or archived.
type Feature struct {
	Unit string
	File string // its prd.json, from the worktree's root
	PRD  *prd.PRD
}

// Find reads a feature from its folder, or from its newest archive. The error is
// fs.ErrNotExist if it has neither.
func Find(root string, store *archive.Store, unit string) (Feature, error) {
	f, err := load(root, unit, filepath.Join(".ralph", unit, "prd.json"))
	if !errors.Is(err, fs.ErrNotExist) {
		return f, err
	}
	e, err := store.Find(unit)
	if err != nil {
		return Feature{}, err
	}
	return load(root, unit, filepath.Join(filepath.FromSlash(e.Path), "prd.json"))
}

// All reads every feature of the worktree, sorted by unit. It reads archived features from
// their newest archive.
func All(root string, store *archive.Store) ([]Feature, error) {
	entries, _, err := store.List()
	if err != nil {
		return nil, err
	}
	var units []string
	for _, e := range entries {
		units = append(units, e.Unit)
	}
	folders, err := os.ReadDir(filepath.Join(root, ".ralph"))
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return nil, err
	}
	for _, d := range folders {
		if d.IsDir() && d.Name() != "archive" {
			units = append(units, d.Name())
		}
	}
	slices.Sort(units)
	var all []Feature
	for _, unit := range slices.Compact(units) {
		f, err := Find(root, store, unit)
		if errors.Is(err, fs.ErrNotExist) {
			continue // the folder of a plan without stories
		}
		if err != nil {
			return nil, err
		}
		all = append(all, f)
	}
	return all, nil
}

func load(root, unit, file string) (Feature, error) {
	p, _, err := prd.Load(filepath.Join(root, file))
	return Feature{Unit: unit, File: file, PRD: p}, err
}

// Stories lists the finished stories of the features. If ids are given, it lists only those
// stories, open ones included. An unknown id is an error.
func Stories(features []Feature, ids []string) ([]Story, error) {
	list := []Story{}
	for _, f := range features {
		for _, st := range f.PRD.Stories {
			if st.Passes && len(ids) == 0 || slices.Contains(ids, st.ID) {
				list = append(list, Story{Unit: f.Unit, ID: st.ID, Title: st.Title, Open: !st.Passes})
			}
		}
	}
	for _, id := range ids {
		if !slices.ContainsFunc(list, func(s Story) bool { return s.ID == id }) {
			return nil, fmt.Errorf("there is no story %s in %s", id, features[0].File)
		}
	}
	return list, nil
}
