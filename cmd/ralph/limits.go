package main

import (
	"fmt"
	"math"
	"os"
	"slices"
	"strings"
	"time"

	"ralph/internal/agent"
	"ralph/internal/hint"
	"ralph/internal/limits"
	"ralph/internal/ratelimit"
	"ralph/internal/registry"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/words"
)

// limitsCmd is "ralph limits".
type limitsCmd struct {
	Clear string `predictor:"harness" help:"Forget the provider's limit of this agent, because it is over." placeholder:"HARNESS"`
	JSON  bool   `help:"Print JSON."`
}

// harnessLimits is what is known of one harness, and an element of the JSON list.
type harnessLimits struct {
	Harness         string          `json:"harness"`
	Calls           int             `json:"calls"`      // in this clock hour, of all loops of the user
	CallsLimit      int             `json:"callsLimit"` // of the settings here, or the lower one of a loop that waits; 0 is none
	CallsResetAt    time.Time       `json:"callsResetAt"`
	LimitedUntil    *time.Time      `json:"limitedUntil"` // null where no limit of the provider is known
	Note            string          `json:"note"`         // the provider's words about it
	Tokens          stream.Tokens   `json:"tokens"`       // of the loops in this clock hour
	TokensEstimated bool            `json:"tokensEstimated"`
	CostUSD         *float64        `json:"costUsd"`
	Windows         []limits.Window `json:"windows"`           // the account's, as an agent told them last
	Waiting         []waitingLoop   `json:"waiting,omitempty"` // loops that stand still at its limit now
}

// Run carries the command out.
func (c *limitsCmd) Run(a *app) error {
	s, err := anywhere(a)
	if err != nil {
		return err
	}
	for _, w := range s.loaded.Warnings {
		a.t.Warn("%s", w)
	}
	if c.Clear != "" {
		if err := c.clear(a, s); err != nil || !c.JSON {
			return err
		}
	}
	list, err := knownLimits(a, s, time.Now())
	if err != nil {
		return err
	}
	if c.JSON {
		return terminal.PrintJSON(a.t, list)
	}
	for _, l := range list {
		l.show(a.t, time.Now())
	}
	return nil
}

// knownLimits is what is known of the harness that the settings choose, of those
// that may take over from it, and of every other that was ever called.
func knownLimits(a *app, s *surroundings, now time.Time) ([]harnessLimits, error) {
	names, err := ratelimit.Harnesses(ledgerDir(a.home))
	if err != nil {
		return nil, err
	}
	entries, _, err := registry.Entries(a.home)
	if err != nil {
		return nil, err
	}
	done := a.t.Slowly("reading the journals")
	uses, warnings := limits.Collect(entries, now)
	done()
	for _, w := range warnings {
		a.t.Warn("%s", w)
	}
	waiting := waitingLoops(entries)
	for name := range uses {
		names = append(names, name)
	}
	slices.Sort(names)
	first := append([]string{s.settings.Harness}, s.settings.Fallback...)
	names = slices.Compact(append(first, slices.DeleteFunc(names, func(n string) bool { return slices.Contains(first, n) })...))
	list := make([]harnessLimits, 0, len(names))
	for _, name := range names {
		l, err := limitsOf(a, name, s.settings.Defaults.RateLimitPerHour, now)
		if err != nil {
			return nil, err
		}
		if u := uses[name]; u != nil {
			l.Tokens, l.TokensEstimated, l.CostUSD, l.Windows = u.Tokens, u.Estimated, u.CostUSD, append(l.Windows, u.Windows...)
		}
		l.Waiting = waiting[name]
		for _, w := range l.Waiting {
			if w.CallsLimit > 0 && (l.CallsLimit == 0 || w.CallsLimit < l.CallsLimit) {
				l.CallsLimit = w.CallsLimit
			}
		}
		list = append(list, l)
	}
	return list, nil
}

// limitsOf is what the ledger of a harness knows.
func limitsOf(a *app, name string, limit int, now time.Time) (harnessLimits, error) {
	ledger := ratelimit.OpenShared(os.Getenv(ratelimit.EnvShared), ledgerDir(a.home), name, limit)
	grant, err := ledger.Peek(now)
	if err != nil {
		return harnessLimits{}, err
	}
	if grant.Damaged != nil {
		a.t.Warn("%v", grant.Damaged)
	}
	until, note, err := ledger.LimitedUntil(now)
	if err != nil {
		return harnessLimits{}, err
	}
	l := harnessLimits{Harness: name, Calls: grant.Used, CallsLimit: limit, CallsResetAt: grant.ResetsAt, Note: note, Windows: []limits.Window{}}
	if !until.IsZero() {
		l.LimitedUntil = &until
	}
	return l, nil
}

