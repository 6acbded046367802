package main

import (
	"ralph/internal/screen"
	"ralph/internal/unit"
)

// openState is openState for a run: an archive of its feature that was cut off
// is finished then, and there is nothing left to run.
func (r *resolved) openState() (*unit.State, error) {
	had := r.Place.HasFolder()
	s, err := unit.OpenState(r.app.ctx, screen.Notes(r.app.t), r.Place)
	if err != nil || !had || r.Place.HasFolder() {
		return s, err
	}
	s.Close()
	return nil, unit.NothingToRun(r.Place.Unit)
}

// recoverFirst cleans up after a run that died, and warns of it.
func recoverFirst(a *app, p *unit.Place) error {
	done, err := unit.RecoverFirst(a.ctx, screen.Notes(a.t), p)
	screen.ShowRecovered(a.t, done)
	if done.Archived {
		a.t.Warn("the archive of %s had been cut off, and is completed", p.Unit)
	}
	return err
}
