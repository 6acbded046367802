package engine

import (
	"context"
	"log/slog"
	"strings"
	"testing"
	"time"

	common "go.temporal.io/api/common/v1"
	"go.temporal.io/api/enums/v1"
	"go.temporal.io/api/serviceerror"
	"go.temporal.io/api/taskqueue/v1"
	"go.temporal.io/api/workflow/v1"
	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/converter"
	"google.golang.org/protobuf/types/known/timestamppb"

	"ralph/fleet/internal/feature"
)

// shelf is a frontend with an outdated list: it has some histories, and the newest one of each
// workflow is elsewhere.
type shelf struct {
	frontend
	listed []*workflow.WorkflowExecutionInfo
	newest map[string]*workflow.WorkflowExecutionInfo
}

func (s shelf) ListWorkflowExecutions(_ context.Context, q *workflowservice.ListWorkflowExecutionsRequest) (*workflowservice.ListWorkflowExecutionsResponse, error) {
	answer := &workflowservice.ListWorkflowExecutionsResponse{}
	for _, x := range s.listed {
		if !strings.Contains(q.Query, "ExecutionStatus") || strings.Contains(q.Query, "'"+x.Status.String()+"'") {
			answer.Executions = append(answer.Executions, x)
		}
	}
	return answer, nil
}

func (s shelf) DescribeWorkflowExecution(_ context.Context, q *workflowservice.DescribeWorkflowExecutionRequest) (*workflowservice.DescribeWorkflowExecutionResponse, error) {
	if x := s.newest[q.Execution.WorkflowId]; x != nil {
		return &workflowservice.DescribeWorkflowExecutionResponse{WorkflowExecutionInfo: x}, nil
	}
	return nil, serviceerror.ToStatus(serviceerror.NewNotFound("no such workflow")).Err()
}

func (s shelf) DescribeTaskQueue(context.Context, *workflowservice.DescribeTaskQueueRequest) (*workflowservice.DescribeTaskQueueResponse, error) {
	return &workflowservice.DescribeTaskQueueResponse{Pollers: []*taskqueue.PollerInfo{{Identity: "a"}}}, nil
}

// history is one that began at a minute, and has ended unless it runs.
func history(t *testing.T, id string, minute int, status enums.WorkflowExecutionStatus, at feature.Standing) *workflow.WorkflowExecutionInfo {
	t.Helper()
	memo, err := converter.GetDefaultDataConverter().ToPayload(at)
	if err != nil {
		t.Fatal(err)
	}
	began := time.Date(2026, 11, 21, 12, minute, 0, 0, time.UTC)
	x := &workflow.WorkflowExecutionInfo{Execution: &common.WorkflowExecution{WorkflowId: id, RunId: began.String()}, Status: status,
		StartTime: timestamppb.New(began), Memo: &common.Memo{Fields: map[string]*common.Payload{feature.MemoStanding: memo}}}
	if status != enums.WORKFLOW_EXECUTION_STATUS_RUNNING {
		x.CloseTime = timestamppb.New(began.Add(time.Second))
	}
	return x
}

// A feature continues in a new history that is in no list yet.
func TestFeatureBetweenTwoHistories(t *testing.T) {
	const running, wentOn, over = enums.WORKFLOW_EXECUTION_STATUS_RUNNING, enums.WORKFLOW_EXECUTION_STATUS_CONTINUED_AS_NEW, enums.WORKFLOW_EXECUTION_STATUS_COMPLETED
	at := func(branch string, phase feature.Phase) feature.Standing {
		return feature.Standing{Submission: feature.Submission{Branch: branch}, Phase: phase, Outcome: feature.Done}
	}
	const moving, finished, forgotten = "ralph/shop-1/moving", "ralph/shop-1/finished", "ralph/shop-1/forgotten"
	server := shelf{
		listed: []*workflow.WorkflowExecutionInfo{
			history(t, moving, 1, over, at("moving", feature.Finished)), // an earlier submission
			history(t, moving, 2, wentOn, at("moving", feature.Waiting)),
			history(t, finished, 1, wentOn, at("finished", feature.Working)),
			history(t, finished, 2, over, at("finished", feature.Finished)),
			history(t, forgotten, 1, wentOn, at("forgotten", feature.Working)),
		},
		newest: map[string]*workflow.WorkflowExecutionInfo{
			moving:   history(t, moving, 3, running, at("moving", feature.Paused)),
			finished: history(t, finished, 2, over, at("finished", feature.Finished)),
		},
	}
	c, err := Address{Address: serve(t, server, nil), Namespace: "team"}.Connect(t.Context(), slog.New(slog.DiscardHandler))
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	e := Engine{Client: c}
	for active, want := range map[bool]string{false: moving + " paused, " + finished + " done", true: moving + " paused"} {
		views, err := e.List(t.Context(), active)
		if err != nil {
			t.Fatal(err)
		}
		var got []string
		for _, v := range views {
			got = append(got, v.ID+" "+v.State)
		}
		if strings.Join(got, ", ") != want {
			t.Errorf("active %v: %q, want %s", active, got, want)
		}
	}
	if v, err := e.Find(t.Context(), "moving"); err != nil || v.State != "paused" {
		t.Errorf("by its branch it is %q, %v", v.State, err)
	}
}
