package main

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"text/tabwriter"
	"time"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/events"
)

// logTo is a log of what is at least as grave as level.
func logTo(w io.Writer, asJSON bool, level slog.Level) *slog.Logger {
	options := &slog.HandlerOptions{Level: level}
	if asJSON {
		return slog.New(slog.NewJSONHandler(w, options))
	}
	return slog.New(slog.NewTextHandler(w, options))
}

// printJSON prints a value for programs.
func (a *app) printJSON(v any) error {
	e := json.NewEncoder(a.out)
	e.SetIndent("", "  ")
	return e.Encode(v)
}

// table prints rows in aligned columns.
func table(w io.Writer, rows [][]string) error {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range rows {
		fmt.Fprintln(t, strings.TrimRight(strings.Join(row, "\t"), "\t"))
	}
	return t.Flush()
}

// clock shows a time to the user, with the day where it is not today.
func clock(t, now time.Time) string {
	t, now = t.Local(), now.Local()
	if t.YearDay() == now.YearDay() && t.Year() == now.Year() {
		return t.Format("15:04:05")
	}
	return t.Format("2 Jan 15:04")
}

// stories is how far a plan is.
func stories(done, total int) string {
	if total == 0 {
		return ""
	}
	return fmt.Sprintf("%d/%d", done, total)
}

// note is what the user should know of a feature, in a line: agents, hooks and remotes
// have a part in its words.
func note(v engine.View, now time.Time) string { return events.OneLine(remark(v, now)) }

func remark(v engine.View, now time.Time) string {
	s, p := v.Standing, v.Progress()
	switch {
	case v.State == "broken":
		return "its workflow was ended from outside; submit it again"
	case v.State == "waiting" && s.Until != nil:
		return fmt.Sprintf("until %s: %s", clock(*s.Until, now), s.Message)
	case s.Message != "":
		return s.Message
	case v.State == "queued" && v.Waits != "":
		return v.Waits
	case v.Live != nil && p.Trouble != "":
		return p.Trouble
	case v.Live != nil && p.Status != "running":
		return p.Status
	case s.Lost > 0:
		return silent(s.Lost) + " on the way"
	}
	return ""
}

// silent says how many hosts fell silent.
func silent(n int) string {
	if n == 1 {
		return "1 host fell silent"
	}
	return fmt.Sprintf("%d hosts fell silent", n)
}

// cut bounds a text for a table.
func cut(s string, n int) string {
	if r := []rune(s); len(r) > n {
		return string(r[:n-1]) + "…"
	}
	return s
}

// quiet is the log of Temporal's SDK without what a worker says itself, in its own words.
type quiet struct{ slog.Handler }

// Handle implements [slog.Handler].
func (q quiet) Handle(ctx context.Context, r slog.Record) error {
	if r.Message == "Activity error." {
		return nil
	}
	return q.Handler.Handle(ctx, r)
}

// WithAttrs implements [slog.Handler].
func (q quiet) WithAttrs(attrs []slog.Attr) slog.Handler { return quiet{q.Handler.WithAttrs(attrs)} }

// WithGroup implements [slog.Handler].
func (q quiet) WithGroup(name string) slog.Handler { return quiet{q.Handler.WithGroup(name)} }
