package main

import (
	"errors"
	"io/fs"
	"slices"
	"strings"

	"github.com/charmbracelet/x/ansi"

	"ralph/internal/journal"
	"ralph/internal/registry"
	"ralph/internal/run"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/unit"
	"ralph/internal/words"
)

// listCmd is "ralph list".
type listCmd struct {
	Active bool `help:"Leave out loops that have ended."`
	JSON   bool `help:"Print JSON."`
}

// widestUnit is the width in columns up to which the names of units stand in line;
// a longer one moves only what stands behind it.
const widestUnit = 40

// listed is one unit of the list.
type listed struct {
	Unit          string            `json:"unit"`
	Plan          string            `json:"plan"`
	Worktree      string            `json:"worktree"`
	Branch        string            `json:"branch"`
	Status        journal.RunStatus `json:"status"`
	Alive         bool              `json:"alive"`
	PID           journal.PID       `json:"pid"`
	Iteration     int               `json:"iteration"`
	MaxIterations int               `json:"maxIterations"`
	LastUpdated   journal.Time      `json:"lastUpdated"`

	dead bool // ralph died before it could end the run
}

// Run carries the command out.
func (c *listCmd) Run(a *app) error {
	list, err := units(a)
	if err != nil {
		return err
	}
	if c.Active {
		list = slices.DeleteFunc(list, func(l listed) bool { return !l.Alive })
	}
	if c.JSON {
		return terminal.PrintJSON(a.t, list)
	}
	if len(list) == 0 {
		a.t.Printf("no loops\n")
		return nil
	}
	width := 0
	for _, l := range list {
		width = max(width, min(ansi.StringWidth(stream.OneLine(l.Unit)), widestUnit))
	}
	for _, l := range list {
		state := string(l.Status)
		switch {
		case l.Alive && l.Status == journal.StatusPaused:
			state += ", WAITING"
		case l.Alive:
			state += ", LIVE"
		case l.dead:
			state += ", DEAD"
		}
		a.t.Printf("%-18s %3d/%-3d  %-12s  %s  %s\n", state, l.Iteration, l.MaxIterations, words.Local(l.LastUpdated.Time),
			a.t.Paint(terminal.Bold, terminal.Padded(stream.OneLine(l.Unit), width)), a.t.Paint(terminal.Dim, stream.OneLine(l.Worktree)))
	}
	return nil
}

// units is every unit of this user that has run and is not archived, those at
// work first, then the latest first.
func units(a *app) ([]listed, error) {
	a.warnHomeless()
	entries, broken, err := registry.Entries(a.home)
	if err != nil {
		return nil, err
	}
	for _, path := range broken {
		a.t.Warn("%s cannot be read and is left out", path)
	}
	list := []listed{}
	for _, e := range entries {
		events, err := journal.ReadLast(journal.Path(e.StateDir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			a.t.Warn("%v", err)
		}
		if err != nil || len(events) == 0 {
			continue // it is archived, or gone, or never came to a run
		}
		s, alive := unit.Corrected(run.Fold(events).Status())
		if !alive && e.Stale() {
			continue // where the state of a worktree is its record stays a while
		}
		list = append(list, listed{Unit: e.Unit, Plan: e.Plan, Worktree: e.Worktree, Branch: e.Branch, Status: s.Status, Alive: alive,
			PID: s.PID, Iteration: s.Iteration, MaxIterations: s.MaxIterations, LastUpdated: s.LastUpdated,
			dead: s.Reason == journal.ReasonCrashed})
	}
	slices.SortStableFunc(list, func(x, y listed) int {
		if x.Alive != y.Alive {
			if x.Alive {
				return -1
			}
			return 1
		}
		if c := y.LastUpdated.Compare(x.LastUpdated.Time); c != 0 {
			return c
		}
		return strings.Compare(x.Unit, y.Unit)
	})
	return list, nil
}
