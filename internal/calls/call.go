package calls

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/proc"
	"ralph/internal/ratelimit"
	"ralph/internal/stream"
)

// Take asks the ledger for a call of the current agent, and counts it if the ledger allows it.
func (t *Team) Take(ctx context.Context) (ratelimit.Grant, error) {
	t.taken = time.Now()
	var err error
	if t.grant, err = t.at.ledger.Take(ctx, t.taken); err != nil {
		return t.grant, err
	}
	if t.grant.Damaged != nil {
		err = t.Recorder.Warn("%v", t.grant.Damaged)
	}
	return t.grant, err
}

// Call calls the current agent and records the start and the end of the attempt. Call Take
// first, which counts the call. hear gets every event of the agent's output.
func (t *Team) Call(ctx context.Context, n, attempt int, prompt []byte, hear func(stream.Event)) (agent.Outcome, error) {
	g, err := t.Keeper.Get()
	if err != nil {
		return agent.Outcome{}, err
	}
	start, err := t.started(n, attempt, fmt.Sprintf("iteration-%d.log", n))
	if err != nil {
		return agent.Outcome{}, err
	}
	if err := t.Recorder.Record(start); err != nil {
		return agent.Outcome{}, err
	}
	var recordErr error
	call := t.call(start, prompt)
	call.Event, call.Drained = t.listening(ctx, hear), t.Drained
	call.Started = func(id proc.ID) {
		e := journal.AgentStarted{N: n, Attempt: attempt, PID: id.PID, PIDStart: id.Start}
		recordErr = t.Recorder.Record(e)
	}
	o, err := t.make(ctx, g, call)
	if err == nil {
		err = recordErr
	}
	ended := o
	if err != nil && o.Kind == "" {
		ended.Kind, ended.Message = journal.OutcomeError, err.Error()
	}
	// Every attempt that was started gets its end on record, whatever failed.
	if endErr := t.ended(n, attempt, ended); err == nil {
		err = endErr
	}
	return o, err
}

// call is a call of the agent that works, as far as all calls are alike.
func (t *Team) call(start journal.AttemptStarted, prompt []byte) agent.Call {
	return agent.Call{
		Harness: t.at.Harness, Options: t.at.Options, Prompt: prompt, Dir: t.Root, Env: t.Env,
		Extra: []string{"RALPH_UNIT=" + t.Unit, "RALPH_STORY=" + t.Story,
			fmt.Sprintf("RALPH_ITERATION=%d", start.N),
			fmt.Sprintf("RALPH_ATTEMPT=%d", start.Attempt)},
		Limits: t.Limits, Log: filepath.Join(t.Root, start.LogFile),
	}
}

// make makes a call that is on record, and settles it with the ledger.
func (t *Team) make(ctx context.Context, g *proc.Guardian, c agent.Call) (agent.Outcome, error) {
	o, err := agent.Run(ctx, g, c)
	for _, text := range o.Boundary {
		if err == nil {
			err = t.Recorder.Warn("%s", text)
		}
	}
	if err == nil && o.LogLost != nil {
		err = t.Recorder.Warn("%v", o.LogLost)
	}
	var missing *agent.MissingError
	if errors.As(err, &missing) { // the agent was not started: no call was made
		if back := t.at.ledger.GiveBack(context.WithoutCancel(ctx), t.taken); back != nil {
			err = errors.Join(back, err)
		}
	}
	if probeErr := t.settleProbe(ctx, o); err == nil {
		err = probeErr
	}
	return o, err
}

// started is the record of an attempt that starts now, with a log of that name. It makes the
// folder of the log.
func (t *Team) started(n, attempt int, name string) (journal.AttemptStarted, error) {
	log := filepath.Join(t.LogDir, name)
	// An agent that tidied up may have removed the folder.
	if err := os.MkdirAll(filepath.Join(t.Root, t.LogDir), 0o755); err != nil {
		return journal.AttemptStarted{}, fmt.Errorf("the agent's log cannot be written: %w", err)
	}
	offset := int64(0) // an earlier attempt may have written to the log
	if info, err := os.Stat(filepath.Join(t.Root, log)); err == nil {
		offset = info.Size()
	}
	return journal.AttemptStarted{
		N: n, Attempt: attempt, Harness: t.at.Harness.Name, Model: t.at.Options.Model, LogFile: log, LogOffset: offset, Output: string(t.at.Harness.Output),
		CallsUsed: t.grant.Used, CallsLimit: t.grant.Limit, CallsResetAt: journal.TimePtr(t.grant.ResetsAt),
	}, nil
}

// ended records the end of an attempt.
func (t *Team) ended(n, attempt int, o agent.Outcome) error {
	s := o.Summary
	e := journal.AttemptEnded{
		N: n, Attempt: attempt, Outcome: o.Kind, Message: o.Message, Hint: o.Hint, ExitCode: o.Exit.Code,
		DurationSeconds: o.Duration.Seconds(), Tokens: s.Tokens, TokensEstimated: s.Estimated, CostUSD: cost(s),
		Session: s.Session, Model: s.Model, ResetsAt: journal.TimePtr(o.ResetsAt), ModelLimit: o.Kind == journal.OutcomeUsageLimit && o.OfModel,
		Promised: t.Promised(o), Strays: o.Strays, BrokenLines: s.Broken, Limits: windows(s.Limits),
	}
	if o.Exit.Signal != 0 {
		e.Signal = o.Exit.Signal.String()
	}
	for _, d := range s.Denied {
		e.Denied = append(e.Denied, d.Tool)
	}
	if err := t.Recorder.RecordOrRetry(e); err != nil || len(e.Denied) == 0 {
		return err
	}
	calls := "1 call"
	if len(e.Denied) > 1 {
		calls = fmt.Sprintf("%d calls", len(e.Denied))
	}
	return t.Recorder.Warn("the agent was not permitted to use %s (%s); %s", strings.Join(e.Denied, ", "), calls, t.at.Harness.Permission)
}

// cost returns the cost of a call; nil if the agent did not report it.
func cost(s stream.Summary) *float64 {
	if !s.HasCost {
		return nil
	}
	return &s.CostUSD
}

// Promised reports whether the agent's final message contains the completion promise.
func (t *Team) Promised(o agent.Outcome) bool {
	return o.HasFinal && plan.Promised(o.Final, t.Promise)
}

// windows returns the account's limits in the words of the journal.
func windows(limits []stream.Limit) []journal.LimitWindow {
	var list []journal.LimitWindow
	for _, l := range limits {
		w := journal.LimitWindow{Window: l.Window, ResetsAt: journal.TimePtr(l.ResetsAt), Rejected: l.Rejected}
		if l.Utilization >= 0 {
			w.Utilization = &l.Utilization
		}
		list = append(list, w)
	}
	return list
}
