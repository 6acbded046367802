package archive

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"ralph/internal/prd"
	"ralph/internal/regular"
)

// List returns the archives, newest first. warnings describe files in the archive folder that
// are not archives.
func (s *Store) List() (entries []Entry, warnings []string, err error) {
	err = checkFolder(s.root()) // each entry would be refused for the same reason
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil, nil
	}
	files, unread := os.ReadDir(s.root())
	if err = cmp.Or(err, unread); err != nil {
		return nil, nil, fmt.Errorf("the archive cannot be read: %w", err)
	}
	for _, f := range files {
		if strings.HasPrefix(f.Name(), ".") {
			continue // a copy in the making
		}
		in, err := s.manifest(f.Name())
		if err != nil {
			warnings = append(warnings, fmt.Sprintf("left out of the archive's list: %v", err))
			continue
		}
		e := in.entry()
		e.StoriesComplete, e.StoriesTotal = s.stories(f.Name())
		entries = append(entries, e)
	}
	slices.SortStableFunc(entries, func(a, b Entry) int {
		if c := b.ArchivedAt.Compare(a.ArchivedAt); c != 0 {
			return c
		}
		seqA, _ := seqOf(a.Name, a.Unit)
		seqB, _ := seqOf(b.Name, b.Unit)
		return cmp.Or(cmp.Compare(seqB, seqA), cmp.Compare(a.Name, b.Name))
	})
	return entries, warnings, nil
}

// Find returns the newest archive of the unit. The error is fs.ErrNotExist if there is no
// archive.
func (s *Store) Find(unit string) (Entry, error) {
	entries, _, err := s.List()
	if err != nil {
		return Entry{}, err
	}
	for _, e := range entries {
		if e.Unit == unit {
			return e, nil
		}
	}
	return Entry{}, fmt.Errorf("no archive of unit %s: %w", unit, fs.ErrNotExist)
}

// stories returns the progress from the archived status.json, or from prd.json if the
// feature never ran; nil if neither says.
func (s *Store) stories(name string) (complete, total *int) {
	var status struct {
		StoriesComplete *int `json:"storiesComplete"`
		StoriesTotal    *int `json:"storiesTotal"`
	}
	data, err := regular.Read(filepath.Join(s.folder(name), "status.json"), prd.MaxSize)
	if err == nil && json.Unmarshal(data, &status) == nil && status.StoriesTotal != nil {
		return status.StoriesComplete, status.StoriesTotal
	}
	p, _, err := prd.Load(filepath.Join(s.folder(name), "prd.json"))
	if err != nil {
		return nil, nil
	}
	done, all := p.Counts()
	return &done, &all
}
