package run

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"ralph/internal/journal"
	"ralph/internal/words"
)

// Do names an action of the loop.
type Do string

// What the loop can do.
const (
	DoPrepare      Do = "prepare"       // judge the plan as it is before the first iteration
	DoResetBreaker Do = "reset_breaker" // close the breaker of the last run, for the reason in Message
	DoRest         Do = "rest"          // wait until the user resumes the run
	DoPause        Do = "pause"         // wait between two iterations, for After
	DoBegin        Do = "begin"         // open iteration N
	DoAsk          Do = "ask"           // ask the user the Question, and ask for the next step again
	DoWait         Do = "wait"          // wait until Until, for Reason
	DoCall         Do = "call"          // call the agent in iteration N
	DoJudge        Do = "judge"         // find out what the iteration came to, and record its end
	DoPark         Do = "park"          // keep the work on Story, which is given up for now
	DoRestore      Do = "restore"       // go back to the state before the work on a parked story
	DoEnd          Do = "end"           // end the run for Reason
)

// Rule names the rule that decided a step.
type Rule string

// The rules, in the order in which they are asked.
const (
	RuleStop       Rule = "stop"
	RuleOutcome    Rule = "outcome"
	RuleOverload   Rule = "overload"
	RuleBranch     Rule = "branch"
	RuleDone       Rule = "done"
	RuleOutside    Rule = "outside"
	RuleQuestions  Rule = "questions"
	RuleTakenOver  Rule = "taken_over"
	RuleLogin      Rule = "login"
	RuleUsageLimit Rule = "usage_limit"
	RuleBreaker    Rule = "breaker"
	RuleBudget     Rule = "budget"
	RuleIterations Rule = "max_iterations"
	RuleParked     Rule = "parked"
	RulePaused     Rule = "paused"
	RulePause      Rule = "pause"
	RuleRateLimit  Rule = "rate_limit"
	RuleGoOn       Rule = "continue"
)

// Step describes what the loop does next, and why.
type Step struct {
	Do    Do
	Rule  Rule
	Facts []int // sequence numbers, in the run, of the events that the rule used

	N        int            // Begin, Call, Judge: the iteration
	Reason   journal.Reason // Wait, End
	Message  string         // a sentence for the user
	Hint     string         // End: what the user can do next, may be empty
	Question string         // Ask
	Until    time.Time      // Wait; the reset of the provider's limit with End
	After    time.Duration  // Pause
	Opens    int            // End: the breaker opens after so many iterations in a row
	Story    string         // Park, Restore: its id
	With     []string       // Park: stories that depend on it
}

// Seen holds what the loop observed just before it asks for the next step. The journal does
// not have it, because it is true only now.
type Seen struct {
	Time      time.Time
	Stop      journal.Reason // why the run was asked to end, empty if it was not
	Ready     bool           // Prepare is done
	Done      journal.Reason // why the accepted items make the plan done, empty if they do not
	LooksDone bool           // every item is marked, accepted or not
	Red       bool           // a quality check fails that keeps the plan from being done
	Questions []string       // questions for the user, if nothing else is left
	TakenOver []string       // items taken over as done without proof, if nothing else is left
	Open      []Todo         // items that are left for the agent
	Mixed     string         // why changes of other people are mixed with work that is not accepted
	Left      string         // how far the plan is, in words
	Print     string         // a fingerprint of the plan's files and HEAD
	Marked    bool           // stories are marked that were not judged yet
	Agents    []string       // agents that can be called in this run
	Limit     *Limit         // nil where an agent can be called
	Calls     *FullHour      // the full hour, if the ledger has just refused a call
	CanAsk    bool           // the user is at a terminal
	Answer    Answer         // to the question about Limit
}

// Limit describes the provider's limit to wait for when no agent can be called: that of the
// agent that is free first.
type Limit struct {
	Agent  string
	Until  time.Time // when it can be called again, a guess where Reset is zero
	Reset  time.Time
	Note   string // the provider's words
	Hint   string // what the user can do other than wait, may be empty
	Probed bool   // the limit should be over, and another loop is finding out
}

