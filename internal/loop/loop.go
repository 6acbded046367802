// Package loop holds the order of a run. It asks run.Next for the next step, does it, and records
// what came of it. The rules are in the packages run and evidence; what the loop knows is in the
// journal.
package loop

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"ralph/internal/agent"
	"ralph/internal/calls"
	"ralph/internal/check"
	"ralph/internal/checkpoint"
	"ralph/internal/evidence"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/parking"
	"ralph/internal/plan"
	"ralph/internal/proc"
	"ralph/internal/prompt"
	"ralph/internal/ratelimit"
	"ralph/internal/recorder"
	"ralph/internal/run"
	"ralph/internal/stopwatch"
	"ralph/internal/stream"
	"ralph/internal/words"
)

// ErrInterrupted and ErrStopped are the causes with which a run's context is cancelled: by the
// user at the terminal, or by another process.
var (
	ErrInterrupted = errors.New("interrupted")
	ErrStopped     = errors.New("stopped")
)

// Settings holds the settings of a run. The user can change some of them with 'ralph set'.
type Settings struct {
	MaxIterations int
	MinIterations int           // a promise does not count before
	Limits        agent.Limits  // of one call
	Pause         time.Duration // between iterations
	Transient     time.Duration // first wait after an overload
	RateLimit     int           // calls per clock hour, 0 is off
	NoProgress    int           // thresholds of the breaker
	SameError     int
	InstantExits  int
	OnLimit       string // ask, wait or exit
	AskTimeout    time.Duration
	MaxWait       time.Duration // at usage limits, until a call goes through
	MaxTokens     int64         // 0 is no budget
	MaxCost       float64       // in US dollars, 0 is no budget
	MaxTime       time.Duration // of the run with its waits, 0 is no budget
	EndsAt        time.Time     // no new iteration from then on, where it is not zero
	MaxAccount    float64       // percent of the provider's window, 0 is no budget
	Escalate      []string      // models, weakest first; empty is no escalation

	Promise        string
	TrustPromise   bool
	ClaimRules     evidence.Rules // for what is accepted
	ReviewLimit    time.Duration  // of one call of the reviewer
	Notes          bool           // write receipts as git notes too
	AcceptBaseline bool           // the plan can be done although checks fail that failed before
	ResetCircuit   bool
	OnStuck        string // stop or park
	CountChanges   bool   // the record says how many files each iteration changed

	Hooks    Hooks
	Template string // the prompt after the context
	Checks   []check.Check
}

// Identity identifies a run in its journal: the program, the unit and the process.
type Identity struct {
	Version  string // of ralph
	Run      string
	Unit     string
	Feature  string
	Task     string
	Change   string // the change that the plan is, and its module; empty for other plans
	Module   string
	StateDir string // of the unit, in the git directory
	LogDir   string // for iteration-N.log, from the worktree's root
	Self     proc.ID
	Host     string
	Token    string
	Since    time.Time // when the unit's lock was taken: earlier requests were for another run
}

// Loop executes one run. The caller sets all fields that are not marked as optional.
type Loop struct {
	Identity
	Settings

	Plan     plan.Plan
	Repo     *git.Repo
	Recorder *recorder.Recorder
	Damage   journal.Damage // what the reading of the unit's journal had to leave out
	Inbox    *journal.Inbox
	States   checkpoint.Store
	Changes  *[]git.StatusEntry // that are not committed, if they are known; optional
	Ledger   *ratelimit.Ledger  // of the first agent
	Agents   []calls.Caller     // the first does the work; the others take over, in this order, while those before are limited
	Reviewer *calls.Caller      // of claims; nil is no review
	Env      []string           // of agents and checks
	CheckEnv []string
	Deps     *check.Deps // that the checks borrow

	Keeper *proc.Keeper // of the guardian, the parent of all agents and checks
	// Working shows what takes a while, and Stopping once that the run was asked to end. Both
	// are optional.
	Working  func(what string)
	Stopping func()
	// Stream gets every event of the agent's output. Drained is called when the output is read
	// up to now. Both are optional.
	Stream  func(stream.Event)
	Drained func()
	// Complain shows a warning that comes after the end of the record. It is optional.
	Complain func(string)
	// Ask asks the user at the terminal whether to wait. It is nil without a terminal.
	Ask func(ctx context.Context, question string, limit time.Duration) bool

	firstRun bool // of the unit
	team     *calls.Team
	requests requests
	hooks    hooks
	opening  journal.RunStarted
	ready    bool       // prepare is done
	it       *iteration // that is open, nil between two
	turn     turn
	branch   string
	head     string // the commit that is checked out
	marks    marks
	gate     *evidence.Gate
	parker   *parking.Parker
	kept     git.Saved // the state before the last iteration
	unkept   bool      // the user was warned that a state cannot be kept
	notes    prompt.Notes
	late     []string // warnings from before the run had a record
}

