// Package limits collects the use of each harness from the journals of a user's loops: the tokens
// of this clock hour, and how much of the account's limits was used when an agent last reported
// it. It reads only the ends of the journals, and writes nothing.
package limits

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ralph/internal/archive"
	"ralph/internal/journal"
	"ralph/internal/registry"
	"ralph/internal/run"
	"ralph/internal/stream"
)

// memory is how long an agent's word about a limit is worth showing: the longest
// window that is known is a week.
const memory = 8 * 24 * time.Hour

// Use sums up the use of one harness from the journals.
type Use struct {
	Tokens    stream.Tokens // in the clock hour, of the attempts that ended in it
	Estimated bool          // part of Tokens is an estimate
	CostUSD   *float64      // in the clock hour; nil if no attempt reported it
	Windows   []Window      // of the account, by name
}

// Window holds the last report of an agent about one limit of its account.
type Window struct {
	journal.LimitWindow
	SeenAt time.Time `json:"seenAt"`
}

// Over reports whether the window has started again since it was seen.
func (w Window) Over(now time.Time) bool { return w.ResetsAt != nil && !w.ResetsAt.After(now) }

// Collect reads the use of each harness in the clock hour of now from the journals of the units.
// It leaves out unreadable journals, and names them in warnings.
func Collect(entries []registry.Entry, now time.Time) (uses map[string]*Use, warnings []string) {
	f := fold{uses: map[string]*Use{}, hour: now.UTC().Truncate(time.Hour)}
	for _, e := range entries {
		for _, path := range journals(e, now.Add(-memory)) {
			events, err := journal.ReadEnd(path, func(events []journal.Event) bool { return reaches(events, f.hour) })
			if errors.Is(err, fs.ErrNotExist) {
				continue // it was archived meanwhile
			}
			if err != nil {
				warnings = append(warnings, err.Error())
				continue
			}
			f.take(events)
		}
	}
	return f.uses, warnings
}

// journals are the journals of a unit that were written to since a moment: the
// one running, and those of features that were put away meanwhile.
func journals(e registry.Entry, since time.Time) []string {
	var paths []string
	if path := journal.Path(e.StateDir); writtenSince(path, since) {
		paths = append(paths, path)
	}
	if !writtenSince(filepath.Join(e.Worktree, ".ralph", "archive"), since) {
		return paths
	}
	store := archive.Open(e.Worktree, filepath.Dir(e.StateDir))
	archives, _, err := store.List()
	if err != nil {
		return paths // "ralph archive --list" shows it
	}
	for _, a := range archives {
		if a.Unit == e.Unit && a.ArchivedAt.After(since) && writtenSince(store.Journal(a), since) {
			paths = append(paths, store.Journal(a))
		}
	}
	return paths
}

func writtenSince(path string, since time.Time) bool {
	info, err := os.Stat(path)
	return err == nil && info.ModTime().After(since)
}

// fold adds up events.
type fold struct {
	hour time.Time // its start
	uses map[string]*Use
}

// take adds the calls of one journal.
func (f *fold) take(events []journal.Event) {
	s := run.State{Keep: run.KeepAll}
	for _, e := range events {
		s.Apply(e)
	}
	for _, r := range s.Runs {
		for _, it := range append([]*run.Iteration{&r.Before}, r.Iterations...) {
			for _, a := range it.Attempts {
				if a.End != nil && a.Harness != "" {
					f.attempt(f.use(a.Harness), a.EndedAt, *a.End)
				}
			}
			for _, v := range it.Reviews {
				f.attempt(f.use(v.Harness), v.At, journal.AttemptEnded{
					Limits: v.Limits, CostUSD: v.CostUSD,
					Tokens: v.Tokens, TokensEstimated: v.TokensEstimated,
				})
			}
		}
	}
}

func (f *fold) use(harness string) *Use {
	if f.uses[harness] == nil {
		f.uses[harness] = &Use{}
	}
	return f.uses[harness]
}

func (f *fold) attempt(u *Use, at time.Time, b journal.AttemptEnded) {
	for _, w := range b.Limits {
		u.see(Window{w, at})
	}
	if at.Before(f.hour) {
		return
	}
	u.Tokens = u.Tokens.Add(b.Tokens)
	u.Estimated = u.Estimated || b.TokensEstimated
	u.CostUSD = journal.AddCost(u.CostUSD, b.CostUSD)
}

// see keeps the last word about each window.
func (u *Use) see(w Window) {
	i, known := slices.BinarySearchFunc(u.Windows, w.Window, func(have Window, name string) int {
		switch {
		case have.Window < name:
			return -1
		case have.Window > name:
			return 1
		}
		return 0
	})
	switch {
	case !known:
		u.Windows = slices.Insert(u.Windows, i, w)
	case !w.SeenAt.Before(u.Windows[i].SeenAt):
		u.Windows[i] = w
	}
}

// reaches reports whether the events begin early enough: with one before the
// moment that says which harness is running.
func reaches(events []journal.Event, since time.Time) bool {
	for _, e := range events {
		if !e.Time.Before(since) {
			return false
		}
		switch e.Body.(type) {
		case journal.RunStarted, journal.AttemptStarted:
			return true
		}
	}
	return false
}
