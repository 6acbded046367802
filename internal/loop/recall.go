package loop

import (
	"context"
	"maps"

	"ralph/internal/journal"
	"ralph/internal/run"
)

// recall takes up what the earlier runs of the unit left, and settles their calls with the
// ledger. It returns what the gate continues with.
func (l *Loop) recall(ctx context.Context) (on run.Claims, err error) {
	l.late = l.Damage.Warnings(journal.Path(l.StateDir))
	token, made := "", map[string]int(nil)
	l.Recorder.Read(func(s *run.State) {
		l.firstRun = len(s.Runs) == 0
		l.team.Resume(s.Limits)
		if s.Claims.CutOff() {
			l.notes.Add("The last iteration was cut off. Check `git status` and `git log` for its changes, and finish them or clean them up first.")
		}
		if r := s.Last(); r != nil {
			token, made = r.Start.Token, maps.Clone(r.Calls.By)
		}
		on = s.Claims
	})
	return on, l.Ledger.SettleAll(ctx, token, made)
}
