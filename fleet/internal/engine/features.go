package engine

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"
	"go.temporal.io/sdk/temporal"

	"ralph/fleet/internal/feature"
	"ralph/fleet/internal/flow"
)

// ErrRunning is the answer to a submission of what is submitted already.
var ErrRunning = errors.New("is submitted already")

// ErrUnknown is the answer to a question about a feature that no one has submitted.
var ErrUnknown = errors.New("is not known here")

// ErrBroken is the state of a feature after someone ended its workflow from outside.
var ErrBroken = errors.New("is broken: its workflow was ended from outside")

// Engine queries and signals the workflows.
type Engine struct{ Client client.Client }

// Submit begins the life of a feature.
func (e Engine) Submit(ctx context.Context, s feature.Submission) error {
	_, err := e.Client.ExecuteWorkflow(ctx, client.StartWorkflowOptions{
		ID: s.ID(), TaskQueue: feature.Queue,
		WorkflowIDConflictPolicy:                 enums.WORKFLOW_ID_CONFLICT_POLICY_FAIL,
		WorkflowIDReusePolicy:                    enums.WORKFLOW_ID_REUSE_POLICY_ALLOW_DUPLICATE,
		WorkflowExecutionErrorWhenAlreadyStarted: true,
		Memo:                                     map[string]any{feature.MemoStanding: feature.Standing{Submission: s, Phase: feature.Working, Since: time.Now()}.ForLists()},
		StaticSummary:                            s.Branch,
	}, feature.WorkflowName, flow.Life{Submission: s})
	var started *serviceerror.WorkflowExecutionAlreadyStarted
	if errors.As(err, &started) {
		return fmt.Errorf("%s of %s %w; see 'ralph-fleet status %s'", s.Branch, s.Repo, ErrRunning, s.ID())
	}
	if err != nil {
		return fmt.Errorf("%s cannot be submitted: %w", s.Branch, err)
	}
	return nil
}

// View is a feature as the user sees it: the state of its workflow, and the last report of the
// running host.
type View struct {
	ID       string            `json:"id"`
	Run      string            `json:"run"`
	Standing feature.Standing  `json:"standing"`
	State    string            `json:"state"`          // queued, running, waiting, paused, stopping; done, failed, stopped; broken
	Live     *feature.Progress `json:"live,omitempty"` // of the turn running
	HeardAt  time.Time         `json:"heardAt,omitzero"`
	Waits    string            `json:"waits,omitempty"` // where it is queued and no worker asks for it
	Started  time.Time         `json:"startedAt"`
	Ended    time.Time         `json:"endedAt,omitzero"`

	began  time.Time // of the history
	wentOn bool      // in another history
}

// Open reports whether the feature is not finished.
func (v View) Open() bool { return v.Ended.IsZero() }

// Progress is how far the feature is, by the latest word of a host.
func (v View) Progress() feature.Progress {
	switch {
	case v.Live != nil && v.Live.Host != "":
		return *v.Live
	case v.Standing.Last != nil:
		return v.Standing.Last.Progress
	}
	return feature.Progress{}
}

// Find returns the one feature that the user names: by its id, its branch, or the
// end of one of them.
func (e Engine) Find(ctx context.Context, name string) (View, error) {
	one := []View{{ID: name}}
	err := e.look(ctx, &one[0])
	if err == nil {
		err = e.sayWhyQueued(ctx, one)
	}
	if !errors.Is(err, ErrUnknown) {
		return one[0], err
	}
	all, err := e.List(ctx, false)
	if err != nil {
		return View{}, err
	}
	var found []View
	for _, v := range all {
		if v.Standing.Submission.Branch == name || strings.HasSuffix(v.ID, "/"+name) {
			found = append(found, v)
		}
	}
	switch len(found) {
	case 0:
		return View{}, fmt.Errorf("%q %w; see 'ralph-fleet list'", name, ErrUnknown)
	case 1:
		return found[0], nil
	}
	var ids []string
	for _, v := range found {
		ids = append(ids, v.ID)
	}
	return View{}, fmt.Errorf("%q could be any of %s; give the whole id", name, strings.Join(ids, ", "))
}

