package engine

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"

	"ralph/fleet/internal/feature"
)

// update sends an update to an account's workflow, and starts the workflow if it does not exist.
// With the same id, a repeated update is carried out once.
func (e Engine) update(ctx context.Context, account, harness, name, id string, arg, to any) error {
	workflowID := feature.AccountID(account, harness)
	start := e.Client.NewWithStartWorkflowOperation(client.StartWorkflowOptions{
		ID: workflowID, TaskQueue: feature.Queue,
		WorkflowIDConflictPolicy: enums.WORKFLOW_ID_CONFLICT_POLICY_USE_EXISTING,
	}, feature.AccountName, feature.Account{})
	handle, err := e.Client.UpdateWithStartWorkflow(ctx, client.UpdateWithStartWorkflowOptions{
		StartWorkflowOperation: start,
		UpdateOptions: client.UpdateWorkflowOptions{
			UpdateID: id, WorkflowID: workflowID, UpdateName: name, Args: []any{arg},
			WaitForStage: client.WorkflowUpdateStageCompleted,
		},
	})
	if err == nil {
		err = handle.Get(ctx, to)
	}
	if err != nil {
		return fmt.Errorf("the ledger of %s: %w", workflowID, err)
	}
	return nil
}

// Take asks for a call.
func (e Engine) Take(ctx context.Context, account, harness string, t feature.Take) (feature.Grant, error) {
	var g feature.Grant
	err := e.update(ctx, account, harness, feature.UpdateTake, fmt.Sprintf("%s-%d", t.Run, t.Seq), t, &g)
	return g, err
}

// Void cancels a take that no one waits for any more, even if the take arrives later.
func (e Engine) Void(ctx context.Context, account, harness string, t feature.Take) error {
	return e.update(ctx, account, harness, feature.UpdateVoid, fmt.Sprintf("%s-%d-void", t.Run, t.Seq), t, nil)
}

// Limit reports to all hosts that the provider refuses calls.
func (e Engine) Limit(ctx context.Context, account, harness string, l feature.Limit) error {
	return e.update(ctx, account, harness, feature.UpdateLimit, "", l, nil)
}

// Settle gives back what a run that died took without making the call.
func (e Engine) Settle(ctx context.Context, account, harness string, s feature.Settle) error {
	return e.update(ctx, account, harness, feature.UpdateSettle, "", s, nil)
}

// answerLimit is how long the accounts may take to answer: a worker has to do it.
const answerLimit = 3 * time.Second

// AccountView is an account as the user sees it.
type AccountView struct {
	ID string `json:"id"`
	feature.Account
	Unknown bool `json:"unknown,omitempty"` // no worker was there to answer
}

// Accounts returns the accounts of the namespace.
func (e Engine) Accounts(ctx context.Context) ([]AccountView, error) {
	page, err := e.Client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
		Query: fmt.Sprintf("WorkflowType = '%s' AND ExecutionStatus = 'Running'", feature.AccountName)})
	if err != nil {
		return nil, fmt.Errorf("the accounts cannot be listed: %w", err)
	}
	ctx, cancel := context.WithTimeout(ctx, answerLimit)
	defer cancel()
	views := make([]AccountView, len(page.Executions))
	var wg sync.WaitGroup
	for i, x := range page.Executions {
		views[i].ID = x.Execution.WorkflowId
		wg.Go(func() {
			a, err := e.account(ctx, views[i].ID)
			views[i].Account, views[i].Unknown = a, err != nil
		})
	}
	wg.Wait()
	slices.SortFunc(views, func(a, b AccountView) int { return strings.Compare(a.ID, b.ID) })
	return views, nil
}

// Account reports what is known of an account: nothing, where no one has called yet.
func (e Engine) Account(ctx context.Context, account, harness string) (feature.Account, error) {
	a, err := e.account(ctx, feature.AccountID(account, harness))
	var none *serviceerror.NotFound
	if errors.As(err, &none) {
		return feature.Account{}, nil
	}
	return a, err
}

func (e Engine) account(ctx context.Context, id string) (a feature.Account, err error) {
	answer, err := e.Client.QueryWorkflow(ctx, id, "", feature.QueryAccount)
	if err == nil {
		err = answer.Get(&a)
	}
	return a, err
}
