// Package loop holds the order of a run: wait, prompt, turn, guard, check,
// record, go on or stop. It decides by evidence that it gathered itself, and
// whatever it decides stands in the journal before anybody acts on it.
package loop

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"ralph/internal/agent"
	"ralph/internal/breaker"
	"ralph/internal/calls"
	"ralph/internal/check"
	"ralph/internal/evidence"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/proc"
	"ralph/internal/ratelimit"
	"ralph/internal/recorder"
	"ralph/internal/stopwatch"
	"ralph/internal/stream"
)

// ErrInterrupted and ErrStopped are the causes with which a run's context is
// cancelled: by the person at the terminal, or from elsewhere.
var (
	ErrInterrupted = errors.New("interrupted")
	ErrStopped     = errors.New("stopped")
)

// Settings are the user's wishes for a run, fixed when it starts.
type Settings struct {
	MaxIterations int
	MinIterations int           // a promise counts for nothing before
	Limits        agent.Limits  // of one turn
	Pause         time.Duration // between iterations
	Transient     time.Duration // first wait after an overload
	RateLimit     int           // calls per clock hour, 0 is off
	NoProgress    int           // thresholds of the breaker
	SameError     int
	Duds          int
	OnLimit       string // ask, wait or exit
	AskTimeout    time.Duration
	MaxWait       time.Duration // longest standstill at usage limits, until a call goes through
	MaxTokens     int64         // 0 is no budget
	MaxCost       float64       // in US dollars, 0 is no budget

	Promise        string
	TrustPromise   bool
	Rules          evidence.Rules // for what is accepted
	Notes          bool           // write receipts as git notes too
	AcceptBaseline bool           // checks that were red before do not stand in the way
	ResetCircuit   bool
	CountChanges   bool // the record tells how many files each iteration changed

	Template string // the prompt after the context
	Checks   []check.Check
}

// Identity is what a run is about, for its record.
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
	Since    time.Time // when the unit's lock was taken: what was asked before was asked of another
}

// Loop is one run. All fields must be set but those marked as optional.
type Loop struct {
	Identity
	Settings

	Plan     plan.Plan
	Repo     *git.Repo
	Recorder *recorder.Recorder
	Inbox    *journal.Inbox
	Changes  *[]git.Change     // not committed, as seen a moment ago; optional
	Ledger   *ratelimit.Ledger // of the first agent
	Agents   []calls.Caller    // the first does the work; the others take over, in this order, while those before are limited
	Env      []string          // of agents and checks
	CheckEnv []string

	Keeper *proc.Keeper // of the guardian, the parent of all agents and checks
	// Working is told what is going on where it may take a while until the next
	// event; Stopping that the run was told to end, once. Both are optional.
	Working  func(what string)
	Stopping func()
	// Stream is told every event of the agent's output, Drained when there is
	// none left for the moment. Both are optional.
	Stream  func(stream.Event)
	Drained func()
	// Ask asks the person at the terminal whether to wait until a time. It is
	// nil where there is no terminal.
	Ask func(ctx context.Context, question string, limit time.Duration) bool

	past      past // what the journal tells of earlier runs
	team      *calls.Team
	breaker   breaker.State
	requests  requests
	branch    string
	head      string // the commit that is checked out
	state     plan.State
	accepted  map[string]bool   // items with an acceptance on record
	takenOver map[string]bool   // items that were marked when ralph first saw the plan
	waiting   []string          // those of them that a person has to decide on
	ever      map[string]bool   // items that passed in this run
	allowed   map[string]string // items that a person allowed, with the rule
	refused   map[string]bool   // items whose last claim was refused
	gate      *evidence.Gatherer
	unseenIn  int  // the last iteration whose changes were not inspected
	unnoted   bool // it was said that git notes cannot be written
	notes     notes
	late      []string // warnings from before the run had a record
}

// Run runs the loop to its end. The end is in the journal when it returns;
// where the journal itself cannot be written the error says so.
func (l *Loop) Run(ctx context.Context) (End, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	defer l.Keeper.Close()
	if err := l.begin(ctx); err != nil {
		return End{Reason: journal.ReasonError, Message: err.Error()}, err
	}
	if err := l.clearInbox(); err != nil {
		return End{Reason: journal.ReasonError, Message: err.Error()}, err
	}
	stopListening := l.listen(ctx, cancel)
	defer stopListening()
	stopWatching := l.watchClock(ctx)
	defer stopWatching()

	hush := l.sayStopping(ctx)
	end, err := l.iterate(ctx)
	if err == nil {
		err = l.lookLast(context.WithoutCancel(ctx))
	}
	if err != nil {
		end = l.trouble(ctx, err)
	}
	l.Keeper.CloseLost()
	hush()
	stopWatching() // the end of the run is its last event
	end.Message, end.Hint = l.Recorder.Secrets.Text(end.Message), l.Recorder.Secrets.Text(end.Hint)
	// A living guardian stays until the end is on record: it would record a death before.
	if err := l.acknowledge(); err != nil {
		return end, err
	}
	seen, err := l.gate.Now(ctx)
	if err != nil {
		seen = evidence.Base{} // the next run takes what is there for the agent's
	}
	return end, l.record(journal.RunEnded{
		Head: seen.Commit, Work: seen.Work,
		Status: end.Status(), Reason: end.Reason, ExitCode: end.ExitCode(), Message: end.Message,
		ResumesAt: timePtr(end.ResumesAt), Tokens: l.team.Tokens, CostUSD: l.team.Cost,
	})
}

