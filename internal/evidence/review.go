package evidence

import (
	"context"
	"slices"

	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/review"
	"ralph/internal/words"
)

// review asks the reviewer about the items that nothing else speaks against, and about a
// promise that would end a plan without items. One without a verdict is asked again, where
// that can help, until the calls for the item are used up.
func (g *gathering) review(ctx context.Context) error {
	if g.Reviewer == nil || g.facts.Idle || ctx.Err() != nil {
		return nil
	}
	rest := g.facts
	rest.Complete = true
	v := Weigh(g.claim, rest, g.Rules)
	items := Without(v.Accepted, g.claim.TakenOver)
	items = Without(items, g.claim.allowed(items, Reviewed))
	promise := g.claim.Promised && g.claim.Done && len(v.Refusals) == 0 &&
		len(g.claim.State.Items) == 0
	if len(items) == 0 && !promise {
		return nil
	}
	past := g.Reviewer.Past(items)
	if past.Made >= g.Rules.Review.Most {
		g.facts.Review, g.facts.Reviewed = &journal.ReviewEnded{Verdict: journal.ReviewNone}, past
		return nil
	}
	change, err := g.reviewed(ctx)
	if err != nil {
		return err
	}
	prompt := review.Prompt(g.stories(items), change)
	for again := true; again; {
		one, err := g.ask(ctx, items, prompt)
		if err != nil || ctx.Err() != nil {
			return err
		}
		now := g.Reviewer.Past(items)
		again = one.Verdict == journal.ReviewNone && mayHelp(one.Outcome) &&
			now.Made > past.Made && now.Made < g.Rules.Review.Most
		g.facts.Review, g.facts.Reviewed, past = &one, now, now
	}
	return nil
}

// mayHelp reports whether a reviewer can be called again after a call that ended in this way.
func mayHelp(o journal.Outcome) bool {
	switch o {
	case journal.OutcomeUsageLimit, journal.OutcomeAuth, journal.OutcomeInterrupted:
		return false
	}
	return true
}

// reviewed is the change since the base.
func (g *gathering) reviewed(ctx context.Context) (c review.Work, err error) {
	if g.base.Commit == "" {
		return review.Work{Base: "an empty repository", Head: "the worktree", Cut: true}, nil
	}
	c.Base = g.base.Commit
	if c.Head, err = g.judged(ctx); err != nil {
		return c, err
	}
	c.Diff, c.Cut, err = g.Repo.Diff(ctx, git.Diff{
		From: c.Base, To: c.Head, Exclude: g.Derived(), Context: 8, Limit: review.MaxDiff})
	return c, err
}

// stories are the items as the plan has them. Without items, the plan is the story.
func (g *gathering) stories(ids []string) (list []review.Story) {
	for _, it := range g.claim.State.Items {
		if slices.Contains(ids, it.ID) {
			list = append(list, review.Story{
				ID: it.ID, Title: it.Title, Description: it.About, Criteria: it.Criteria,
			})
		}
	}
	if len(ids) == 0 {
		text := g.Plan.Context(g.claim.State, nil)
		list = append(list, review.Story{ID: "The task", Description: text})
	}
	return list
}

// ask asks the reviewer once. It must leave everything as it is: the plan is restored, and one
// that changed the worktree has no verdict.
func (g *gathering) ask(ctx context.Context, items []string, prompt []byte) (
	one journal.ReviewEnded, err error,
) {
	g.Working("review by " + g.Reviewer.Name())
	before, err := g.readOnce(ctx)
	if err != nil {
		return one, err
	}
	_, err = g.guarded(ctx, func() (err error) {
		one, err = g.Reviewer.Review(ctx, g.claim.N, items, prompt)
		return err
	})
	if err != nil {
		return one, err
	}
	g.look = nil
	after, err := g.readOnce(ctx)
	if err != nil || after.Hash == before.Hash && after.Head == before.Head {
		return one, err
	}
	one.Verdict, one.Message = journal.ReviewNone, "it changed the worktree"
	return one, g.Recorder.Warn("the verdict of the reviewer %s does not count: %s",
		g.Reviewer.Name(), one.Message)
}

// weighReview returns why a review speaks against a claim, empty where it does not. A
// reviewer without a verdict holds nothing back, unless one has refused before.
func weighReview(f Facts, r ReviewRules) string {
	switch {
	case f.Review == nil || !r.Require || f.Review.Verdict == journal.ReviewAccept:
		return ""
	case f.Review.Verdict == journal.ReviewRefuse:
		return "the review refused it: " + f.Review.Because()
	case f.Reviewed.Refused:
		made := words.Count(f.Reviewed.Made, "review")
		reason := "a review refused it, and no other one accepted it (" + made + ")"
		if f.Reviewed.Made >= r.Most {
			reason += "; to accept it in spite of that: ralph allow STORY review"
		}
		return reason
	}
	return ""
}

// Doubted returns why the reviewer refused a claim that was accepted anyway. It returns ""
// otherwise.
func (f Facts) Doubted(v Verdict) string {
	if f.Review == nil || f.Review.Verdict != journal.ReviewRefuse || len(v.Accepted) == 0 {
		return ""
	}
	return f.Review.String()
}