// FullHour describes a clock hour in which the limit of calls is reached.
type FullHour struct {
	Used, Limit int
	ResetsAt    time.Time
}

// Answer is the user's answer to a question.
type Answer string

// The answers; empty before the user was asked.
const (
	Yes Answer = "yes"
	No  Answer = "no"
)

// The settings of what to do at a usage limit.
const (
	LimitAsk  = "ask"
	LimitWait = "wait"
	LimitExit = "exit"
)

// Next returns what the loop does next. It asks one rule after the other; the first
// that has an answer decides.
func Next(p *Position, s Seen, r journal.RunRules) Step {
	rules := []func(*Position, Seen, journal.RunRules) Step{
		restoring, stopped, left, doneAlready, doneNow, outside, questions, takenOver, login, refusedAtEnd, breaker, prepare, parked,
		budget, iterations, paused, pause, begin,
	}
	if p.Open != nil {
		rules = []func(*Position, Seen, journal.RunRules) Step{outcome, stopped, refusedToo, overload, paused, usageLimit, rateLimit, call}
	}
	for _, rule := range rules {
		if step := rule(p, s, r); step.Do != "" {
			return inTime(step, p, s, r)
		}
	}
	return Step{}
}

// NeedsCall reports whether the next step depends on the limits of the agents.
func (p *Position) NeedsCall() bool {
	if p.Open != nil {
		return p.Open.Outcome == "" || p.Open.Refused()
	}
	return p.Last != nil && p.Last.Outcome == journal.OutcomeUsageLimit
}

// outcome: a call that the provider did not refuse is judged.
func outcome(p *Position, _ Seen, _ journal.RunRules) Step {
	if p.Open.Outcome == "" || p.Open.Refused() {
		return Step{}
	}
	return Step{Do: DoJudge, Rule: RuleOutcome, N: p.Open.N, Facts: facts(p.facts.Attempt)}
}

// overload: after an overload the same call is tried again, each time later.
func overload(p *Position, s Seen, r journal.RunRules) Step {
	o := p.Open
	if o.Outcome != journal.OutcomeTransient || o.Waited {
		return Step{}
	}
	return Step{Do: DoWait, Rule: RuleOverload, Reason: journal.WaitTransient, Until: s.Time.Add(backoff(r, o.Overloads)),
		Message: "the provider cannot be reached or is overloaded: " + o.Message, Facts: facts(p.facts.Attempt)}
}

// backoff returns the wait after so many overloads in a row.
func backoff(r journal.RunRules, overloads int) time.Duration {
	wait := seconds(r.TransientSeconds)
	for range overloads - 1 {
		wait = min(2*wait, time.Minute)
	}
	return min(wait, time.Minute)
}

// usageLimit: at the provider's limit the run waits, asks or ends, as the user wants.
// What was marked before the limit is judged before the run ends.
func usageLimit(p *Position, s Seen, r journal.RunRules) Step {
	if s.Limit == nil {
		return Step{}
	}
	step := atLimit(p, s, r)
	if step.Do == DoEnd && p.Open != nil && p.Open.Refused() && s.Marked {
		return Step{Do: DoJudge, Rule: RuleUsageLimit, N: p.Open.N, Facts: facts(p.facts.Attempt)}
	}
	return step
}

func atLimit(p *Position, s Seen, r journal.RunRules) Step {
	l := s.Limit
	step := Step{Do: DoWait, Rule: RuleUsageLimit, Reason: journal.ReasonUsageLimit, Until: l.Until, Message: l.Note, Facts: facts(p.facts.Attempt)}
	if l.Probed {
		step.Message = "another loop tries whether the limit of " + l.Agent + " is over"
		return step
	}
	if len(s.Agents) > 1 {
		step.Message = fmt.Sprintf("%s are at their limits, %s is free first: %s", strings.Join(s.Agents, ", "), l.Agent, l.Note)
	}
	tooLong := tooLong(p, s, r)
	switch {
	case tooLong != "":
	case r.OnLimit == LimitWait, r.OnLimit == LimitAsk && s.Answer == Yes:
		return step
	case r.OnLimit == LimitAsk && s.CanAsk && s.Answer == "":
		step.Do, step.Question = DoAsk, "The provider's usage limit is reached. Wait until "+words.Clock(l.Until, s.Time)+"?"
		return step
	}
	step.Do, step.Until, step.Message = DoEnd, l.Reset, "the provider's usage limit is reached: "+step.Message
	if step.Hint = tooLong; tooLong == "" {
		step.Hint = "continue after it with 'ralph run', or let ralph wait with --on-limit wait"
		if l.Hint != "" {
			step.Hint = l.Hint + "; or " + step.Hint
		}
	}
	return step
}

