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
)

// Hooks are the user's own commands around a run, lines for sh; an empty one is none.
type Hooks struct {
	BeforeRun, BeforeIteration, AfterIteration, StoryDone, AfterRun string

	Timeout time.Duration // of each
}

// hooked is what a hook reads besides the keys of the event.
type hooked struct {
	Hook     string         `json:"hook"`
	Unit     string         `json:"unit,omitempty"`
	Branch   string         `json:"branch,omitempty"`
	Worktree string         `json:"worktree,omitempty"`
	Story    *journal.Story `json:"story,omitempty"`
}

// before runs a hook that has to succeed.
func (l *Loop) before(ctx context.Context, name, command string, b journal.Body) error {
	return l.hook(ctx, hooked{Hook: name}, command, b)
}

// after runs a hook whose failure is only a warning.
func (l *Loop) after(ctx context.Context, h hooked, command string, b journal.Body) error {
	err := l.hook(ctx, h, command, b)
	if err == nil || ctx.Err() != nil {
		return nil
	}
	return l.warn("%v", err)
}

// storiesDone runs the hook of accepted stories, once for each.
func (l *Loop) storiesDone(ctx context.Context, b journal.ClaimAccepted) error {
	titles := map[string]string{}
	for _, it := range l.state.Items {
		titles[it.ID] = it.Title
	}
	for _, id := range b.Stories {
		one := b
		one.Stories = []string{id}
		story := &journal.Story{ID: id, Title: titles[id], Done: true}
		if err := l.after(ctx, hooked{Hook: "story_done", Story: story}, l.Hooks.StoryDone, one); err != nil {
			return err
		}
	}
	return nil
}

// hook runs a command under the guardian, with the event on its standard input.
func (l *Loop) hook(ctx context.Context, h hooked, command string, b journal.Body) error {
	if strings.TrimSpace(command) == "" {
		return nil
	}
	if l.Working != nil {
		l.Working("hook " + h.Hook)
	}
	if _, has := b.(journal.RunStarted); !has { // which has these keys itself
		h.Unit, h.Branch, h.Worktree = l.Unit, l.branch, l.Repo.Root
	}
	event, err := journal.Event{Time: time.Now(), Run: l.Identity.Run, Body: b}.MarshalJSON()
	if err != nil {
		return err
	}
	more, err := json.Marshal(h)
	if err != nil {
		return err
	}
	input := append(bytes.TrimSuffix(event, []byte("}")), ',')
	input = append(append(input, more[1:]...), '\n')
	g, err := l.Keeper.Get()
	if err != nil {
		return err
	}
	c := check.Check{Name: h.Hook, Command: command, Timeout: l.Hooks.Timeout, Input: input}
	r, err := check.Run(ctx, g, c, l.Repo.Root, l.Env)
	switch {
	case err != nil:
		return fmt.Errorf("hook %s: %w", h.Hook, err)
	case r.Green():
		return nil
	case ctx.Err() != nil:
		return context.Cause(ctx)
	case r.Outcome == journal.CheckTimeout:
		return fmt.Errorf("hook %s was ended after %s (hooks.timeout_seconds)%s", h.Hook, l.Hooks.Timeout, said(r.Tail))
	}
	return fmt.Errorf("hook %s failed with exit status %d%s", h.Hook, r.ExitCode, said(r.Tail))
}

// said is the end of what a command printed, in one line with a colon before it.
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
