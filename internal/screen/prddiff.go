package screen

import (
	"fmt"
	"slices"
	"strings"

	"ralph/internal/prd"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/words"
)

// ShowDifference prints what a refresh changes, story by story. Lines start with + for new, -
// for removed, ~ for changed.
func ShowDifference(t *terminal.Terminal, d prd.Difference, old, now *prd.PRD) {
	v := diffView{t}
	if old == nil {
		old = &prd.PRD{}
	}
	v.root(d, old, now)
	for _, id := range d.Removed {
		v.line("", "-", headline(old.Story(id)))
	}
	changed := map[string][]string{}
	for _, c := range d.Changed {
		changed[c.ID] = append(changed[c.ID], c.Field)
	}
	var finished []string // finished stories with new criteria
	for i := range now.Stories {
		s := &now.Stories[i]
		switch {
		case slices.Contains(d.Added, s.ID):
			v.line("", "+", headline(s))
		case len(changed[s.ID]) > 0:
			before := old.Story(s.ID)
			v.story(changed[s.ID], before, s)
			if s.Passes && len(without(s.AcceptanceCriteria, before.AcceptanceCriteria)) > 0 {
				finished = append(finished, s.ID)
			}
		}
	}
	if len(finished) > 0 {
		t.Warn("%s: finished before these criteria were added, and still counted as finished; to check the work again, set passes to false in prd.json",
			strings.Join(finished, ", "))
	}
}

// diffView prints the lines of a difference.
type diffView struct{ t *terminal.Terminal }

// line prints one line; the text comes from files, and is made harmless.
func (v diffView) line(indent, mark, text string) {
	code := map[string]string{"+": terminal.Green, "-": terminal.Red, "~": terminal.Yellow}[mark]
	v.t.Printf("%s%s %s\n", indent, v.t.Paint(code, mark), v.t.Paint(code, stream.Sanitize(text)))
}

func headline(s *prd.Story) string {
	text := fmt.Sprintf("%s: %s (%s", s.ID, s.Title, words.CountPlural(len(s.AcceptanceCriteria), "criterion", "criteria"))
	if s.Passes {
		text += ", passes"
	}
	return text + ")"
}

// root prints the changes outside of the stories.
func (v diffView) root(d prd.Difference, old, now *prd.PRD) {
	for _, key := range d.Other {
		switch key {
		case "description":
			v.field("", key, old.Description, now.Description)
		case "createdAt":
			v.field("", key, old.CreatedAt, now.CreatedAt)
		case "userStories":
			v.line("", "~", "the order of the stories")
		default:
			v.line("", "~", key)
		}
	}
}

func (v diffView) story(fields []string, old, now *prd.Story) {
	v.line("", "~", now.ID+": "+now.Title)
	const indent = "    "
	texts := map[string][2]string{"title": {old.Title, now.Title}, "description": {old.Description, now.Description},
		"dependsOn": {strings.Join(old.DependsOn, ", "), strings.Join(now.DependsOn, ", ")}, "model": {old.Model, now.Model}}
	for _, field := range fields {
		text, isText := texts[field]
		switch {
		case isText:
			v.field(indent, field, text[0], text[1])
		case field == "priority":
			v.line(indent, "~", fmt.Sprintf("priority: %g, was %g", now.Priority, old.Priority))
		case field == "acceptanceCriteria":
			v.criteria(indent, old.AcceptanceCriteria, now.AcceptanceCriteria)
		default:
			v.line(indent, "~", field)
		}
	}
}

// field prints a text before and after; one of them may be empty.
func (v diffView) field(indent, name, old, now string) {
	if old != "" {
		v.line(indent, "-", name+": "+old)
	}
	if now != "" {
		v.line(indent, "+", name+": "+now)
	}
}

// criteria prints the criteria that are in one list only, or that there is
// another order.
func (v diffView) criteria(indent string, old, now []string) {
	gone, added := without(old, now), without(now, old)
	for _, c := range gone {
		v.line(indent, "-", c)
	}
	for _, c := range added {
		v.line(indent, "+", c)
	}
	if len(gone)+len(added) == 0 {
		v.line(indent, "~", "the order of the acceptance criteria")
	}
}

// without returns the texts of list that are not in other, counting repeats.
func without(list, other []string) []string {
	left := map[string]int{}
	for _, s := range other {
		left[s]++
	}
	var rest []string
	for _, s := range list {
		if left[s]--; left[s] < 0 {
			rest = append(rest, s)
		}
	}
	return rest
}

// ShowLost prints the finished stories that the refresh would drop, and the user's options.
// The text is that of the preflight report.
func ShowLost(t *terminal.Terminal, ids []string) {
	var b strings.Builder
	fmt.Fprintf(&b, "%s Orphan check failed:\n", t.Mark("✗"))
	for _, id := range ids {
		fmt.Fprintf(&b, "    - %s in prd.json (passes: true) not found in spec.md\n      ^^^ COMPLETED WORK WILL BE LOST\n", stream.Sanitize(id))
	}
	what := "This story was completed but is"
	if len(ids) > 1 {
		what = "These stories were completed but are"
	}
	fmt.Fprintf(&b, "\n%s no longer in spec.md. Nothing was changed.\nOptions:\n", what)
	fmt.Fprintf(&b, "  1. Add %s back to spec.md (preserve completed work)\n", stream.Sanitize(strings.Join(ids, ", ")))
	fmt.Fprintf(&b, "  2. Run 'ralph prd --confirm-orphan-removal' (discard work)\n")
	fmt.Fprint(t.Err, b.String())
}