// tooLong says why a limit is not waited for, empty where it is. The waits add up until
// an agent is let in, whichever it is: else a limit without a known reset, or two
// agents that are refused in turn, would be waited for without end.
func tooLong(p *Position, s Seen, r journal.RunRules) string {
	most := time.Duration(r.MaxWaitHours * float64(time.Hour))
	switch left := s.Limit.Until.Sub(s.Time); {
	case s.Limit.Reset.IsZero() && left > most:
		return fmt.Sprintf("the end of the limit is unknown, and usage_limit.max_wait_hours (%g h) is too short for another try; start ralph again later", r.MaxWaitHours)
	case left > most:
		return fmt.Sprintf("the reset is further away than usage_limit.max_wait_hours allows (%g h); start ralph again after it", r.MaxWaitHours)
	case p.WaitedAtLimits+left > most:
		waited := strings.TrimSuffix(p.WaitedAtLimits.Round(time.Minute).String(), "0s")
		return fmt.Sprintf("no call has gone through for %s of waiting, and usage_limit.max_wait_hours allows %g h; start ralph again when the account can be used", waited, r.MaxWaitHours)
	}
	return ""
}

// rateLimit: where the hour's calls are used up the run waits for the next hour.
func rateLimit(_ *Position, s Seen, _ journal.RunRules) Step {
	if s.Calls == nil {
		return Step{}
	}
	return Step{Do: DoWait, Rule: RuleRateLimit, Reason: journal.WaitRateLimit, Until: s.Calls.ResetsAt,
		Message: fmt.Sprintf("%d of %d calls of this hour are used", s.Calls.Used, s.Calls.Limit)}
}

func call(p *Position, _ Seen, _ journal.RunRules) Step {
	return Step{Do: DoCall, Rule: RuleGoOn, N: p.Open.N}
}

// stopped: a run that was asked to end ends now. What was marked before a refused call is
// judged first.
func stopped(p *Position, s Seen, _ journal.RunRules) Step {
	switch {
	case s.Stop == "":
		return Step{}
	case p.Open != nil && p.Open.Refused() && s.Marked:
		return Step{Do: DoJudge, Rule: RuleStop, N: p.Open.N}
	}
	step := Step{Do: DoEnd, Rule: RuleStop, Reason: s.Stop, Message: "ended by a signal or 'ralph stop'; finished work is kept", Hint: "continue with 'ralph run'"}
	if s.Stop == journal.ReasonInterrupted {
		step.Message = "ended by Ctrl-C; finished work is kept"
	}
	return step
}

// left: on another branch there is another plan.
func left(p *Position, _ Seen, _ journal.RunRules) Step {
	if p.Left == "" {
		return Step{}
	}
	return Step{Do: DoEnd, Rule: RuleBranch, Reason: journal.ReasonBranchChanged, Message: p.Left,
		Hint: "review its changes there, then: git switch " + quoted(p.Branch), Facts: facts(p.facts.Moved)}
}

// doneAlready: a plan that is done before the first iteration needs no agent.
func doneAlready(p *Position, s Seen, _ journal.RunRules) Step {
	if !s.Ready || p.Last != nil || s.Done == "" || s.Red {
		return Step{}
	}
	return Step{Do: DoEnd, Rule: RuleDone, Reason: s.Done, Message: "the plan was done already: " + s.Left}
}

