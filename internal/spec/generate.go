package spec

import (
	"cmp"
	"fmt"
	"strings"
	"time"

	"ralph/internal/prd"
)

// Options are the choices of Generate.
type Options struct {
	ConfirmOrphanRemoval bool      // stories that pass but are no longer in the spec may go
	Now                  time.Time // createdAt, where neither the spec nor the old plan has one
}

// OrphanError lists finished stories that are no longer in spec.md. Generating the plan would
// lose their state.
type OrphanError struct {
	IDs []string
}

// Error names the stories and says how to continue.
func (e *OrphanError) Error() string {
	return fmt.Sprintf("%s passed but is no longer in spec.md: add it back to spec.md, or discard the work with 'ralph prd --confirm-orphan-removal'",
		strings.Join(e.IDs, ", "))
}

// Generate makes the plan from the spec, and returns its differences from the old plan. old
// may be nil. The plan keeps passes, notes, unknown keys and the order of keys from old, by
// story id. It also keeps descriptions, dependencies and models that the spec does not name.
//
// Priorities follow the order of the spec unless the spec names them. The result is valid, and
// a second call changes nothing. The error is an *OrphanError, or names what cannot be parsed.
func Generate(s *Spec, old *prd.PRD, opts Options) (*prd.PRD, prd.Difference, error) {
	if s.broken != nil {
		return nil, prd.Difference{}, fmt.Errorf("%s; nothing was generated", s.broken)
	}
	if old == nil {
		old = &prd.PRD{}
	}
	if lost := finishedOrphans(s, old); len(lost) > 0 && !opts.ConfirmOrphanRemoval {
		return nil, prd.Difference{}, &OrphanError{IDs: lost}
	}
	p := &prd.PRD{
		Description: cmp.Or(old.Description, s.Problem, s.Title),
		CreatedAt:   cmp.Or(s.Created, old.CreatedAt, opts.Now.UTC().Format(time.RFC3339)),
		Stories:     make([]prd.Story, len(s.Stories)),
	}
	before := make(map[string]*prd.Story, len(old.Stories))
	for i := range old.Stories {
		before[old.Stories[i].ID] = &old.Stories[i]
	}
	for i := range s.Stories {
		p.Stories[i] = s.Stories[i].derive(i+1, before[s.Stories[i].ID])
	}
	p = p.Inherit(old)
	return p, prd.Diff(old, p), nil
}

// derive makes the story of prd.json; place is its number in the spec, from 1,
// and old what prd.json had of it, or nil.
func (s *Story) derive(place int, old *prd.Story) prd.Story {
	d := prd.Story{
		ID:                 s.ID,
		Title:              s.Title,
		Description:        s.Description,
		AcceptanceCriteria: make([]string, len(s.Criteria)),
		Priority:           float64(place),
		DependsOn:          s.DependsOn,
		Model:              s.Model,
	}
	if s.Priority != nil {
		d.Priority = *s.Priority
	}
	for i, c := range s.Criteria {
		d.AcceptanceCriteria[i] = c.Text
	}
	if old != nil {
		d.Description = cmp.Or(d.Description, old.Description)
		d.Model = cmp.Or(d.Model, old.Model)
		if !s.depends {
			d.DependsOn = old.DependsOn
		}
		d.Passes, d.Notes = old.Passes, old.Notes
	}
	return d
}

func finishedOrphans(s *Spec, old *prd.PRD) []string {
	var ids []string
	for _, d := range Sync(s, old) {
		if d.Kind == FinishedOrphan {
			ids = append(ids, d.ID)
		}
	}
	return ids
}

// ProgressHead returns the header of a new progress.txt.
func ProgressHead(feature string, started time.Time) string {
	return fmt.Sprintf("# Progress Log: %s\n# Started: %s\n\n", feature, started.UTC().Format(time.RFC3339))
}
