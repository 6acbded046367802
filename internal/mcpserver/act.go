package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ralph/internal/hint"
	"ralph/internal/preflight"
	"ralph/internal/unit"
)

// addActing adds the tools that change something.
func (s *server) addActing() {
	yes := true
	addTool(s.Server, &mcp.Tool{Name: "stop_loop", Description: "End the loop of a unit and everything it started, and wait until it has ended.",
		Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes, IdempotentHint: true}}, s.stop)
	if s.Start != nil {
		addTool(s.Server, &mcp.Tool{Name: "start_loop", Description: "Start a loop on a unit, in the background, in the worktree that has its branch checked out. It continues when this client ends.",
			Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes}}, s.start)
	}
}

type stopOut struct {
	unitOut
	Stopped bool   `json:"stopped" jsonschema:"a loop was running, and has ended because of this call"`
	Message string `json:"message"`
}

func (s *server) stop(ctx context.Context, in unitIn) (stopOut, error) {
	p, err := s.find(ctx, in)
	if err != nil {
		return stopOut{}, err
	}
	out := stopOut{unitOut: unitOut{p.Unit, p.Repo.Root}}
	asked, err := p.Stop()
	if err != nil {
		return out, err
	}
	if asked == nil {
		out.Message = fmt.Sprintf("no loop is running on %s: nothing to stop", p.Unit)
		return out, nil
	}
	out.Stopped, err = asked.Wait(ctx)
	if out.Message = p.Unit + " has stopped"; !out.Stopped {
		out.Message = p.Unit + " had ended by itself"
	}
	return out, err
}

type startIn struct {
	unitIn
	Prompt        string `json:"prompt,omitempty" jsonschema:"what to do, in words: in addition to the plan, or in place of one"`
	MaxIterations *int   `json:"maxIterations,omitempty" jsonschema:"end after so many iterations; default: as the settings say"`
}

type startOut struct {
	unitOut
	PID     int    `json:"pid" jsonschema:"of the loop"`
	Log     string `json:"log" jsonschema:"the file that gets what the loop prints: its events as JSON lines, and its errors"`
	Message string `json:"message"`
}

// start starts a loop that outlives this server.
func (s *server) start(ctx context.Context, in startIn) (startOut, error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	if in.MaxIterations != nil && *in.MaxIterations < 1 {
		return startOut{}, fmt.Errorf("the argument maxIterations must be at least 1, not %d", *in.MaxIterations)
	}
	p, change, err := s.checkedOut(ctx, in.unitIn)
	if err == nil && p.Refused != nil {
		err = p.Refused
	}
	switch {
	case err != nil:
		return startOut{}, err
	case p.Unit == "":
		return startOut{}, unit.ErrDetached
	case unit.Running(p):
		return startOut{}, fmt.Errorf("a loop is already running on %s", p.Unit)
	}
	task := Task{Change: change, Prompt: in.Prompt, MaxIterations: in.MaxIterations}
	report, err := s.Validate(ctx, p, task)
	if err == nil {
		err = obstacles(report)
	}
	if err != nil {
		return startOut{}, err
	}
	pid, ended, err := s.Start(ctx, p, task)
	out := startOut{unitOut{p.Unit, p.Repo.Root}, pid, p.StartLog(), "the loop is running; get_status shows its progress"}
	if ended {
		out.Message = "the loop has ended already; get_status shows how"
	}
	return out, err
}

// obstacles returns the errors of a report as one.
func obstacles(report preflight.Report) error {
	if report.OK {
		return nil
	}
	var found []string
	for _, c := range report.Checks {
		if c.Severity != preflight.Error {
			continue
		}
		text := strings.TrimSuffix(c.Message, ":")
		for _, d := range c.Details {
			text += ", " + d.String()
		}
		found = append(found, text)
	}
	return hint.With(errors.New("the run cannot start: "+strings.Join(found, "; ")), "the tool validate shows the details")
}
