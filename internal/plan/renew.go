package plan

import (
	"errors"
	"io/fs"
	"strings"
	"time"

	"ralph/internal/prd"
	"ralph/internal/spec"
)

// Renew implements Plan. It replaces spec.md, and rebuilds prd.json from it. It keeps passes,
// notes and unknown keys, by id. If a finished story is no longer in the text, it fails with a
// *spec.OrphanError, unless dropFinished allows the removal.
func (p *PRD) Renew(text string, dropFinished bool) (what string, err error) {
	s, _, err := spec.Parse("spec.md", []byte(text))
	if err != nil {
		return "", err
	}
	old, err := p.load()
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return "", err
	}
	now, diff, err := spec.Generate(s, old, spec.Options{ConfirmOrphanRemoval: dropFinished, Now: time.Now()})
	if err != nil {
		return "", err
	}
	if err := restoreFile(p.dir, p.path("spec.md"), []byte(text)); err != nil {
		return "", err
	}
	if err := now.Save(p.path("prd.json")); err != nil {
		return "", err
	}
	return renewed(diff), nil
}

// renewed says in a line what a new plan changes.
func renewed(d prd.Difference) string {
	var parts []string
	add := func(ids []string, what string) {
		if len(ids) > 0 {
			parts = append(parts, strings.Join(ids, ", ")+" "+what)
		}
	}
	add(d.Added, "added")
	add(d.Removed, "removed")
	var changed []string
	for _, c := range d.Changed {
		// The changes of one story follow each other.
		if n := len(changed); n == 0 || changed[n-1] != c.ID {
			changed = append(changed, c.ID)
		}
	}
	add(changed, "changed")
	add(d.Other, "of the plan changed")
	if len(parts) == 0 {
		return "the stories stay as they are"
	}
	return strings.Join(parts, "; ")
}
