package stream

import (
	"testing"
	"time"
)

func location(t *testing.T, name string) *time.Location {
	t.Helper()
	loc, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return loc
}

func TestParseReset(t *testing.T) {
	const none = ""
	tests := []struct{ now, zone, text, want string }{
		{"2026-11-21T02:00:00", "UTC", "resets 4am (UTC)", "2026-11-21T04:00:00Z"},
		{"2026-11-21T04:00:30", "UTC", "resets 4am (UTC)", "2026-11-21T04:01:00Z"},
		{"2026-11-21T04:01:00", "UTC", "resets 4am (UTC)", "2026-11-22T04:00:00Z"},
		{"2026-11-21T20:00:00", "UTC", "resets 8:20pm (Europe/Istanbul)", "2026-11-22T17:20:00Z"},
		{"2026-11-21T20:00:00", "America/New_York", "resets 9pm (Nowhere/Atlantis)", "2026-11-22T02:00:00Z"},
		{"2026-11-21T20:00:00", "America/New_York", "resets 9pm (../../etc/passwd)", "2026-11-22T02:00:00Z"},
		{"2026-11-21T20:00:00", "UTC", "resets 12am", "2026-11-22T00:00:00Z"},
		{"2026-11-21T20:00:00", "UTC", "resets 12pm", "2026-11-22T12:00:00Z"},
		{"2026-11-21T20:00:00", "UTC", "resets at 23:15", "2026-11-21T23:15:00Z"},
		{"2026-11-21T20:00:00", "UTC", "resets Mon 12:00am", "2026-11-23T00:00:00Z"},
		{"2026-11-21T20:00:00", "UTC", "resets Saturday 7pm", "2026-11-28T19:00:00Z"},
		{"2026-10-01T20:00:00", "UTC", "resets Oct 9, 3pm (Asia/Tokyo)", "2026-10-09T06:00:00Z"},
		{"2026-11-21T20:00:00", "UTC", "resets Jan 2, 2027, 3pm (UTC)", "2027-01-02T15:00:00Z"},
		{"2026-11-21T20:00:00", "UTC", "resets Jan 2, 3pm (UTC)", "2027-01-02T15:00:00Z"},
		{"2026-09-01T20:00:00", "UTC", "resets Sep 15 at 7pm", "2026-09-15T19:00:00Z"},
		{"2026-08-01T20:00:00", "UTC", "(daily; resets 2026-08-09 00:00 UTC)", "2026-08-09T00:00:00Z"},
		{"2026-08-10T20:00:00", "UTC", "(daily; resets 2026-08-09 00:00 UTC)", none},
		{"2026-08-10T12:00:00", "Europe/Berlin", "try again at 3:45 PM.", "2026-08-10T13:45:00Z"},
		{"2026-08-10T12:00:00", "Europe/Berlin", "Try again at 3:45\u202fPM", "2026-08-10T13:45:00Z"},
		{"2026-08-10T12:00:00", "UTC", "try again at Sep 20th, 2026 4:00 PM.", "2026-09-20T16:00:00Z"},
		{"2026-08-10T12:00:00", "UTC", "try again in 3 hours 2 minutes.", "2026-08-10T15:02:00Z"},
		{"2026-08-10T12:00:00", "UTC", "in 5 days 22 hours 11 minutes", "2026-08-16T10:11:00Z"},
		{"2026-08-10T12:00:00", "UTC", "Resets in 2h39m52s.", "2026-08-10T14:39:52Z"},
		{"2026-08-10T12:00:00", "UTC", "will reset after 2h3m4s", "2026-08-10T14:03:04Z"},
		{"2026-08-10T12:00:00", "UTC", "Please try again in 58 hours", "2026-08-12T22:00:00Z"},
		{"2026-08-10T12:00:00", "Europe/Berlin", "Your usage limits will reset when your monthly cycle ends on 9/1/2026.*", "2026-08-31T22:00:00Z"},
		{"2026-08-10T12:00:00", "UTC", "your monthly cycle ends on 17/09/2026.", none},
		{"2026-08-10T12:00:00", "UTC", "limit reached|1786406400", "2026-08-11T00:00:00Z"},
		{"2026-08-12T12:00:00", "UTC", "limit reached|1786406400", none},
		{"2026-08-10T12:00:00", "UTC", "limit reached|1786406400000", "2026-08-11T00:00:00Z"},
		// Clocks go forward at 2:00 and back at 3:00 of these days.
		{"2026-03-29T01:00:00", "Europe/Berlin", "resets 2:30am", "2026-03-29T01:30:00Z"},
		{"2026-03-28T12:00:00", "Europe/Berlin", "resets 4am", "2026-03-29T02:00:00Z"},
		{"2026-10-24T12:00:00", "Europe/Berlin", "resets 4am", "2026-10-25T03:00:00Z"},
		{"2026-08-10T12:00:00", "UTC", "limits to reset (every 5h and every week.)", none},
		{"2026-08-10T12:00:00", "UTC", "retried 5 times, at 3 Apples, resets 25:00, resets 13pm", none},
		{"2026-08-10T12:00:00", "UTC", "in 0 seconds", none},
		{"2026-08-10T12:00:00", "UTC", "", none},
	}
	for _, tt := range tests {
		now, err := time.ParseInLocation("2006-01-02T15:04:05", tt.now, location(t, tt.zone))
		if err != nil {
			t.Fatal(err)
		}
		got, ok := parseReset(tt.text, now)
		have := none
		if ok {
			have = got.UTC().Format(time.RFC3339)
		}
		if have != tt.want {
			t.Errorf("%q at %s %s: %s, want %s", tt.text, tt.now, tt.zone, have, tt.want)
		}
	}
}

// In the hour that comes twice, the second pass is what is left to wait for.
func TestParseResetInRepeatedHour(t *testing.T) {
	secondPass := time.Date(2026, 10, 25, 1, 40, 0, 0, time.UTC).In(location(t, "Europe/Berlin"))
	got, ok := parseReset("resets 2:50am", secondPass)
	if want := secondPass.Add(10 * time.Minute); !ok || !got.Equal(want) {
		t.Errorf("got %v, want %v", got, want)
	}
}

func FuzzParseReset(f *testing.F) {
	for _, text := range []string{
		"limit reached|1786406400", "resets 4am (UTC)", "resets Mon 12:00am", "resets Oct 9, 3pm (Asia/Tokyo)", "resets Feb 31, 2027, 3pm",
		"resets 2026-08-09 00:00 UTC", "try again at Sep 20th, 2026 4:00 PM", "in 999999 days 999999 hours", "after 2h3m4s", "resets 2:30am (Europe/Berlin)",
		"resets_at:99999999999999", "ends on 02/31/2027",
	} {
		f.Add(text, int64(1_786_000_000))
		f.Add(text, int64(1_774_746_000))
	}
	f.Fuzz(func(t *testing.T, text string, epoch int64) {
		if epoch < 0 || epoch > 1<<33 {
			t.Skip()
		}
		now := time.Unix(epoch, 0)
		got, ok := parseReset(text, now)
		if ok != !got.IsZero() || ok && (!got.After(now) || got.Sub(now) > maxReset) {
			t.Errorf("%q at %v: %v %v", text, now, got, ok)
		}
		Classify(FormatClaude, text, now)
	})
}
