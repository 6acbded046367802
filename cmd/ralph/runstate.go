package main

import (
	"ralph/internal/terminal"
)

// openState is openState for a run: an archive of its feature that was cut off
// is finished then, and there is nothing left to run.
func (r *resolved) openState() (*state, error) {
	had := r.place.hasFolder()
	s, err := openState(r.app.ctx, r.place)
	if err != nil || !had || r.place.hasFolder() {
		return s, err
	}
	s.close()
	return nil, nothingLeft(r.place.unit)
}

// told passes on to the terminal what the unit's package has to say.
func told(t *terminal.Terminal) notes { return notes{Warn: t.Warn, Slowly: t.Slowly} }
