package e2e

import (
	"fmt"
	"strconv"
	"strings"
	"testing"
	"time"
)

// Three workers and twelve features; one of them meets the usage limit. Until the
// reset no host begins a call, and then all of them continue.
func TestUsageLimitHoldsAllHosts(t *testing.T) {
	l := newLab(t)
	limit := "turns:\n  - iteration: 2\n    attempt: 1\n    steps:\n" + noteCall + "      - limit: {resets_in: 8s}\n" + strings.TrimPrefix(script(), "turns:\n")
	scripts := map[string]string{"feature/f00": limit}
	for i := 1; i < 12; i++ {
		scripts[fmt.Sprintf("feature/f%02d", i)] = script(`      - sleep: 200ms
`)
	}
	bare := l.remote(scripts)
	for _, name := range []string{"a", "b", "c"} {
		l.worker(name, "2")
	}
	l.submit(bare, "feature/f00", "--priority", "1", "--silence", "30s")
	for i := 1; i < 12; i++ {
		l.submit(bare, fmt.Sprintf("feature/f%02d", i), "--silence", "30s")
	}
	var limited time.Time
	l.until("the limit is known", func() bool { _, limited = limitedUntil(l); return !limited.IsZero() })
	known := time.Now()
	l.until("it is seen in the list", func() bool { return strings.Contains(l.fleet("list"), "limited until") })
	l.until("all are done", func() bool { return strings.Count(l.fleet("list"), "  done  ") == 12 })
	for branch := range scripts {
		l.wantDone(bare, branch)
	}
	calls := l.calls()
	for _, line := range calls {
		at, err := strconv.ParseFloat(strings.Fields(line)[0], 64)
		if err != nil {
			t.Fatal(err)
		}
		// What was granted before may begin a moment later.
		if began := time.UnixMilli(int64(at * 1000)); began.After(known.Add(2*time.Second)) && began.Before(limited) {
			t.Errorf("a call began at %s, the limit was known at %s and ended at %s", began, known, limited)
		}
	}
	if total, _ := l.ledger(); total != len(calls) {
		t.Errorf("the ledger has %d calls, the agents made %d", total, len(calls))
	}
}

func limitedUntil(l *lab) (int, time.Time) {
	if !strings.Contains(l.fleet("list"), "account ") {
		return 0, time.Time{}
	}
	return l.ledger()
}