// look asks the server about one feature.
func (e Engine) look(ctx context.Context, v *View) error {
	d, err := e.Client.DescribeWorkflowExecution(ctx, v.ID, "")
	var unknown *serviceerror.NotFound
	if errors.As(err, &unknown) {
		return fmt.Errorf("%q %w", v.ID, ErrUnknown)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", v.ID, err)
	}
	*v = viewOf(d.WorkflowExecutionInfo)
	for _, a := range d.PendingActivities {
		switch a.State {
		case enums.PENDING_ACTIVITY_STATE_STARTED:
			v.State = "running"
		case enums.PENDING_ACTIVITY_STATE_CANCEL_REQUESTED:
			v.State = "stopping"
		default:
			continue
		}
		v.Live = &feature.Progress{}
		decode(a.HeartbeatDetails, v.Live)
		v.HeardAt = a.LastHeartbeatTime.AsTime()
	}
	return nil
}

func viewOf(x *workflow.WorkflowExecutionInfo) View {
	v := View{ID: x.Execution.WorkflowId, Run: x.Execution.RunId, Started: x.StartTime.AsTime(), began: x.StartTime.AsTime(),
		wentOn: x.Status == enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW}
	if p := x.Memo.GetFields()[feature.MemoStanding]; p != nil {
		_ = converter.GetDefaultDataConverter().FromPayload(p, &v.Standing)
	}
	if at := v.Standing.Submitted; !at.IsZero() { // in an earlier history, where there have been several
		v.Started = at
	}
	if x.CloseTime != nil {
		v.Ended = x.CloseTime.AsTime()
	}
	v.State = state(x.Status, v.Standing)
	return v
}

// state is the word for a feature, where no host has a better one.
func state(s enums.WorkflowExecutionStatus, at feature.Standing) string {
	switch {
	case s == enums.WORKFLOW_EXECUTION_STATUS_RUNNING && at.Phase == feature.Working:
		return "queued"
	case s == enums.WORKFLOW_EXECUTION_STATUS_RUNNING:
		return string(at.Phase)
	case s == enums.WORKFLOW_EXECUTION_STATUS_COMPLETED && at.Outcome == feature.Ended:
		return "stopped"
	case s == enums.WORKFLOW_EXECUTION_STATUS_COMPLETED:
		return string(at.Outcome)
	}
	return "broken" // terminated, timed out, or the workflow's own fault
}

func decode(p *common.Payloads, to any) {
	if p != nil && len(p.Payloads) > 0 {
		_ = converter.GetDefaultDataConverter().FromPayloads(p, to)
	}
}

// Signal sends a signal to a feature, unless the feature is finished.
func (e Engine) Signal(ctx context.Context, v View, signal string) error {
	err := e.Client.SignalWorkflow(ctx, v.ID, "", signal, nil) // its history may have been cut since
	var gone *serviceerror.NotFound
	switch {
	case errors.As(err, &gone):
		return fmt.Errorf("%s has finished meanwhile; see 'ralph-fleet status %s'", v.ID, v.ID)
	case err != nil:
		return fmt.Errorf("cannot signal %s to %s: %w", v.ID, signal, err)
	}
	return nil
}

// Await waits until a feature is finished and returns what it has become.
func (e Engine) Await(ctx context.Context, v View) (feature.Standing, error) {
	var s feature.Standing
	err := e.Client.GetWorkflow(ctx, v.ID, v.Run).Get(ctx, &s)
	var ended *temporal.WorkflowExecutionError
	if errors.As(err, &ended) {
		return s, fmt.Errorf("%s %w; submit it again", v.ID, ErrBroken)
	}
	return s, err
}
