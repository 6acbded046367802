package flow

import (
	"maps"
	"slices"
	"time"

	"go.temporal.io/sdk/workflow"

	"ralph/fleet/internal/feature"
)

const (
	maxHours = 26  // that an account remembers
	maxRuns  = 300 // runs with a known number of taken calls
)

// Account counts the calls of one account to one harness, one update for each, and
// holds all hosts back while the provider refuses. It never ends by itself.
func Account(ctx workflow.Context, a feature.Account) error {
	if a.Hours == nil {
		a.Hours = map[string]int{}
	}
	if a.Runs == nil {
		a.Runs = map[string]feature.Took{}
	}
	handlers := map[string]any{
		feature.UpdateTake: func(ctx workflow.Context, t feature.Take) (feature.Grant, error) {
			return take(&a, t, workflow.Now(ctx)), nil
		},
		feature.UpdateVoid: func(ctx workflow.Context, t feature.Take) error {
			void(&a, t)
			return nil
		},
		feature.UpdateLimit: func(ctx workflow.Context, l feature.Limit) error {
			a.Limited, a.Note, a.By = l.Until, l.Note, l.Host
			return nil
		},
		feature.UpdateSettle: func(ctx workflow.Context, s feature.Settle) error {
			settle(&a, s)
			return nil
		},
	}
	for _, name := range slices.Sorted(maps.Keys(handlers)) {
		if err := workflow.SetUpdateHandler(ctx, name, handlers[name]); err != nil {
			return err
		}
	}
	if err := workflow.SetQueryHandler(ctx, feature.QueryAccount, func() (feature.Account, error) {
		known := a
		known.Runs = nil // which is for no one else, and can be long
		return known, nil
	}); err != nil {
		return err
	}
	err := workflow.Await(ctx, func() bool {
		return workflow.GetInfo(ctx).GetContinueAsNewSuggested() && workflow.AllHandlersFinished(ctx)
	})
	if err != nil {
		return err
	}
	return workflow.NewContinueAsNewError(ctx, feature.AccountName, a)
}

// take counts a call, if the limit of the loop and the provider allow it.
func take(a *feature.Account, t feature.Take, now time.Time) feature.Grant {
	hour := feature.Hour(now)
	g := feature.Grant{Used: a.Hours[hour], ResetsAt: now.UTC().Truncate(time.Hour).Add(time.Hour), Now: now}
	if a.Limited.After(now) {
		g.Limited, g.Note = a.Limited, a.Note
	}
	took := a.Runs[t.Run]
	if t.Seq > 0 && t.Seq == took.Seq { // the answer was lost on its way
		g.OK = took.OK
		return g
	}
	g.OK = g.Limited.IsZero() && (t.Limit <= 0 || g.Used < t.Limit)
	took.Seq, took.OK = t.Seq, g.OK
	if g.OK {
		g.Used++
		a.Total++
		a.Hours[hour] = g.Used
		took.Calls++
		took.Hour = hour
	}
	remember(a, t.Run, took)
	return g
}

// void cancels a take: its run has gone before it had the answer. A take that arrives later is
// refused, as is a repeated one.
func void(a *feature.Account, t feature.Take) {
	took := a.Runs[t.Run]
	if t.Seq < took.Seq {
		return // the run has gone on to another one, and so it had the answer
	}
	if t.Seq == took.Seq && took.OK && a.Hours[took.Hour] > 0 {
		a.Hours[took.Hour]--
		a.Total--
		took.Calls--
	}
	took.Seq, took.OK = t.Seq, false
	remember(a, t.Run, took)
}

func remember(a *feature.Account, run string, took feature.Took) {
	a.Taken++
	took.At = a.Taken
	a.Runs[run] = took
	forget(a)
}

// forget drops the oldest hours and runs.
func forget(a *feature.Account) {
	for len(a.Hours) > maxHours {
		delete(a.Hours, slices.Min(slices.Collect(maps.Keys(a.Hours)))) // they sort by time
	}
	for len(a.Runs) > maxRuns {
		oldest := slices.MinFunc(slices.Collect(maps.Keys(a.Runs)), func(x, y string) int { return a.Runs[x].At - a.Runs[y].At })
		delete(a.Runs, oldest)
	}
}

// settle gives back what a run that died has taken beyond what it has on record.
func settle(a *feature.Account, s feature.Settle) {
	took, ok := a.Runs[s.Run]
	if over := took.Calls - s.Calls; ok && over > 0 && a.Hours[took.Hour] >= over {
		a.Hours[took.Hour] -= over
		a.Total -= over
	}
	delete(a.Runs, s.Run)
}
