package unit

import (
	"cmp"
	"errors"
	"io/fs"
	"slices"

	"ralph/internal/journal"
	"ralph/internal/registry"
	"ralph/internal/run"
)

// Loop describes a unit in the list of loops, as 'ralph list --json' prints it.
type Loop struct {
	Unit          string            `json:"unit"`
	Plan          journal.PlanKind  `json:"plan"`
	Worktree      string            `json:"worktree"`
	Branch        string            `json:"branch"`
	Status        journal.RunStatus `json:"status"`
	Alive         bool              `json:"alive"`
	PID           journal.PID       `json:"pid"`
	Iteration     int               `json:"iteration"`
	MaxIterations int               `json:"maxIterations"`
	LastUpdated   journal.Time      `json:"lastUpdated"`

	Run run.Status `json:"-"` // of the last run, corrected for a dead or suspended process
}

// Loops lists all units of this user that have run and are not archived. Running ones come
// first, then the latest. It reads only the end of each journal.
func Loops(home string, t Notes) ([]Loop, error) {
	entries, broken, err := registry.Entries(home)
	if err != nil {
		return nil, err
	}
	for _, path := range broken {
		t.Warn("%s cannot be read and is left out", path)
	}
	list := []Loop{}
	for _, e := range entries {
		events, err := journal.ReadLast(journal.Path(e.StateDir))
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Warn("%v", err)
		}
		if err != nil || len(events) == 0 {
			continue // it is archived, or has not run
		}
		s, alive := corrected(run.Fold(events).Status())
		if !alive && e.Stale() {
			continue // the record of a removed worktree stays a while
		}
		list = append(list, Loop{Unit: e.Unit, Plan: journal.PlanKind(e.Plan), Worktree: e.Worktree, Branch: e.Branch, Status: s.Status, Alive: alive,
			PID: s.PID, Iteration: s.Iteration, MaxIterations: s.MaxIterations, LastUpdated: s.LastUpdated, Run: s})
	}
	slices.SortStableFunc(list, func(x, y Loop) int {
		switch {
		case x.Alive && !y.Alive:
			return -1
		case y.Alive && !x.Alive:
			return 1
		}
		return cmp.Or(y.LastUpdated.Compare(x.LastUpdated.Time), cmp.Compare(x.Unit, y.Unit))
	})
	return list, nil
}