// doneNow: the gate found the plan done after the last iteration.
func doneNow(p *Position, s Seen, _ journal.RunRules) Step {
	if p.Last == nil || p.Last.Done == "" {
		return Step{}
	}
	step := Step{Do: DoEnd, Rule: RuleDone, Reason: p.Last.Done, Message: s.Left, Facts: facts(p.facts.Last)}
	if step.Reason == journal.ReasonPromise {
		step.Message = "the agent promised completion"
	}
	return step
}

// outside: a check that only passes without a room proves nothing where rooms are required.
func outside(p *Position, s Seen, _ journal.RunRules) Step {
	if !s.Ready || p.Outside == nil {
		return Step{}
	}
	return Step{Do: DoEnd, Rule: RuleOutside, Reason: journal.ReasonWaitingForPerson, Facts: facts(p.facts.Outside),
		Message: "check " + p.Outside.Name + " passes only outside of its room, and sandbox.mode is require",
		Hint:    p.Outside.Unsealed + "; then start ralph again"}
}

// questions: what only the user can answer is not work for an agent.
func questions(_ *Position, s Seen, _ journal.RunRules) Step {
	if !s.Ready || len(s.Questions) == 0 {
		return Step{}
	}
	return Step{Do: DoEnd, Rule: RuleQuestions, Reason: journal.ReasonWaitingForPerson,
		Message: "only questions for you are left: " + strings.Join(s.Questions, ", "),
		Hint:    "answer them in the checklist, then start ralph again"}
}

// takenOver: what was marked before ralph first saw the plan needs a receipt, or the user.
func takenOver(_ *Position, s Seen, _ journal.RunRules) Step {
	if !s.Ready || len(s.TakenOver) == 0 {
		return Step{}
	}
	return Step{Do: DoEnd, Rule: RuleTakenOver, Reason: journal.ReasonWaitingForPerson,
		Message: "only marks from before ralph first saw the plan are left, without a receipt: " + strings.Join(s.TakenOver, ", "),
		Hint:    "fetch the receipts: " + journal.FetchNotes + "; or accept: " + AllowHint(s.TakenOver) + "; then start ralph again"}
}

// AllowHint returns the command with which the user accepts marks, as the text of a hint.
func AllowHint(ids []string) string {
	if len(ids) == 1 {
		return "ralph allow " + ids[0]
	}
	return "ralph allow " + ids[0] + ", and so each of them"
}

// login: without a login, a key or credit no other call would do better.
func login(p *Position, _ Seen, _ journal.RunRules) Step {
	if p.Last == nil || p.Last.Outcome != journal.OutcomeAuth {
		return Step{}
	}
	return Step{Do: DoEnd, Rule: RuleLogin, Reason: journal.ReasonAuth, Message: p.Last.Message, Hint: p.Last.Hint, Facts: facts(p.facts.Last)}
}

// refusedAtEnd: an iteration that was judged because the run is to end at a usage limit.
func refusedAtEnd(p *Position, s Seen, r journal.RunRules) Step {
	if p.Last == nil || p.Last.Outcome != journal.OutcomeUsageLimit {
		return Step{}
	}
	return usageLimit(p, s, r)
}

// breaker: a run that is stuck ends. A breaker that is open stays open for the next run,
// until the user resets it or the plan or the branch has changed. A plan that looks done
// is judged first: what was in the way may have been outside of the repository.
func breaker(p *Position, s Seen, r journal.RunRules) Step {
	o := p.Breaker
	switch {
	case o == nil:
		return stuck(p, s, r)
	case p.Last != nil: // opened by this run, which died before its end was recorded
	case s.LooksDone:
		return Step{}
	case r.ResetCircuit:
		return Step{Do: DoResetBreaker, Rule: RuleBreaker, Message: "reset by --reset-circuit"}
	case o.Print != s.Print:
		return Step{Do: DoResetBreaker, Rule: RuleBreaker, Message: "the plan or the branch has changed since"}
	}
	why := "the circuit breaker is still open since the last run: " + inARow(o.Reason, o.Count)
	return park(Step{Do: DoEnd, Rule: RuleBreaker, Reason: o.Reason, Facts: facts(p.facts.Breaker), Message: why,
		Hint: "change the plan, commit something, or run with --reset-circuit"}, inARow(o.Reason, o.Count), p, s, r)
}

