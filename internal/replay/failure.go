package replay

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// The steps of this file shape the result: calls that the provider refuses, in
// Claude Code's own words, and the figures of a session that went well.

// limitStep ends the turn at the account's usage limit.
type limitStep struct {
	ResetsIn duration `yaml:"resets_in"`
	Window   string   `yaml:"window"` // five_hour (the default) or seven_day
}

func (s *limitStep) check() error {
	switch s.Window {
	case "", "five_hour", "seven_day":
		return nil
	}
	return fmt.Errorf("window %q is neither five_hour nor seven_day", s.Window)
}

func (s *limitStep) play(_ context.Context, p *player) error {
	window, word := "five_hour", "session"
	if s.Window == "seven_day" {
		window, word = s.Window, "weekly"
	}
	// The stream has whole seconds: rounded up, so that the limit is over by then.
	resets := time.Now().Add(time.Duration(s.ResetsIn) + time.Second - time.Nanosecond).Truncate(time.Second).UTC()
	clock := resets.Format("3:04pm")
	if resets.Minute() == 0 {
		clock = resets.Format("3pm")
	}
	p.out.emit(line{Type: "rate_limit_event", Limit: &limitInfo{
		Status: "rejected", ResetsAt: resets.Unix(), Window: window}})
	return p.refused(429, "rate_limit", fmt.Sprintf("You've hit your %s limit · resets %s (UTC)", word, clock))
}

// overloadedStep ends the turn because the provider is overloaded.
type overloadedStep struct{ flag }

func (s *overloadedStep) play(_ context.Context, p *player) error {
	p.retried(529, "overloaded")
	return p.refused(529, "server_error", "API Error: 529 Overloaded. This is a server-side issue, "+
		"usually temporary — try again in a moment.")
}

// authErrorStep ends the turn because the provider does not know the key.
type authErrorStep struct{ flag }

func (s *authErrorStep) play(_ context.Context, p *player) error {
	p.retried(401, "authentication_failed")
	return p.refused(401, "authentication_failed", "Invalid API key · Fix external API key")
}

func (p *player) retried(status int, class string) {
	p.out.emit(line{Type: "system", Subtype: "api_retry", Error: class,
		retry: &retry{Attempt: 1, Max: 1, DelayMS: 500, Status: status}})
}

// refused ends the turn with the result of a call that the provider refused.
func (p *player) refused(status int, class, text string) error {
	p.out.synthetic(class, text)
	p.end.result.refuse(status, text)
	p.end.isSet, p.end.promise, p.end.recorded = false, "", false
	p.end.code = 1
	return errTurnOver
}

// noResultStep breaks the stream off: it will have no terminal event.
type noResultStep struct{ flag }

func (s *noResultStep) play(_ context.Context, p *player) error {
	p.end.noResult = true
	return nil
}

// denyStep names tools that the agent was not permitted to use.
type denyStep []string

func (s *denyStep) play(_ context.Context, p *player) error {
	for _, tool := range *s {
		input := map[string]any{}
		id := p.out.tool(tool, input)
		p.out.answer(id, "Claude requested permissions to use "+tool+", but you haven't granted it yet.", true)
		p.end.result.Denials = append(p.end.result.Denials, denial{Tool: tool, ID: id, Input: input})
	}
	return nil
}

// tokensStep sets the tokens that the result tells.
type tokensStep struct {
	Input      int64 `yaml:"input"`
	Output     int64 `yaml:"output"`
	CacheRead  int64 `yaml:"cache_read"`
	CacheWrite int64 `yaml:"cache_write"`
}

func (s *tokensStep) play(_ context.Context, p *player) error {
	p.end.result.Usage = usage{Input: s.Input, Output: s.Output, CacheRead: s.CacheRead, CacheWrite: s.CacheWrite}
	return nil
}

// costStep sets the cost that the result tells, in US dollars.
type costStep float64

func (s *costStep) check() error {
	if *s < 0 {
		return errors.New("a cost is not negative")
	}
	return nil
}

func (s *costStep) play(_ context.Context, p *player) error {
	p.end.result.CostUSD = float64(*s)
	return nil
}
