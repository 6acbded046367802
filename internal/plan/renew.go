package plan

import (
	"errors"
	"io/fs"
	"strings"
	"time"

	"ralph/internal/prd"
	"ralph/internal/spec"
)

// Renew replaces spec.md by the text that a person wrote while the loop was at
// work, and makes prd.json from it: passes, notes and unknown keys stay, by id.
// Where a finished story is no longer in the text, it is a *spec.OrphanError,
// unless dropFinished says that the story may go. What is returned tells what
// has changed, for the journal; with an error nothing has.
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
	if err := putBack(p.guard.dir, p.path("spec.md"), []byte(text)); err != nil {
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
