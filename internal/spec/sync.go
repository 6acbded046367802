package spec

import (
	"slices"

	"ralph/internal/prd"
)

// Kind is the kind of a disagreement between spec.md and prd.json about a story, in words that
// follow its id.
type Kind string

// The kinds of disagreement.
const (
	Missing        Kind = "in spec.md not found in prd.json"
	TitleDiffers   Kind = "title differs"
	CriteriaDiffer Kind = "acceptance criteria differs" // in their words or their order
	DependsDiffer  Kind = "dependencies differ"         // where the spec names dependencies
	ModelDiffers   Kind = "model differs"               // where the spec names a model
	Orphan         Kind = "in prd.json (passes: false) not found in spec.md"
	FinishedOrphan Kind = "in prd.json (passes: true) not found in spec.md" // its work would be lost
)

// Difference is one disagreement between spec.md and prd.json about a story. A line is 0 if
// the file does not have the story.
type Difference struct {
	Kind     Kind
	ID       string
	SpecLine int
	PRDLine  int
}

// String describes the difference in one line.
func (d Difference) String() string { return d.ID + " " + string(d.Kind) }

// Sync lists the differences between spec.md and prd.json. It ignores checkboxes, white space,
// descriptions and priorities. Stories only in the spec come first, then stories that differ,
// then stories only in prd.json. Each group has the order of its file. A story that the spec
// names in an unreadable form is not an orphan.
func Sync(s *Spec, p *prd.PRD) []Difference {
	var missing, ds []Difference
	derived := make(map[string]int, len(p.Stories))
	for i := range p.Stories {
		derived[p.Stories[i].ID] = i
	}
	for i := range s.Stories {
		story := &s.Stories[i]
		at, ok := derived[story.ID]
		if !ok {
			missing = append(missing, Difference{Missing, story.ID, story.Line, 0})
			continue
		}
		delete(derived, story.ID)
		has := &p.Stories[at]
		note := func(differs bool, k Kind) {
			if differs {
				ds = append(ds, Difference{k, story.ID, story.Line, has.Line})
			}
		}
		note(!same(story.Title, has.Title) && !same(story.plain, has.Title), TitleDiffers)
		note(!slices.EqualFunc(story.Criteria, has.AcceptanceCriteria, sameCriterion), CriteriaDiffer)
		note(story.depends && !slices.Equal(story.DependsOn, has.DependsOn), DependsDiffer)
		note(story.Model != "" && story.Model != has.Model, ModelDiffers)
	}
	return append(append(missing, ds...), orphans(s, p, derived)...)
}

// orphans are the stories of prd.json that are left.
func orphans(s *Spec, p *prd.PRD, left map[string]int) (ds []Difference) {
	for i := range p.Stories {
		story := &p.Stories[i]
		if _, ok := left[story.ID]; !ok || s.unreadable[story.ID] {
			continue
		}
		d := Difference{Orphan, story.ID, 0, story.Line}
		if story.Passes {
			d.Kind = FinishedOrphan
		}
		ds = append(ds, d)
	}
	return ds
}

// same compares text of the spec, which is folded already, with that of prd.json.
func same(folded, other string) bool {
	return folded == other || folded == fold(stripBox(other))
}

func sameCriterion(want Criterion, has string) bool { return same(want.Text, has) }
