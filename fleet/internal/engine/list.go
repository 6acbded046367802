package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"go.temporal.io/api/workflowservice/v1"

	"ralph/fleet/internal/feature"
)

// List returns the features of the namespace, open ones first, the latest first
// among each. With active set it leaves the finished ones out.
func (e Engine) List(ctx context.Context, active bool) ([]View, error) {
	query := fmt.Sprintf("WorkflowType = '%s'", feature.WorkflowName)
	if active { // the next history of a feature may be in no list yet, when the last one is closed
		query += " AND ExecutionStatus IN ('Running', 'ContinuedAsNew')"
	}
	var views []View
	var token []byte
	for {
		page, err := e.Client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{Query: query, PageSize: 200, NextPageToken: token})
		if err != nil {
			return nil, fmt.Errorf("the features cannot be listed: %w", err)
		}
		for _, x := range page.Executions {
			views = append(views, viewOf(x))
		}
		if token = page.NextPageToken; len(token) == 0 {
			break
		}
	}
	views, err := e.lookAtAll(ctx, newest(views))
	if err != nil {
		return nil, err
	}
	if active {
		views = slices.DeleteFunc(views, func(v View) bool { return !v.Open() })
	}
	slices.SortFunc(views, func(a, b View) int {
		if a.Open() != b.Open() {
			if a.Open() {
				return -1
			}
			return 1
		}
		return b.Started.Compare(a.Started)
	})
	return views, e.sayWhyQueued(ctx, views)
}

// newest leaves of each feature the history that began last.
func newest(views []View) []View {
	slices.SortStableFunc(views, func(a, b View) int { return b.began.Compare(a.began) })
	seen := map[string]bool{}
	return slices.DeleteFunc(views, func(v View) bool {
		known := seen[v.ID]
		seen[v.ID] = true
		return known
	})
}

// lookAtAll reads the hosts' last reports of the running features, and finds those that have
// continued in another history. It leaves out what the server has forgotten meanwhile.
func (e Engine) lookAtAll(ctx context.Context, views []View) ([]View, error) {
	const atOnce = 16
	slots := make(chan struct{}, atOnce)
	errs := make([]error, len(views))
	var wg sync.WaitGroup
	for i := range views {
		if working := views[i].Open() && views[i].Standing.Phase == feature.Working; !working && !views[i].wentOn {
			continue
		}
		slots <- struct{}{}
		wg.Go(func() {
			defer func() { <-slots }()
			errs[i] = e.look(ctx, &views[i])
		})
	}
	wg.Wait()
	var there []View
	for i, err := range errs {
		if !errors.Is(err, ErrUnknown) {
			there = append(there, views[i])
			continue
		}
		errs[i] = nil
	}
	return there, errors.Join(errs...)
}