// Run executes the loop until the run ends, and returns how it ended. The end is in the
// journal when Run returns. Run fails if it cannot write the journal.
func (l *Loop) Run(ctx context.Context) (run.End, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer l.Keeper.Close()
	if err := l.begin(ctx); err != nil {
		return run.End{Reason: journal.ReasonError, Message: err.Error()}, err
	}
	if err := l.requests.clear(l.Since); err != nil {
		return run.End{Reason: journal.ReasonError, Message: err.Error()}, err
	}
	stopListening := l.requests.listen(ctx, func() { cancel(ErrStopped) })
	defer stopListening()
	stopWatching := watchClock(ctx, l.Recorder)
	defer stopWatching()

	hush := showStopping(ctx, l.Stopping)
	step, err := l.iterate(ctx)
	if err == nil {
		err = l.gate.InspectLast(context.WithoutCancel(ctx))
	}
	if err != nil {
		step = trouble(ctx, err)
	}
	l.Keeper.CloseLost()
	hush()
	stopWatching() // the end of the run is its last event
	end := run.End{Reason: step.Reason, Message: l.Recorder.Secrets.Text(step.Message), Hint: l.Recorder.Secrets.Text(step.Hint), ResumesAt: step.Until}
	// A living guardian stays until the end is on record: it would record a death before.
	if err := l.requests.recordStop(); err != nil {
		return end, err
	}
	seen, err := l.gate.Now(ctx)
	if err != nil {
		seen = run.Base{} // the next run takes what is there for the agent's
	}
	if step.Opens > 0 {
		if err := l.Recorder.Record(journal.BreakerOpened{Reason: step.Reason, Count: step.Opens, Print: l.marks.print(l.head), Facts: step.Facts}); err != nil {
			return end, err
		}
	}
	_ = l.parker.Compare(ctx) // what cannot be read now the next run does not know either
	ended := journal.RunEnded{
		Mixed: l.parker.Mixed, Rule: string(step.Rule), Facts: step.Facts, Head: seen.Commit, Work: seen.Work,
		Status: end.Status(), Reason: end.Reason, ExitCode: end.ExitCode(), Message: end.Message,
		ResumesAt: journal.TimePtr(end.ResumesAt),
	}
	l.Recorder.Read(func(s *run.State) {
		ended.Tokens, ended.CostUSD = s.Last().Calls.Tokens, s.Last().Calls.CostUSD
	})
	if err := l.Recorder.Record(ended); err != nil {
		return end, err
	}
	if err := l.hooks.call(context.WithoutCancel(ctx), hooked{Hook: "after_run"}, l.Hooks.AfterRun, ended); err != nil && l.Complain != nil {
		l.Complain(err.Error())
	}
	return end, nil
}

