package preflight

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"ralph/internal/prd"
	"ralph/internal/spec"
)

// A story beyond these sizes seldom fits into one session of an agent.
const (
	maxCriteria    = 6
	maxDescription = 600 // characters
)

// vague are words that say that something is good, and nothing that could be
// checked, with the verbs in front of them.
var vague = []struct{ verbs, words []string }{
	{
		[]string{"work", "works", "function", "functions", "behave", "behaves", "perform", "performs"},
		[]string{"correctly", "properly", "well", "fine", "perfectly", "as expected", "as intended"},
	},
	{
		[]string{"is", "are", "be", "stays", "feel", "feels", "look", "looks"},
		[]string{"fast", "quick", "performant", "responsive enough", "user-friendly", "user friendly", "intuitive", "easy to use",
			"easy to understand", "good", "nice", "robust", "high quality", "well designed", "bug-free"},
	},
	{
		[]string{"load", "loads", "respond", "responds", "run", "runs", "answer", "answers"},
		[]string{"fast", "quickly"},
	},
	{[]string{"has", "have", "with"}, []string{"good performance"}},
}

// degrees are words that may be between the two.
var degrees = []string{"very", "really", "reasonably", "sufficiently"}

// proof lists words, such as "test", that show that a program can check a criterion.
var proof = []string{"typecheck", "type check", "type-check", "types check", "tsc", "mypy", "lint", "compile", "build"}

// untested are words with "test" in them that speak of none.
var untested = []string{"latest", "fastest", "shortest", "greatest", "lightest", "contest", "protest"}

// quality warns of what makes a plan hard to carry out. It errs on the side of
// silence. p is nil where prd.json cannot be read.
func (r *runner) quality(s *spec.Spec, p *prd.PRD) {
	c := Condition{ID: "quality", Severity: Warn, Message: "Plan quality", located: true,
		Hint: "Improve the stories in spec.md, then run 'ralph prd'."}
	add := func(line int, format string, args ...any) {
		c.Details = append(c.Details, Detail{Text: fmt.Sprintf(format, args...), File: r.file("spec.md"), Line: line})
	}
	for i := range s.Stories {
		story := &s.Stories[i]
		criteria(story, add)
		if n := len(story.Criteria); n > maxCriteria {
			add(story.Line, "%s has %d acceptance criteria: more than %d seldom fit into one iteration, split it", story.ID, n, maxCriteria)
		}
		if len([]rune(story.Description)) > maxDescription {
			add(story.Line, "%s has a description of more than %d characters: it seldom fits into one iteration, split it", story.ID, maxDescription)
		}
	}
	gaps(s.Stories, add)
	order(s, p, add)
	if len(c.Details) == 0 {
		c = Condition{ID: "quality", Severity: OK, Message: "No weakness of the plan found", quiet: true}
	}
	slices.SortStableFunc(c.Details, func(a, b Detail) int { return a.Line - b.Line })
	r.add(c)
}

// criteria warns of criteria that nothing can check, and of a story that no
// program checks.
func criteria(story *spec.Story, add func(line int, format string, args ...any)) {
	proven := len(story.Criteria) == 0 // which has a check of its own
	for _, c := range story.Criteria {
		text := strings.ToLower(c.Text)
		proven = proven || proves(text)
		// A number, as in "is fast: under 200 ms", makes it measurable.
		if strings.ContainsAny(text, "0123456789") {
			continue
		}
		if words := vagueWords(text); words != "" {
			add(c.Line, "%s: nothing can check %q; say what can be seen or measured", story.ID, words)
		}
	}
	if !proven {
		add(story.Line, "%s has no criterion about tests or type checks, such as \"Unit tests pass\"", story.ID)
	}
}

// proves reports whether a program can check what the text, in lower case, asks for.
func proves(text string) bool {
	tests := strings.Count(text, "test")
	for i := 0; tests > 0 && i < len(untested); i++ {
		tests -= strings.Count(text, untested[i])
	}
	return tests > 0 || slices.ContainsFunc(proof, func(word string) bool { return strings.Contains(text, word) })
}

// vagueWords returns what a text, in small letters, promises and nothing can
// check, such as "works correctly"; empty where it promises nothing of the kind.
func vagueWords(text string) string {
	for _, v := range vague {
		for _, word := range v.words {
			before, after, found := strings.Cut(text, word)
			if !found || strings.TrimLeft(after, "abcdefghijklmnopqrstuvwxyz-") != after {
				continue
			}
			words := strings.Fields(before)
			verb := len(words) - 1
			if verb > 0 && slices.Contains(degrees, words[verb]) {
				verb--
			}
			if verb >= 0 && slices.Contains(v.verbs, words[verb]) {
				return strings.Join(append(words[verb:], word), " ")
			}
		}
	}
	return ""
}

// gaps warns of numbers that are left out between the ids of one kind.
func gaps(stories []spec.Story, add func(line int, format string, args ...any)) {
	type numbered struct {
		number int
		story  *spec.Story
	}
	kinds := map[string][]numbered{}
	for i := range stories {
		dash := strings.LastIndexByte(stories[i].ID, '-')
		if n, err := strconv.Atoi(stories[i].ID[dash+1:]); err == nil {
			prefix := stories[i].ID[:dash]
			kinds[prefix] = append(kinds[prefix], numbered{n, &stories[i]})
		}
	}
	for prefix, list := range kinds {
		slices.SortFunc(list, func(a, b numbered) int { return cmp.Compare(a.number, b.number) })
		step := 1
		if len(list) > 2 {
			step = max(1, list[1].number-list[0].number) // 10, 20, 30 is a habit, not a gap
		}
		for i := 1; i < len(list); i++ {
			before, after := list[i-1].number, list[i].number
			if after-before > 1 && (after-before != step || after%step != 0) {
				id := list[i].story.ID
				first := fmt.Sprintf("%s-%0*d", prefix, len(id)-len(prefix)-1, before+1)
				add(list[i].story.Line, "there is no %s between %s and %s", first, list[i-1].story.ID, id)
			}
		}
	}
}

// order warns of stories that come before what their text says they need. The loop
// itself sees to the order of what prd.json lists in dependsOn.
func order(s *spec.Spec, p *prd.PRD, add func(line int, format string, args ...any)) {
	if p == nil {
		return
	}
	type rank struct {
		priority float64
		place    int
	}
	ranks := map[string]rank{}
	for i, story := range p.Stories {
		ranks[story.ID] = rank{story.Priority, i}
	}
	for _, story := range s.Stories {
		own, planned := ranks[story.ID]
		for _, id := range story.Mentions {
			other, known := ranks[id]
			switch {
			case slices.Contains(story.DependsOn, id):
			case !known:
				add(story.Line, "%s depends on %s, which is not in the plan", story.ID, id)
			case planned && !p.Story(id).Passes && (other.priority > own.priority || other.priority == own.priority && other.place > own.place):
				add(story.Line, "%s (priority %g) depends on %s (priority %g), which comes later",
					story.ID, own.priority, id, other.priority)
			}
		}
	}
}