func (l harnessLimits) show(t *terminal.Terminal, now time.Time) {
	row := func(name, format string, args ...any) {
		t.Printf("  %-8s %s\n", name, stream.Sanitize(fmt.Sprintf(format, args...)))
	}
	t.Printf("%s\n", t.Paint(terminal.Bold, stream.Sanitize(l.Harness)))
	calls := fmt.Sprintf("%d this hour, no limit", l.Calls)
	if l.CallsLimit > 0 {
		calls = fmt.Sprintf("%d/%d this hour (resets in %s)", l.Calls, l.CallsLimit, timeLeft(l.CallsResetAt, now))
	}
	row("Calls:", "%s", calls)
	spent := words.Tokens(l.Tokens.Total(), l.TokensEstimated) + " this hour"
	if l.CostUSD != nil {
		spent += fmt.Sprintf(", $%.2f", *l.CostUSD)
	}
	row("Tokens:", "%s", spent)
	if l.LimitedUntil != nil {
		row("Limited:", "until %s (in %s): %s", words.Local(*l.LimitedUntil), timeLeft(*l.LimitedUntil, now), l.Note)
	}
	l.rows(row, now)
	for _, w := range l.Windows {
		row("Account:", "%s", windowText(w, now))
	}
}

// windowText is an agent's last word about a limit in a line.
func windowText(w limits.Window, now time.Time) string {
	var parts []string
	name := strings.ReplaceAll(w.Window, "_", " ")
	if name == "" {
		name = "limit"
	}
	switch {
	case w.Utilization != nil:
		parts = append(parts, fmt.Sprintf("%s %.0f%% used", name, math.Floor(100**w.Utilization)))
	case w.Rejected:
		parts = append(parts, name+" used up")
	default:
		parts = append(parts, name)
	}
	switch {
	case w.Over(now):
		parts = append(parts, "begun anew since "+words.Local(*w.ResetsAt))
	case w.ResetsAt != nil:
		parts = append(parts, fmt.Sprintf("resets at %s (in %s)", words.Local(*w.ResetsAt), timeLeft(*w.ResetsAt, now)))
	}
	return strings.Join(parts, ", ") + fmt.Sprintf("; seen %s ago", words.Duration(now.Sub(w.SeenAt).Round(time.Second)))
}

// timeLeft is how long it is until a time, in words.
func timeLeft(until, now time.Time) string {
	if left := until.Sub(now); left >= time.Minute {
		return words.Duration(left.Round(time.Minute))
	}
	return words.Duration(max(until.Sub(now), 0).Round(time.Second))
}

// clear forgets the limit of a provider that a person knows to be over.
func (c *limitsCmd) clear(a *app, s *surroundings) error {
	names, err := ratelimit.Harnesses(ledgerDir(a.home))
	if err != nil {
		return err
	}
	if _, known := agent.Find(s.known, c.Clear); !known && !slices.Contains(names, c.Clear) {
		for _, h := range s.known {
			names = append(names, h.Name)
		}
		slices.Sort(names)
		return hint.With(fmt.Errorf("there is no harness %q", c.Clear), "known are: "+strings.Join(slices.Compact(names), ", "))
	}
	say := func(format string, args ...any) { a.t.Printf(format, args...) }
	if c.JSON { // standard output is for the list
		say = func(format string, args ...any) { fmt.Fprintf(a.t.Err, format, args...) }
	}
	ledger := ratelimit.OpenShared(os.Getenv(ratelimit.EnvShared), ledgerDir(a.home), c.Clear, 0)
	until, _, err := ledger.LimitedUntil(time.Now())
	if err != nil {
		return err
	}
	if until.IsZero() {
		say("no limit of %s is known: nothing to forget\n", c.Clear)
		return tellGuessing(a, c.Clear, say)
	}
	if err := ledger.SetLimited(a.ctx, time.Time{}, ""); err != nil {
		return err
	}
	say("the limit of %s until %s is forgotten: it may be called again\n", c.Clear, words.Local(until))
	return tellWaiting(a, c.Clear, say)
}

// tellWaiting names the loops that wait for the reset: they look at the ledger at each
// tick of their wait.
func tellWaiting(a *app, harness string, say func(format string, args ...any)) error {
	return eachWaiting(a, harness, func(w waitingLoop) {
		say("the loop of %s in %s was waiting for it, and goes on\n", stream.OneLine(w.Unit), stream.OneLine(w.Worktree))
	})
}

// tellGuessing names the loops that wait although the ledger knows of no limit: it was a
// model's, or nobody told when it ends.
func tellGuessing(a *app, harness string, say func(format string, args ...any)) error {
	return eachWaiting(a, harness, func(w waitingLoop) {
		when := ""
		if !w.Until.IsZero() {
			when = " until " + words.Local(w.Until.Time)
		}
		say("the loop of %s in %s waits%s for a limit that only it knows: end it with 'ralph stop' there, and 'ralph run' tries at once\n",
			stream.OneLine(w.Unit), stream.OneLine(w.Worktree), when)
	})
}

// eachWaiting calls do for each loop that lives and waits at the limit of a harness.
func eachWaiting(a *app, harness string, do func(waitingLoop)) error {
	entries, _, err := registry.Entries(a.home)
	if err != nil {
		return err
	}
	for _, w := range waitingLoops(entries)[harness] {
		if w.CallsLimit == 0 { // the loop's own limit is no limit of the provider
			do(w)
		}
	}
	return nil
}
