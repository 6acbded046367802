package replay

import (
	"cmp"
	"fmt"
	"slices"
)

// choose returns the steps that this session plays: those of the first turn with matching
// selectors. Without such a turn it takes the turns without selectors, one for each
// iteration; the last one repeats unless there is an 'otherwise'. A review has
// turns of its own.
func (s *Script) choose(plan *plan, env environ, model string) ([]Step, error) {
	iteration, attempt := env.number("RALPH_ITERATION"), env.number("RALPH_ATTEMPT")
	story := cmp.Or(env.get("RALPH_STORY"), plan.open())
	reviews := env.get("RALPH_REVIEW") != ""
	var plain []Turn
	for _, t := range s.Turns {
		switch {
		case t.Review != reviews:
		case !reviews && t.Story == "" && t.Iteration == 0 && t.Attempt == 0 && t.Model == "":
			plain = append(plain, t)
		case slices.Contains([]string{"", story}, t.Story) &&
			slices.Contains([]int{0, iteration}, t.Iteration) && slices.Contains([]int{0, attempt}, t.Attempt) &&
			slices.Contains([]string{"", model}, t.Model):
			return t.Steps, nil
		}
	}
	switch {
	case reviews:
		return nil, fmt.Errorf("%s: no turn fits: review %d of %s", s.path, attempt, story)
	case iteration <= len(plain):
		return plain[iteration-1].Steps, nil
	case s.Otherwise != nil:
		return s.Otherwise, nil
	case len(plain) > 0:
		return plain[len(plain)-1].Steps, nil
	}
	if story == "" {
		story = "none"
	}
	return nil, fmt.Errorf("%s: no turn fits: open story %s, iteration %d, attempt %d; add 'otherwise:'",
		s.path, story, iteration, attempt)
}