// begin reads the plan and opens the run in the journal.
func (l *Loop) begin(ctx context.Context) error {
	l.assemble()
	claims, err := l.recall(ctx)
	if err != nil {
		return err
	}
	head, err := l.Repo.Head(ctx)
	if err != nil {
		return err
	}
	if err := l.marks.read(); err != nil {
		return err
	}
	l.branch, l.head, l.hooks.branch = head.Branch, head.Commit, head.Branch
	takenOver := l.marks.takenOver()
	if l.firstRun {
		takenOver = l.marks.state.Done()
	}
	if n := len(takenOver); n > 0 && l.firstRun {
		l.late = append(l.late, words.Count(n, "item")+" had been marked as done before ralph first saw this plan, taken over and not proved: "+strings.Join(takenOver, ", "))
	}
	moved, err := l.openGate(ctx, claims)
	if err != nil {
		return err
	}
	grant, err := l.Ledger.Peek(time.Now())
	if err != nil {
		return err
	}
	names := make([]string, 0, len(l.Checks))
	for _, c := range l.Checks {
		names = append(names, c.Name)
	}
	if _, err := l.Keeper.Get(); err != nil { // from here on the guardian records this process's death
		return err
	}
	rules, about := l.rules(), l.Plan.About()
	l.opening = journal.RunStarted{
		Schema: journal.SchemaVersion, Version: l.Version, Unit: l.Unit, Plan: about.Kind,
		Feature: l.Feature, Task: l.Task, Change: l.Change, Module: l.Module, DoneCriteria: about.Criteria, Branch: head.Branch,
		Worktree: l.Repo.Root, Head: head.Commit, Harness: l.team.Current().Harness.Name, Model: l.team.Current().Options.Model,
		MaxIterations: l.MaxIterations, TimeoutSeconds: l.Limits.Timeout.Seconds(),
		StallThreshold: l.NoProgress, SameError: l.SameError, RateLimit: l.RateLimit, CallsUsed: grant.Used,
		PID: l.Self.PID, PIDStart: l.Self.Start, Host: l.Host, Token: l.Token,
		Stories: l.marks.stories(), TakenOver: takenOver, Checks: names,
		Rules: &rules, Print: l.marks.print(l.head),
	}
	if err := l.Recorder.Record(l.opening); err != nil {
		return err
	}
	if err := l.gate.RecordBase(0, moved, ""); err != nil {
		return err
	}
	l.parker = &parking.Parker{On: l.OnStuck == run.StuckPark, States: l.States, Gate: l.gate, Recorder: l.Recorder,
		Files: func() []string { return plan.SnapshotFiles(l.StateDir) }}
	return l.parker.Start(ctx, claims.Seen())
}

// assemble makes the collaborators of the loop.
func (l *Loop) assemble() {
	if l.Working == nil {
		l.Working = func(string) {}
	}
	if l.Stream == nil {
		l.Stream = func(stream.Event) {}
	}
	l.marks = marks{plan: l.Plan, trust: l.TrustPromise, claims: l.Recorder.Claims()}
	l.requests = requests{inbox: l.Inbox, recorder: l.Recorder, more: make(chan struct{}, 1)}
	l.hooks = hooks{Hooks: l.Hooks, run: l.Identity.Run, unit: l.Unit, root: l.Repo.Root, env: l.Env, keeper: l.Keeper, recorder: l.Recorder, working: l.Working}
	l.team = &calls.Team{Recorder: l.Recorder, Keeper: l.Keeper, Env: l.Env, Unit: l.Unit, Root: l.Repo.Root, LogDir: l.LogDir,
		Limits: l.Limits, Promise: l.Promise, Drained: l.Drained}
	l.team.Assemble(l.Agents, l.Ledger)
}

// iterate asks for the next step and does it, until that is the end of the run.
func (l *Loop) iterate(ctx context.Context) (run.Step, error) {
	if err := l.hooks.before(ctx, "before_run", l.Hooks.BeforeRun, l.opening); err != nil {
		return run.Step{}, err
	}
	for _, w := range l.late {
		if err := l.Recorder.Warn("%s", w); err != nil {
			return run.Step{}, err
		}
	}
	if err := l.requests.read(); err != nil {
		return run.Step{}, err
	}
	if _, err := l.newPlan(); err != nil { // handed to a loop that has ended since
		return run.Step{}, err
	}
	if err := l.takeAllowed(); err != nil {
		return run.Step{}, err
	}
	// What cannot be removed now a later run removes.
	_, _ = l.States.Prune(ctx, time.Now().Add(-keepStates), l.Identity.Run, l.Recorder.Claims().Accepted)
	for {
		step, err := l.next(ctx)
		if err == nil && step.Do == run.DoEnd {
			if again, err := l.depart(ctx); !again || err != nil {
				return step, err
			}
			continue
		}
		if err == nil {
			err = l.do(ctx, step)
		}
		asked := ctx.Err() != nil && errors.Is(err, context.Cause(ctx))
		if err != nil && (!asked || step.Do == run.DoJudge || step.Do == run.DoPrepare) {
			return run.Step{}, l.wrapUp(ctx, err)
		}
	}
}

// next returns the next step.
func (l *Loop) next(ctx context.Context) (run.Step, error) {
	if err := l.requests.read(); err != nil {
		return run.Step{}, err
	}
	if err := l.takeSettings(); err != nil {
		return run.Step{}, err
	}
	if err := l.requests.done(l.requests.of(journal.RequestUnpark)...); err != nil {
		return run.Step{}, err
	}
	seen, err := l.see(ctx)
	return run.Next(l.Recorder.Position(), seen, l.rules()), err
}