func stuck(p *Position, s Seen, r journal.RunRules) Step {
	v := p.Streak.opening(r)
	if v.Reason == "" || p.Last == nil && s.LooksDone {
		return Step{}
	}
	var last EndedIteration // none where the last run died, or ended for another reason first
	if p.Last != nil {
		last = *p.Last
	}
	why := inARow(v.Reason, v.Count)
	if v.InstantExits {
		why = fmt.Sprintf("the agent ended within seconds, without a token, %d times in a row: %s", v.Count, last.Message)
	}
	step := Step{Do: DoEnd, Rule: RuleBreaker, Reason: v.Reason, Opens: v.Count, Message: why + "; " + s.Left,
		Hint: "read the last logs with 'ralph logs', repair the plan or the project, then start ralph again", Facts: slices.Clone(p.facts.Row)}
	if last.Hint != "" && v.Reason == journal.ReasonSameError {
		step.Hint = last.Hint + "; then start ralph again"
	}
	if v.InstantExits { // that is the agent's fault, not the story's
		return step
	}
	return park(step, why, p, s, r)
}

// inARow describes what opened the breaker after n iterations in a row.
func inARow(reason journal.Reason, n int) string {
	if reason == journal.ReasonSameError {
		return fmt.Sprintf("the same error %s in a row", words.Count(n, "time"))
	}
	return fmt.Sprintf("%s in a row without progress", words.Count(n, "iteration"))
}

// prepare: the plan is judged once before the first iteration.
func prepare(_ *Position, s Seen, _ journal.RunRules) Step {
	if s.Ready {
		return Step{}
	}
	return Step{Do: DoPrepare, Rule: RuleGoOn}
}

// iterations: no new iteration where all are used up.
func iterations(p *Position, s Seen, r journal.RunRules) Step {
	if p.Iterations() < r.MaxIterations {
		return Step{}
	}
	used := "the only iteration is used up"
	if r.MaxIterations > 1 {
		used = fmt.Sprintf("%d iterations are used up", r.MaxIterations)
	}
	return Step{Do: DoEnd, Rule: RuleIterations, Reason: journal.ReasonMaxIterations, Message: used + " and " + s.Left,
		Hint: "continue with another 'ralph run', or allow more with --max-iterations", Facts: facts(p.facts.Last)}
}

// paused: the user holds the run.
func paused(p *Position, _ Seen, _ journal.RunRules) Step {
	if !p.Paused {
		return Step{}
	}
	return Step{Do: DoRest, Rule: RulePaused, Reason: journal.WaitPaused, Message: "paused; continue with 'ralph resume'", Facts: facts(p.facts.Paused)}
}

// pause: a moment lies between two iterations.
func pause(p *Position, s Seen, r journal.RunRules) Step {
	if p.Last == nil {
		return Step{}
	}
	left := seconds(r.PauseSeconds) - s.Time.Sub(p.Last.At)
	if left <= 0 || left > seconds(r.PauseSeconds) { // the clock was set back
		return Step{}
	}
	return Step{Do: DoPause, Rule: RulePause, After: left}
}

func begin(p *Position, _ Seen, _ journal.RunRules) Step {
	return Step{Do: DoBegin, Rule: RuleGoOn, N: p.Iterations() + 1}
}

func facts(seq ...int) []int {
	return slices.DeleteFunc(seq, func(n int) bool { return n == 0 })
}

func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }

// quoted makes a branch's name safe for a shell.
func quoted(name string) string {
	safe := func(r rune) bool {
		return r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("/._-+:@%", r)
	}
	if name != "" && strings.IndexFunc(name, func(r rune) bool { return !safe(r) }) < 0 {
		return name
	}
	return "'" + strings.ReplaceAll(name, "'", `'\''`) + "'"
}
