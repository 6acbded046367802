package main

import (
	"slices"

	"ralph/internal/evidence"
	"ralph/internal/journal"
	"ralph/internal/run"
)

// bug is a rule with a condition dropped. The simulation has to find each of them.
type bug struct {
	name string
	rule func(*run.Position, *run.Seen, *journal.RunRules)
	gate func(*world, *evidence.Claim, *evidence.Facts, *evidence.Rules)
}

func (b bug) plant(p *run.Position, s *run.Seen, r *journal.RunRules) {
	if b.rule != nil {
		b.rule(p, s, r)
	}
}

func (b bug) plantGate(w *world, c *evidence.Claim, f *evidence.Facts, r *evidence.Rules) {
	if b.gate != nil {
		b.gate(w, c, f, r)
	}
}

// bugs are the planted bugs. What a rule is not shown it cannot act on: that is the same
// as a rule without the condition.
func bugs() []bug {
	type pos = *run.Position
	type seen = *run.Seen
	type rules = *journal.RunRules
	last := func(p pos, change func(*run.EndedIteration)) {
		if p.Last != nil {
			l := *p.Last
			change(&l)
			p.Last = &l
		}
	}
	open := func(change func(*run.OpenIteration)) func(pos, seen, rules) {
		return func(p pos, _ seen, _ rules) {
			if p.Open != nil {
				o := *p.Open
				change(&o)
				p.Open = &o
			}
		}
	}
	gate := func(change func(*evidence.Claim, *evidence.Facts, *evidence.Rules)) func(*world, *evidence.Claim, *evidence.Facts, *evidence.Rules) {
		return func(_ *world, c *evidence.Claim, f *evidence.Facts, r *evidence.Rules) { change(c, f, r) }
	}
	return []bug{
		{name: "the breaker does not count", rule: func(_ pos, _ seen, r rules) { r.NoProgress = 0 }},
		{name: "the breaker counts one more", rule: func(_ pos, _ seen, r rules) {
			if r.NoProgress > 0 {
				r.NoProgress++
			}
		}},
		{name: "a new run forgets an open breaker", rule: func(p pos, _ seen, _ rules) { p.Breaker = nil }},
		{name: "the budget is not asked", rule: func(_ pos, _ seen, r rules) { r.MaxTokens = 0 }},
		{name: "the time of the run is not asked", rule: func(_ pos, _ seen, r rules) { r.MaxTimeSeconds = 0 }},
		{name: "the end of the night is not asked", rule: func(_ pos, _ seen, r rules) { r.EndsAt = nil }},
		{name: "the account is not asked", rule: func(_ pos, _ seen, r rules) { r.MaxAccount = 0 }},
		{name: "one iteration too many", rule: func(_ pos, _ seen, r rules) { r.MaxIterations++ }},
		{name: "the model stays the weakest", rule: open(func(o *run.OpenIteration) { o.Failures = 0 })},
		{name: "an overload makes the model a stronger one", rule: open(func(o *run.OpenIteration) { o.Failures += o.Overloads })},
		{name: "the provider's limit is not asked", rule: func(_ pos, s seen, _ rules) { s.Limit = nil }},
		{name: "waits at limits do not add up", rule: func(p pos, _ seen, _ rules) { p.WaitedAtLimits = 0 }},
		{name: "a limit is waited for however long", rule: func(_ pos, _ seen, r rules) { r.MaxWaitHours = 1000 }},
		{name: "a stop is not heard", rule: func(_ pos, s seen, _ rules) { s.Stop = "" }},
		{name: "a pause is not heard", rule: func(p pos, _ seen, _ rules) { p.Paused = false }},
		{name: "a full hour is not waited for", rule: func(_ pos, s seen, _ rules) { s.Calls = nil }},
		{name: "an overload is not waited for", rule: open(func(o *run.OpenIteration) { o.Waited = true })},
		{name: "an overload never counts", rule: func(p pos, _ seen, _ rules) {
			if p.Open != nil && p.Open.Outcome == journal.OutcomeTransient {
				o := *p.Open
				o.Overloads, p.Open = 1, &o
			}
		}},
		{name: "marks before a limit are not judged", rule: func(_ pos, s seen, _ rules) { s.Marked = false }},
		{name: "a plan that is done goes on", rule: func(p pos, _ seen, _ rules) { last(p, func(l *run.EndedIteration) { l.Done = "" }) }},
		{name: "a missing login goes on", rule: func(p pos, _ seen, _ rules) {
			last(p, func(l *run.EndedIteration) {
				if l.Outcome == journal.OutcomeAuth {
					l.Outcome = journal.OutcomeError
				}
			})
		}},
		{name: "dependencies are not asked", rule: func(_ pos, s seen, _ rules) { s.Open = alone(s.Open) }},
		{name: "priorities are not asked", rule: func(_ pos, s seen, _ rules) {
			for i := range s.Open {
				s.Open[i].Priority = 0
			}
		}},
		{name: "a stuck story is parked too early", rule: func(_ pos, _ seen, r rules) {
			if r.OnStuck == run.StuckPark && r.NoProgress > 1 {
				r.NoProgress--
			}
		}},
		{name: "a parked story is worked on", rule: func(p pos, _ seen, _ rules) { p.Parked = nil }},
		{name: "an unparked story stays parked", rule: func(p pos, s seen, _ rules) {
			if len(p.Parked) == 0 && len(s.Open) > 0 {
				p.Parked = []journal.StoryParked{{Story: s.Open[0].ID}}
			}
		}},
		{name: "a parking that was cut off is forgotten", rule: func(p pos, _ seen, _ rules) { p.Leaving = nil }},
		{name: "changes of the user are parked", rule: func(p pos, s seen, _ rules) { p.Pending.Mixed, s.Mixed = "", "" }},
		{name: "another branch goes on", rule: func(p pos, _ seen, _ rules) { p.Left = "" }},
		{name: "marks are done", rule: func(_ pos, s seen, _ rules) {
			if s.LooksDone {
				s.Done = journal.ReasonStoriesComplete
			}
		}},
		{name: "a mark needs no work", gate: gate(func(_ *evidence.Claim, f *evidence.Facts, _ *evidence.Rules) { f.Idle = false })},
		{name: "weakened tests are accepted", gate: gate(func(_ *evidence.Claim, _ *evidence.Facts, r *evidence.Rules) { r.RejectWeakened = false })},
		{name: "weakened tests are not looked for", gate: gate(func(_ *evidence.Claim, f *evidence.Facts, _ *evidence.Rules) { f.Findings = nil })},
		{name: "a failing check is accepted", gate: gate(func(_ *evidence.Claim, f *evidence.Facts, _ *evidence.Rules) {
			for i := range f.Checks {
				f.Checks[i].Red = true
			}
		})},
		{name: "what was taken over is accepted", gate: gate(func(c *evidence.Claim, _ *evidence.Facts, _ *evidence.Rules) { c.TakenOver = nil })},
		{name: "a review that refuses is not heard",
			gate: gate(func(_ *evidence.Claim, _ *evidence.Facts, r *evidence.Rules) { r.Review.Require = false })},
		{name: "a reviewer that fails undoes a refusal",
			gate: gate(func(_ *evidence.Claim, f *evidence.Facts, _ *evidence.Rules) { f.Reviewed.Refused = false })},
		{name: "reviews have no end",
			gate: gate(func(_ *evidence.Claim, _ *evidence.Facts, r *evidence.Rules) { r.Review.Most = 9 })},
		{name: "the base is where the process started", gate: func(w *world, c *evidence.Claim, f *evidence.Facts, _ *evidence.Rules) {
			if c.N == 0 {
				f.Idle = false // what is there before the first iteration is accepted to be work
			}
			_ = w
		}},
	}
}

// alone returns the items without what they depend on.
func alone(open []run.Todo) []run.Todo {
	list := slices.Clone(open)
	for i := range list {
		list[i].DependsOn = nil
	}
	return list
}

func bugNamed(name string) bug {
	for _, b := range bugs() {
		if b.name == name {
			return b
		}
	}
	return bug{}
}
