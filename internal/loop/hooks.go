package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"ralph/internal/check"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/proc"
	"ralph/internal/recorder"
)

// Hooks holds the user's shell commands that run at points of a run. An empty command means
// no hook.
type Hooks struct {
	BeforeRun, BeforeIteration, AfterIteration, StoryDone, AfterRun string

	Timeout time.Duration // of each
}

// hooks runs the hooks of one run.
type hooks struct {
	Hooks
	run, unit, branch, root string
	env                     []string
	keeper                  *proc.Keeper
	recorder                *recorder.Recorder
	working                 func(what string)
}

// hooked is what a hook reads in addition to the keys of the event.
type hooked struct {
	Hook     string         `json:"hook"`
	Unit     string         `json:"unit,omitempty"`
	Branch   string         `json:"branch,omitempty"`
	Worktree string         `json:"worktree,omitempty"`
	Story    *journal.Story `json:"story,omitempty"`
}

// before runs a hook that has to succeed.
func (h *hooks) before(ctx context.Context, name, command string, b journal.Body) error {
	return h.call(ctx, hooked{Hook: name}, command, b)
}

// storiesDone runs the hook of accepted stories, once for each.
func (h *hooks) storiesDone(ctx context.Context, s plan.State, b journal.ClaimAccepted) error {
	for _, id := range b.Stories {
		one := b
		one.Stories = []string{id}
		story := &journal.Story{ID: id, Done: true}
		if it := s.Item(id); it != nil {
			story.Title = it.Title
		}
		if err := h.after(ctx, hooked{Hook: "story_done", Story: story}, h.StoryDone, one); err != nil {
			return err
		}
	}
	return nil
}

// after runs a hook. Its failure is only a warning.
func (h *hooks) after(ctx context.Context, in hooked, command string, b journal.Body) error {
	err := h.call(ctx, in, command, b)
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return h.recorder.Warn("%v", err)
}

// call runs a command under the guardian, with the event on its standard input.
func (h *hooks) call(ctx context.Context, in hooked, command string, b journal.Body) error {
	if strings.TrimSpace(command) == "" {
		return nil
	}
	h.working("hook " + in.Hook)
	if _, has := b.(journal.RunStarted); !has { // which has these keys itself
		in.Unit, in.Branch, in.Worktree = h.unit, h.branch, h.root
	}
	event, err := journal.Event{Time: time.Now(), Run: h.run, Body: b}.MarshalJSON()
	if err != nil {
		return err
	}
	more, err := json.Marshal(in)
	if err != nil {
		return err
	}
	input := append(bytes.TrimSuffix(event, []byte("}")), ',')
	input = append(append(input, more[1:]...), '\n')
	g, err := h.keeper.Get()
	if err != nil {
		return err
	}
	c := check.Check{Name: in.Hook, Command: command, Timeout: h.Timeout, Input: input}
	r, err := check.Run(ctx, g, c, h.root, h.env)
	switch {
	case err != nil:
		return fmt.Errorf("hook %s: %w", in.Hook, err)
	case r.Green():
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case r.Outcome == journal.CheckTimeout:
		return fmt.Errorf("hook %s was ended after %s (hooks.timeout_seconds)%s", in.Hook, h.Timeout, said(r.Tail))
	}
	return fmt.Errorf("hook %s failed with exit status %d%s", in.Hook, r.ExitCode, said(r.Tail))
}

// said returns the end of what a command printed, in one line with a colon before it.
func said(tail string) string {
	const most = 500
	text := strings.Join(strings.Fields(tail), " ")
	if text == "" {
		return ""
	}
	if runes := []rune(text); len(runes) > most {
		text = "…" + string(runes[len(runes)-most:])
	}
	return ": " + text
}
