package loop

import (
	"context"
	"maps"
	"slices"

	"ralph/internal/evidence"
	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/tamper"
)

// recall takes up what the earlier runs of the unit left, and settles their calls with the
// ledger. It returns what the gate continues with.
func (l *Loop) recall(ctx context.Context) (on evidence.OnRecord, err error) {
	l.late = l.Damage.Warnings(journal.Path(l.StateDir))
	l.Recorder.Resume(l.Past)
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
		on = onRecord(&s.Claims)
	})
	return on, l.Ledger.SettleAll(ctx, token, made)
}

// onRecord returns what the gate of a new run continues with.
func onRecord(g *run.Claims) evidence.OnRecord {
	on := evidence.OnRecord{Base: evidence.Base(g.Base), Seen: evidence.Base(g.Seen()), Works: slices.Clone(g.Works), Borrowed: slices.Clone(g.Borrowed),
		Red: slices.Sorted(maps.Keys(g.Red)), Tests: g.Tests, Open: g.Weakened}
	for _, f := range g.Known {
		on.Known = append(on.Known, tamper.Finding(f))
	}
	return on
}
