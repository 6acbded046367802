package host

import (
	"log/slog"
	"strings"
	"testing"
	"time"

	"ralph/fleet/internal/events"
	"ralph/fleet/internal/feature"
	"ralph/fleet/internal/ledger"
)

func TestClockOfAnHourAway(t *testing.T) {
	server := time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC)
	for skew, want := range map[time.Duration]string{
		time.Hour: "the clock of a is 1h0m0s ahead of the server's", -time.Hour: "the clock of a is 1h0m0s behind the server's", 5 * time.Second: "",
	} {
		var log strings.Builder
		h := &Host{Options: Options{Name: "a", Log: slog.New(slog.NewTextHandler(&log, nil))}, ledger: &ledger.Server{}, said: map[string]time.Time{}}
		turn := &turn{host: h, pulse: &pulse{soon: make(chan struct{}, 1)}, skew: skew}
		turn.checkClock()
		turn.pulse.event(events.Event{Type: "run_started"}, "", feature.Spent{}, 1)
		if got := turn.pulse.now().Trouble; got != want || want != "" && !strings.Contains(log.String(), want) {
			t.Errorf("%s: list says %q, the log %q, want %q", skew, got, log.String(), want)
		}
		// What the provider said by the host's clock, the workflow waits for by the server's.
		at := server.Add(skew)
		back := turn.judge(ending{code: 2, resumesAt: &at})
		if off := back.ResumesAt.Sub(server).Abs(); off >= badSkew {
			t.Errorf("%s: it resumes %s off", skew, off)
		}
	}
}