// do does one step of the run.
func (l *Loop) do(ctx context.Context, s run.Step) error {
	switch s.Do {
	case run.DoPrepare:
		return l.prepare(ctx)
	case run.DoResetBreaker:
		return l.Recorder.Record(journal.BreakerReset{Message: s.Message})
	case run.DoRest:
		return l.rest(ctx, s)
	case run.DoPause:
		_, err := stopwatch.Sleep(ctx, stopwatch.Start(), stopwatch.Deadline{After: s.After}, nil)
		return err
	case run.DoBegin, run.DoCall:
		// Requests of the user come first: they may change what is called, and whether.
		if some, err := l.answer(); some || err != nil {
			return err
		}
		if s.Do == run.DoBegin {
			return l.open(ctx, s)
		}
		return l.call(ctx)
	case run.DoAsk:
		l.turn.answer = run.No
		if l.Ask(ctx, s.Question, l.AskTimeout) {
			l.turn.answer = run.Yes
		}
		return nil
	case run.DoWait:
		return l.wait(ctx, s)
	case run.DoJudge:
		return l.conclude(ctx)
	case run.DoPark:
		return l.park(ctx, s)
	case run.DoRestore:
		return l.restore(ctx)
	}
	return fmt.Errorf("there is no step %q", s.Do)
}

// see observes what the next step depends on and the journal does not say.
func (l *Loop) see(ctx context.Context) (run.Seen, error) {
	marked, counted := l.Plan.Conclusion(l.marks.state, false, false), l.marks.conclusion(nil, false)
	s := run.Seen{Time: time.Now(), Stop: stopReason(ctx), Ready: l.ready, Left: l.Plan.Left(l.marks.counted()), Print: l.marks.print(l.head),
		Open: l.marks.state.Todo(), Mixed: l.parker.Mixed, LooksDone: marked.Done, Red: len(l.gate.Blocking()) > 0, Calls: l.turn.full, CanAsk: l.Ask != nil, Answer: l.turn.answer}
	if counted.Done {
		s.Done = journal.Reason(counted.Reason)
	}
	if counted.Waiting {
		s.Questions = l.marks.state.Questions()
	}
	if l.marks.onlyTakenOver() {
		s.TakenOver = l.marks.waiting
	}
	p := l.Recorder.Position()
	if p.Open != nil && p.Open.Refused() {
		s.Marked = l.unseen()
	}
	if s.Stop != "" || !p.NeedsCall() {
		return s, nil
	}
	if p.Open != nil {
		l.team.Use(p.Model(l.rules()))
	}
	b, err := l.team.Pick(ctx)
	if l.turn.block = b; b.Blocked() {
		s.Limit, s.Agents = &b.Limit, l.team.Able()
	}
	return s, err
}

// wait waits as a step says.
func (l *Loop) wait(ctx context.Context, s run.Step) error {
	l.turn.full = nil
	w := journal.WaitStarted{Reason: s.Reason, Until: journal.TimePtr(s.Until), Message: s.Message, Rule: string(s.Rule), Facts: s.Facts}
	if s.Reason == journal.ReasonUsageLimit {
		l.turn.answer = ""
		return l.team.WaitForLimit(ctx, l.turn.block, w)
	}
	return l.team.Wait(ctx, w)
}

// trouble turns an error into the end of the run.
func trouble(ctx context.Context, err error) run.Step {
	var missing *agent.MissingError
	switch {
	case errors.As(err, &missing):
		return run.Step{Do: run.DoEnd, Reason: journal.ReasonAgentMissing, Message: err.Error()}
	case stopReason(ctx) != "" && (errors.Is(err, context.Cause(ctx)) || errors.Is(err, context.Canceled)):
		return run.Next(&run.Position{}, run.Seen{Stop: stopReason(ctx)}, journal.RunRules{})
	}
	return run.Step{Do: run.DoEnd, Reason: journal.ReasonError, Message: err.Error()}
}

// stopReason returns why the run was asked to end, empty if it was not.
func stopReason(ctx context.Context) journal.Reason {
	switch {
	case ctx.Err() == nil:
		return ""
	case errors.Is(context.Cause(ctx), ErrInterrupted):
		return journal.ReasonInterrupted
	}
	return journal.ReasonStopped
}
