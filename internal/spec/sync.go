package spec

import (
	"cmp"
	"fmt"

	"ralph/internal/prd"
)

// Kind is a way in which spec.md and prd.json can disagree about a story.
type Kind uint8

// The kinds of disagreement.
const (
	Missing            Kind = iota + 1 // the story is in spec.md only
	TitleDiffers                       //
	CriteriaDiffer                     // in their words or their order
	DescriptionDiffers                 //
	PriorityDiffers                    //
	PlaceDiffers                       // in the order of the stories
	CreatedDiffers                     // the time of creation, of the whole plan
	Orphan                             // the story is in prd.json only, and does not pass
	FinishedOrphan                     // the story is in prd.json only, and passes: its work would be lost
)

// Minor tells whether the two still ask for the same work.
func (k Kind) Minor() bool { return k >= DescriptionDiffers && k <= CreatedDiffers }

// Difference is one disagreement. A line is 0 in the file that lacks the story.
type Difference struct {
	Kind     Kind
	ID       string // empty where it is about the whole plan
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
	case DescriptionDiffers:
		return d.ID + " description differs"
	case PriorityDiffers:
		return d.ID + " priority differs"
	case PlaceDiffers:
		return d.ID + " stands in another place"
	case CreatedDiffers:
		return "the time of creation differs"
	case FinishedOrphan:
		return d.ID + " in prd.json (passes: true) not found in spec.md"
	case Orphan:
		return d.ID + " in prd.json (passes: false) not found in spec.md"
	}
	return fmt.Sprintf("%s differs in a way without a name (%d)", d.ID, d.Kind)
}

// Sync compares the two, without boxes and with white space folded: first come
// the stories that are in the spec only, then those that differ, then those
// that are in prd.json only, each in the order of their file. A story that the
// spec names, but in a form that cannot be read, is no orphan. What is minor is
// told where nothing else differs: a story more or less moves all the others.
func Sync(s *Spec, p *prd.PRD) []Difference {
	var missing, ds, minor []Difference
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
		note := func(list *[]Difference, differs bool, k Kind) {
			if differs {
				*list = append(*list, Difference{k, story.ID, story.Line, has.Line})
			}
		}
		note(&ds, !same(story.Title, has.Title), TitleDiffers)
		note(&ds, !sameCriteria(story.Criteria, has.AcceptanceCriteria), CriteriaDiffer)
		note(&minor, story.Description != "" && !same(story.Description, has.Description), DescriptionDiffers)
		moved := cmp.Or(story.Priority, i+1) != has.Priority
		note(&minor, moved, PriorityDiffers)
		note(&minor, at != i && !moved, PlaceDiffers)
	}
	ds = append(append(missing, ds...), orphans(s, p, derived)...)
	if len(ds) > 0 || s.broken != nil {
		return ds
	}
	if s.Created != "" && s.Created != p.CreatedAt {
		minor = append(minor, Difference{CreatedDiffers, "", 1, 1})
	}
	return minor
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
