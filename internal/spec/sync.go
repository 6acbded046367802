package spec

import (
	"fmt"

	"ralph/internal/prd"
)

// Kind is a way in which spec.md and prd.json can disagree about a story.
type Kind uint8

// The kinds of disagreement.
const (
	Missing        Kind = iota + 1 // the story is in spec.md only
	TitleDiffers                   //
	CriteriaDiffer                 // in their words or their order
	Orphan                         // the story is in prd.json only, and does not pass
	FinishedOrphan                 // the story is in prd.json only, and passes: its work would be lost
)

// Difference is one disagreement. A line is 0 in the file that lacks the story.
type Difference struct {
	Kind     Kind
	ID       string
	SpecLine int
	PRDLine  int
}

// String says what differs, in one line.
func (d Difference) String() string {
	switch d.Kind {
	case Missing:
		return d.ID + " in spec.md not found in prd.json"
	case TitleDiffers:
		return d.ID + " title differs"
	case CriteriaDiffer:
		return d.ID + " acceptance criteria differs"
	case FinishedOrphan:
		return d.ID + " in prd.json (passes: true) not found in spec.md"
	case Orphan:
		return d.ID + " in prd.json (passes: false) not found in spec.md"
	}
	return fmt.Sprintf("%s differs in a way without a name (%d)", d.ID, d.Kind)
}

// Sync compares ids, titles and criteria, without boxes and with white space
// folded: first the stories that are in the spec only, then those that differ,
// then those that are in prd.json only, each in the order of their file. A
// story that the spec names, but in a form that cannot be read, is no orphan.
func Sync(s *Spec, p *prd.PRD) []Difference {
	var missing, ds []Difference
	derived := make(map[string]*prd.Story, len(p.Stories))
	for i := range p.Stories {
		derived[p.Stories[i].ID] = &p.Stories[i]
	}
	for i := range s.Stories {
		story := &s.Stories[i]
		has, ok := derived[story.ID]
		delete(derived, story.ID)
		d := Difference{Missing, story.ID, story.Line, 0}
		if !ok {
			missing = append(missing, d)
			continue
		}
		d.PRDLine = has.Line
		if !same(story.Title, has.Title) {
			d.Kind = TitleDiffers
			ds = append(ds, d)
		}
		if !sameCriteria(story.Criteria, has.AcceptanceCriteria) {
			d.Kind = CriteriaDiffer
			ds = append(ds, d)
		}
	}
	ds = append(missing, ds...)
	for i := range p.Stories {
		story := &p.Stories[i]
		if _, left := derived[story.ID]; !left || s.unreadable[story.ID] {
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

func sameCriteria(want []Criterion, has []string) bool {
	if len(want) != len(has) {
		return false
	}
	for i := range want {
		if !same(want[i].Text, has[i]) {
			return false
		}
	}
	return true
}

// same compares text of the spec, which is folded already, with that of prd.json.
func same(folded, other string) bool {
	return folded == other || folded == fold(stripBox(other))
}
