package loop

import (
	"strings"
	"time"

	"ralph/internal/agent"
	"ralph/internal/journal"
	"ralph/internal/run"
)

// takeSettings takes over what the user has changed of the settings. It comes before each
// step: the next one is decided with them.
func (l *Loop) takeSettings() error {
	for _, m := range l.requests.of(journal.RequestSet) {
		if err := l.change(m.Request); err != nil {
			return err
		}
		if err := l.Inbox.Done(m.Name); err != nil {
			return err
		}
	}
	return nil
}

// change changes the settings of the run, and those of its own agent.
func (l *Loop) change(q journal.Request) error {
	c := run.Changeable{RunRules: l.rules(), TimeoutSeconds: l.Limits.Timeout.Seconds(), IdleSeconds: l.Limits.Idle.Seconds()}
	if err := c.Set(q.Set); err != nil {
		return l.Recorder.Warn("the settings stay as they are (%s): %v", strings.TrimSpace(q.Text), err)
	}
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	l.MaxIterations, l.MinIterations, l.NoProgress, l.SameError = c.MaxIterations, c.MinIterations, c.NoProgress, c.SameError
	l.Pause, l.OnLimit, l.MaxWait = seconds(c.PauseSeconds), c.OnLimit, seconds(3600*c.MaxWaitHours)
	l.MaxTokens, l.MaxCost, l.MaxTime, l.MaxAccount = c.MaxTokens, c.MaxCostUSD, seconds(c.MaxTimeSeconds), c.MaxAccount
	l.Limits = agent.Limits{Timeout: seconds(c.TimeoutSeconds), Idle: seconds(c.IdleSeconds)}
	l.Agents[0].Options.Model, l.team.Limits = c.Model, l.Limits
	return l.Recorder.Record(q)
}

// rules are the settings that decide the next step.
func (l *Loop) rules() journal.RunRules {
	return journal.RunRules{MaxIterations: l.MaxIterations, MinIterations: l.MinIterations, NoProgress: l.NoProgress, SameError: l.SameError,
		InstantExits: l.InstantExits, OnLimit: l.OnLimit, MaxWaitHours: l.MaxWait.Hours(),
		PauseSeconds: l.Pause.Seconds(), TransientSeconds: l.Transient.Seconds(),
		MaxTokens: l.MaxTokens, MaxCostUSD: l.MaxCost, ResetCircuit: l.ResetCircuit, OnStuck: l.OnStuck,
		MaxTimeSeconds: l.MaxTime.Seconds(), EndsAt: journal.TimePtr(l.EndsAt), MaxAccount: l.MaxAccount,
		Model: l.Agents[0].Options.Model, Escalate: l.Escalate}
}
