package screen

import (
	"fmt"
	"math"
	"strings"
	"time"

	"ralph/internal/limits"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/words"
)

// ShowLimits prints how much of a harness's limits is used.
func ShowLimits(t *terminal.Terminal, l limits.Harness, now time.Time) {
	row := func(name, format string, args ...any) {
		t.Printf("  %-8s %s\n", name, stream.Sanitize(fmt.Sprintf(format, args...)))
	}
	t.Printf("%s\n", t.Paint(terminal.Bold, stream.Sanitize(l.Harness)))
	calls := fmt.Sprintf("%d this hour, no limit", l.Calls)
	if l.CallsLimit > 0 {
		calls = fmt.Sprintf("%d/%d this hour (resets in %s)", l.Calls, l.CallsLimit, words.Left(l.CallsResetAt, now))
	}
	row("Calls:", "%s", calls)
	spent := words.Tokens(l.Tokens.Total(), l.TokensEstimated) + " this hour"
	if l.CostUSD != nil {
		spent += ", " + words.Cost(*l.CostUSD)
	}
	row("Tokens:", "%s", spent)
	if l.LimitedUntil != nil {
		row("Limited:", "until %s (in %s): %s", words.Local(*l.LimitedUntil), words.Left(*l.LimitedUntil, now), l.Note)
	}
	for _, w := range l.Waiting {
		row("Waiting:", "%s in %s%s", w.Unit, w.Worktree, waitText(w, l.LimitedUntil != nil, now))
	}
	for _, w := range l.Windows {
		row("Account:", "%s", windowText(w, now))
	}
}

// waitText says until when and why a loop waits. A limit that the ledger knows has a line of
// its own, with the provider's words.
func waitText(w limits.Waiting, known bool, now time.Time) string {
	when := ""
	if !w.Until.IsZero() {
		when = " until " + words.Local(w.Until.Time) + " (in " + words.Left(w.Until.Time, now) + ")"
	}
	switch {
	case w.CallsLimit > 0:
		return when + fmt.Sprintf(", at its own limit of %s an hour", words.Count(w.CallsLimit, "call"))
	case known:
		return when
	}
	return when + ", which only it knows of: " + w.Message
}

// windowText is an agent's last report about a limit in a line.
func windowText(w limits.Window, now time.Time) string {
	text := strings.ReplaceAll(w.Window, "_", " ")
	if text == "" {
		text = "limit"
	}
	switch {
	case w.Utilization != nil:
		text += fmt.Sprintf(" %.0f%% used", math.Floor(100**w.Utilization))
	case w.Rejected:
		text += " used up"
	}
	switch {
	case w.Over(now):
		text += ", started again at " + words.Local(*w.ResetsAt)
	case w.ResetsAt != nil:
		text += fmt.Sprintf(", resets at %s (in %s)", words.Local(*w.ResetsAt), words.Left(*w.ResetsAt, now))
	}
	return text + fmt.Sprintf("; seen %s ago", words.Duration(now.Sub(w.SeenAt).Round(time.Second)))
}
