package ratelimit

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func knock(t *testing.T, l *Ledger, now time.Time) Admission {
	t.Helper()
	g, err := l.Admit(t.Context(), now, time.Time{})
	if err != nil {
		t.Fatal(err)
	}
	return g
}

// Of the loops that wait for the end of a limit one tries, and the others wait
// for what becomes of it.
func TestOneLoopTriesWhetherALimitIsOver(t *testing.T) {
	dir := t.TempDir()
	a, b := Open(dir, "h", 0).For("run a"), Open(dir, "h", 0).For("run b")
	reset := noon.Add(time.Hour)
	limit := func() {
		t.Helper()
		if err := b.SetLimited(t.Context(), reset, "no more"); err != nil {
			t.Fatal(err)
		}
	}
	expect := func(what string, l *Ledger, now time.Time, want Admission) {
		t.Helper()
		if diff := cmp.Diff(want, knock(t, l, now)); diff != "" {
			t.Errorf("%s (-want +got)\n%s", what, diff)
		}
	}
	report := func(l *Ledger, over bool) {
		t.Helper()
		if err := l.Probed(t.Context(), over); err != nil {
			t.Fatal(err)
		}
	}
	mayTry := Admission{Note: "no more", Probe: true}
	waits := Admission{Until: reset.Add(probeTime), Note: "no more", Probed: true}

	expect("no limit", a, noon, Admission{})
	limit()
	expect("before the reset", a, noon, Admission{Until: reset, Note: "no more"})
	if g, err := a.WouldAdmit(reset, time.Time{}); err != nil || !g.Probe {
		t.Errorf("a look: %+v, %v", g, err)
	}
	expect("the first behind it", b, reset, mayTry)
	expect("the second", a, reset, waits)
	expect("the first once more", b, reset, mayTry)
	report(a, true) // which had nothing to try
	expect("the second still", a, reset, waits)
	report(b, false)
	expect("when nothing came of it", a, reset, mayTry)
	expect("the other way round", b, reset, waits)
	expect("when the one that tries is dead", b, waits.Until, mayTry)
	report(b, true)
	expect("when the call went through", a, reset, Admission{})

	limit()
	expect("before a new reset", a, noon, Admission{Until: reset, Note: "no more"})
	if g, err := a.Admit(t.Context(), noon, reset); err != nil || !g.Probe {
		t.Errorf("a clock that was set back: %+v, %v", g, err)
	}
	expect("a lease from a clock that was set back since", b, reset.Add(-24*time.Hour), Admission{Until: reset, Note: "no more"})
}

// A call that was never made does not count, also when its run is settled.
func TestGiveBack(t *testing.T) {
	dir := t.TempDir()
	l := Open(dir, "h", 0).For("a run that ends")
	take(t, l, noon)
	take(t, l, noon)
	for _, want := range []int{1, 0, 0} {
		if err := l.GiveBack(t.Context(), noon); err != nil {
			t.Fatal(err)
		}
		if g, err := l.Peek(noon); err != nil || g.Used != want {
			t.Errorf("%d calls, %v, want %d", g.Used, err, want)
		}
	}
	take(t, l, noon)
	if err := l.settle(t.Context(), "a run that ends", 1); err != nil {
		t.Fatal(err)
	}
	if g, err := l.Peek(noon); err != nil || g.Used != 1 {
		t.Errorf("%d calls after settling, %v", g.Used, err)
	}
}

// A run that died had called two harnesses, one of them by a fallback that the next run does not
// know.
func TestSettleAll(t *testing.T) {
	dir := t.TempDir()
	first := Open(dir, "first", 0).For("dead run")
	second := first.Of("a second/one")
	for range 2 {
		take(t, first, noon)
		take(t, second, noon)
	}
	if err := Open(dir, "other", 0).SettleAll(t.Context(), "dead run", map[string]int{"first": 2}); err != nil {
		t.Fatal(err)
	}
	for l, want := range map[*Ledger]int{first: 2, second: 0} {
		if g, err := l.Peek(noon); err != nil || g.Used != want {
			t.Errorf("%d calls, %v, want %d", g.Used, err, want)
		}
	}
}
