package loop

import (
	"maps"
	"slices"

	"ralph/internal/evidence"
	"ralph/internal/journal"
	"ralph/internal/run"
	"ralph/internal/tamper"
)

// past is what the journal tells a new run of those before it.
type past struct {
	runs     int
	token    string          // of the last run
	calls    map[string]int  // that it made, by harness
	accepted map[string]bool // items whose mark was accepted when the last run ended
	cutOff   bool            // its last iteration was not evaluated to the end
	taken    map[string]bool // items that were marked when ralph first saw the plan, and not accepted since
	steer    []string
	allowed  map[string]string // items that a person allowed, not used up yet
	refused  map[string]bool   // items whose last claim was refused
	gate     evidence.OnRecord
}

// recall reads what the new run has to know.
func (l *Loop) recall() error {
	events, damage, err := journal.ReadFile(journal.Path(l.StateDir))
	if err != nil {
		return err
	}
	l.late = damage.Warnings(journal.Path(l.StateDir))
	l.Recorder.Resume(events)
	l.past = fold(events)
	l.notes.steer = l.past.steer
	l.team.Resume(l.Recorder.Position().Limits)
	if l.past.cutOff {
		l.notes.add("The last iteration was cut off. Look at `git status` and `git log` for what it left, and finish it or clean it up first.")
	}
	return nil
}

func fold(events []journal.Event) past {
	s := run.Fold(events)
	g := &s.Gate
	p := past{runs: len(s.Past()), accepted: filled(g.Accepted), taken: filled(g.TakenOver), allowed: filled(g.Allowed),
		refused: filled(g.Refused), cutOff: g.CutOff(), steer: s.Steer}
	if r := s.Last(); r != nil {
		p.token, p.calls = r.Start.Token, r.Calls.By
	}
	p.gate = evidence.OnRecord{Base: evidence.Base(g.Base), Seen: evidence.Base(g.Seen()), Works: g.Works,
		Red: slices.Sorted(maps.Keys(g.Red)), Open: g.Weakened}
	for _, f := range g.Known {
		p.gate.Known = append(p.gate.Known, tamper.Finding(f))
	}
	return p
}

// filled is the map, or an empty one.
func filled[V any](m map[string]V) map[string]V {
	if m == nil {
		return map[string]V{}
	}
	return m
}

// print is a fingerprint of the plan's files and HEAD: while it stays the same
// an open breaker stays open.
func (l *Loop) print() string { return l.state.Print + ":" + l.head }