// begin reads the plan and opens the run in the journal.
func (l *Loop) begin(ctx context.Context) error {
	l.assemble()
	if err := l.recall(); err != nil {
		return err
	}
	head, err := l.Repo.Head(ctx)
	if err != nil {
		return err
	}
	state, err := l.Plan.Read()
	if err != nil {
		return err
	}
	l.branch, l.head, l.state = head.Branch, head.Commit, state
	l.ever, l.accepted, l.takenOver = map[string]bool{}, l.past.accepted, l.past.taken
	l.allowed, l.refused = l.past.allowed, l.past.refused
	l.reopen(state)
	if l.past.runs == 0 {
		l.keepTakenOver()
	}
	moved, err := l.openGate(ctx)
	if err != nil {
		return err
	}
	if err := l.Ledger.SettleAll(ctx, l.past.token, l.past.calls); err != nil {
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
	if _, err := l.Keeper.Get(); err != nil { // from here on somebody records this process's death
		return err
	}
	if err := l.record(journal.RunStarted{
		Schema: journal.SchemaVersion, Version: l.Version, Unit: l.Unit, Plan: journal.PlanKind(l.Plan.Kind()),
		Feature: l.Feature, Task: l.Task, Change: l.Change, Module: l.Module, DoneCriteria: l.Plan.Criteria(), Branch: head.Branch,
		Worktree: l.Repo.Root, Head: head.Commit, Harness: l.team.Current().Harness.Name, Model: l.team.Current().Options.Model,
		MaxIterations: l.MaxIterations, TimeoutSeconds: l.Limits.Timeout.Seconds(),
		StallThreshold: l.NoProgress, SameError: l.SameError, RateLimit: l.RateLimit, CallsUsed: grant.Used,
		PID: l.Self.PID, PIDStart: l.Self.Start, Host: l.Host, Token: l.Token,
		Stories: l.stories(), TakenOver: slices.Sorted(maps.Keys(l.takenOver)), Checks: names,
	}); err != nil {
		return err
	}
	return l.recordBase(0, moved)
}

func (l *Loop) record(b journal.Body) error { return l.Recorder.Record(b) }

func (l *Loop) warn(format string, args ...any) error { return l.Recorder.Warn(format, args...) }

func (l *Loop) assemble() {
	l.team = &calls.Team{Recorder: l.Recorder, Keeper: l.Keeper, Env: l.Env, Unit: l.Unit, Root: l.Repo.Root, LogDir: l.LogDir,
		Limits: l.Limits, Promise: l.Promise, Drained: l.Drained}
	l.team.Assemble(l.Agents, l.Ledger)
}

// pause waits between two iterations.
func (l *Loop) pause(ctx context.Context) error {
	_, err := stopwatch.Sleep(ctx, stopwatch.Start(), stopwatch.Deadline{After: l.Pause}, nil)
	return err
}

// iterate is the run itself.
func (l *Loop) iterate(ctx context.Context) (End, error) {
	for _, w := range l.late {
		if err := l.warn("%s", w); err != nil {
			return End{}, err
		}
	}
	if end, err := l.beforeFirst(ctx); end != nil || err != nil {
		return deref(end), err
	}
	for n := 1; ; n++ {
		if n > l.MaxIterations {
			used := "the only iteration is used up"
			if l.MaxIterations > 1 {
				used = fmt.Sprintf("%d iterations are used up", l.MaxIterations)
			}
			return End{Reason: journal.ReasonMaxIterations, Message: used + " and " + l.left(),
				Hint: "go on with another 'ralph run', or give more with --max-iterations"}, nil
		}
		if err := l.between(ctx); err != nil {
			return End{}, err
		}
		end, err := l.iteration(ctx, n)
		if end != nil || err != nil {
			return deref(end), err
		}
		if n < l.MaxIterations {
			if err := l.pause(ctx); err != nil {
				return End{}, err
			}
		}
	}
}

// beforeFirst is what comes before any agent is called: a plan that was handed
// to a loop which has ended since, the breaker of the last run, marks that nobody
// accepted yet, the checks as they stand, a plan that is done already.
func (l *Loop) beforeFirst(ctx context.Context) (*End, error) {
	if err := l.newPlan(); err != nil {
		return nil, err
	}
	if err := l.takeAllowed(); err != nil {
		return nil, err
	}
	// A plan that looks done is looked at before the breaker: what was in the way
	// may have been outside of the repository.
	if !l.Plan.Judge(l.state, false, false).Done { // by its marks
		if end, err := l.openBreaker(); end != nil || err != nil {
			return end, err
		}
	}
	if err := l.beforeWork(ctx); err != nil {
		return nil, err
	}
	v := l.judged(nil, false)
	switch {
	case v.Waiting:
		return l.waitingForAnswers(), nil
	case l.onlyTaken():
		return l.waitingForTaken(), nil
	case v.Done && len(l.gate.Standing()) == 0:
		return &End{Reason: journal.Reason(v.Reason), Message: "the plan was done already: " + l.left()}, nil
	case v.Done:
		l.notes.add("Every item of the plan is marked as done, but a quality check fails: " + l.redNames() + ". Mend what it complains about.")
	}
	return nil, nil
}

// trouble turns an error into the end of the run.
func (l *Loop) trouble(ctx context.Context, err error) End {
	var missing *agent.MissingError
	switch {
	case errors.As(err, &missing):
		return End{Reason: journal.ReasonAgentMissing, Message: err.Error()}
	case ctx.Err() != nil && errors.Is(err, context.Cause(ctx)), errors.Is(err, context.Canceled):
		return told(ctx)
	}
	return End{Reason: journal.ReasonError, Message: err.Error()}
}

// told is the end of a run that was told to end.
func told(ctx context.Context) End {
	if errors.Is(context.Cause(ctx), ErrInterrupted) {
		return End{Reason: journal.ReasonInterrupted, Message: "ended by Ctrl-C; what was finished is kept", Hint: "go on with 'ralph run'"}
	}
	return End{Reason: journal.ReasonStopped, Message: "ended by a signal or 'ralph stop'; what was finished is kept", Hint: "go on with 'ralph run'"}
}

// stories is the plan as ralph believes it.
func (l *Loop) stories() []journal.Story {
	list := make([]journal.Story, 0, len(l.state.Items))
	for _, it := range l.state.Items {
		list = append(list, journal.Story{ID: it.ID, Title: it.Title, Done: it.Done && l.accepted[it.ID]})
	}
	return list
}

// left says in words how far the plan is.
func (l *Loop) left() string { return l.Plan.Left(l.counted()) }

// keepTakenOver notes the marks of a plan that ralph sees for the first time.
func (l *Loop) keepTakenOver() {
	for _, id := range l.state.Done() {
		l.takenOver[id] = true
	}
	if n := len(l.takenOver); n > 0 {
		l.late = append(l.late, count(n, "item")+" had been marked as done before ralph first saw this plan, taken over and not proved: "+list(l.state.Done()))
	}
}

// onlyTaken reports whether nothing is left to do but marks that a person has to decide on.
func (l *Loop) onlyTaken() bool {
	return len(l.waiting) > 0 && l.state.Open() == 0 && len(missing(l.takenIDs(), l.waiting)) == 0
}

// boxes reports whether the marks of the plan are boxes of a checklist.
func (l *Loop) boxes() bool { return l.Plan.Kind() != plan.KindPRD }

// takenIDs returns the marks that were taken over, in the plan's order.
func (l *Loop) takenIDs() []string {
	return overlap(l.state.Done(), slices.Collect(maps.Keys(l.takenOver)))
}

func (l *Loop) waitingForTaken() *End {
	return &End{Reason: journal.ReasonWaitingForPerson,
		Message: "only what was marked before ralph first saw the plan is left, and has no receipt: " + list(l.waiting),
		Hint:    "fetch the receipts: " + evidence.FetchNotes + "; or accept: " + allowHint(l.waiting) + "; then start ralph again"}
}

func (l *Loop) waitingForAnswers() *End {
	return &End{Reason: journal.ReasonWaitingForPerson, Message: "only questions for a person are left: " + list(l.state.Questions()),
		Hint: "answer them in the checklist, then start ralph again"}
}

func deref(e *End) End {
	if e == nil {
		return End{}
	}
	return *e
}

func timePtr(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// missing returns the elements of a that are not in b, in their order.
func missing(a, b []string) []string {
	return slices.DeleteFunc(slices.Clone(a), func(s string) bool { return slices.Contains(b, s) })
}
