package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"ralph/internal/handover"
	"ralph/internal/hint"
	"ralph/internal/preflight"
	"ralph/internal/proc"
	"ralph/internal/screen"
	"ralph/internal/unit"
)

// addActing offers the tools that change something.
func (s *mcpServer) addActing(allowStart bool) {
	yes := true
	addTool(s, &mcp.Tool{Name: "stop_loop", Description: "End the loop of a unit and everything it started, and wait until it has ended.",
		Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes, IdempotentHint: true}}, mcpStop)
	if allowStart {
		addTool(s, &mcp.Tool{Name: "start_loop", Description: "Start a loop on a unit, in the background, in the worktree that has its branch checked out. It goes on when this client ends.",
			Annotations: &mcp.ToolAnnotations{DestructiveHint: &yes}}, s.start)
	}
}

type mcpStopOut struct {
	Unit     string `json:"unit"`
	Worktree string `json:"worktree"`
	Stopped  bool   `json:"stopped" jsonschema:"a loop was at work, and has ended because it was asked to"`
	Message  string `json:"message"`
}

func mcpStop(a *app, in mcpUnit) (mcpStopOut, error) {
	p, err := in.find(a)
	if err != nil {
		return mcpStopOut{}, err
	}
	out := mcpStopOut{Unit: p.Unit, Worktree: p.Repo.Root}
	asked, err := p.Stop()
	if err != nil {
		return out, err
	}
	if asked == nil {
		out.Message = fmt.Sprintf("no loop is at work on %s: nothing to stop", p.Unit)
		return out, nil
	}
	out.Stopped, err = asked.Wait(a.ctx)
	if out.Message = p.Unit + " has stopped"; !out.Stopped {
		out.Message = p.Unit + " had ended by itself"
	}
	return out, err
}

type mcpStartIn struct {
	mcpUnit
	Prompt        string `json:"prompt,omitempty" jsonschema:"what to do, in words: in addition to the plan, or in place of one"`
	MaxIterations *int   `json:"maxIterations,omitempty" jsonschema:"end after so many iterations; default: as the settings say"`
}

type mcpStartOut struct {
	Unit     string `json:"unit"`
	Worktree string `json:"worktree"`
	PID      int    `json:"pid" jsonschema:"of the loop"`
	Log      string `json:"log" jsonschema:"the file that gets what the loop prints: its events as JSON lines, and its errors"`
	Message  string `json:"message"`
}

// start starts a loop that outlives this server.
func (s *mcpServer) start(a *app, in mcpStartIn) (mcpStartOut, error) {
	s.starting.Lock()
	defer s.starting.Unlock()
	if os.Getenv(proc.TokenVar) != "" {
		return mcpStartOut{}, errors.New("this server was started by an agent in a loop of ralph: what it starts would end with that agent")
	}
	if in.MaxIterations != nil && *in.MaxIterations < 1 {
		return mcpStartOut{}, fmt.Errorf("the argument maxIterations must be at least 1, not %d", *in.MaxIterations)
	}
	p, flags, err := in.checkedOut(a)
	if err == nil && p.Refused != nil {
		err = p.Refused
	}
	if err != nil {
		return mcpStartOut{}, err
	}
	if p.Unit == "" {
		return mcpStartOut{}, unit.ErrDetached
	}
	if unit.Running(p) {
		return mcpStartOut{}, fmt.Errorf("a loop is at work on %s already", p.Unit)
	}
	report, err := validate(a, p, flags, in.Prompt)
	if err == nil {
		err = obstacles(report)
	}
	if err != nil {
		return mcpStartOut{}, forClient(err)
	}
	return startNowhere(a, p, in.args(flags))
}

// startNowhere starts ralph on the unit as "ralph start --terminal none" does, and
// returns when it is at work.
func startNowhere(a *app, p *unit.Place, args []string) (mcpStartOut, error) {
	out := mcpStartOut{Unit: p.Unit, Worktree: p.Repo.Root, Log: p.StartLog(), Message: "the loop is at work; get_status tells how far it is"}
	parcel, err := handover.Here(args)
	if err != nil {
		return out, err
	}
	parcel.Dir = p.Repo.Root
	began := time.Now()
	b, err := nowhere(a.ctx, parcel, out.Log)
	if err != nil {
		return out, err
	}
	defer b.sent.Close()
	out.PID = b.sent.PID()
	_, report, err := b.untilUp(a.ctx, p, began)
	if err != nil || report == nil {
		return out, err
	}
	if _, ok := p.EndedSince(began); ok {
		out.Message = "the loop has ended already; get_status tells how"
		return out, nil
	}
	said := cmp.Or(report.Message, fmt.Sprintf("its exit status is %d", report.Exit))
	return out, hint.With(errors.New("the loop ended before it began: "+said), cmp.Or(report.Hint, b.lookInto()))
}

// args is the command line of the loop.
func (in mcpStartIn) args(flags loopFlags) []string {
	args := []string{"run", "--json", "--no-interactive"}
	if flags.Change != "" {
		args = append(args, "--change="+string(flags.Change))
	}
	if in.MaxIterations != nil {
		args = append(args, fmt.Sprintf("--max-iterations=%d", *in.MaxIterations))
	}
	if in.Prompt != "" {
		args = append(args, "--", in.Prompt)
	}
	return args
}

// obstacles says what of a report stands in the way of a run.
func obstacles(report preflight.Report) error {
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
	if report.OK {
		return nil
	}
	return hint.With(errors.New("the run cannot begin: "+strings.Join(found, "; ")), "the tool validate tells more")
}

// checkedOut is the unit as the place of a run, and the flags by which the run is
// one of the unit: its worktree must be at its branch, unless it is a change.
// Without a name it is whatever is checked out here.
func (u mcpUnit) checkedOut(a *app) (p *unit.Place, flags loopFlags, err error) {
	flags.NoInteractive = true
	if u.Unit == "" && u.Worktree == "" {
		p, err := unit.Worktree(a.ctx, "")
		return p, flags, forClient(err)
	}
	meant, err := u.find(a)
	if err != nil {
		return nil, flags, err
	}
	if p, err = unit.WorktreeAt(a.ctx, meant.Repo.Root, ""); err != nil {
		return nil, flags, err
	}
	r, err := meant.Record()
	if err != nil {
		return nil, flags, err
	}
	c, err := meant.Change(screen.Notes(a.t), r)
	switch {
	case err != nil:
		return nil, flags, err
	case c != nil:
		p.Work(c.ID, meant.Folder)
		flags.Change = c.ID
	case p.Unit != meant.Unit:
		return nil, flags, hint.With(fmt.Errorf("%s has another branch checked out than that of %s", p.Repo.Root, meant.Unit), "a run works on the branch that is checked out")
	}
	return p, flags, nil
}
