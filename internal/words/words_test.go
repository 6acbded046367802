package words_test

import (
	"testing"
	"time"

	"ralph/internal/words"
)

func TestDuration(t *testing.T) {
	for d, want := range map[time.Duration]string{
		-time.Second: "0s", 0: "0s", 1234 * time.Microsecond: "1ms", 1234 * time.Millisecond: "1.2s",
		12345 * time.Millisecond: "12s", 59_600 * time.Millisecond: "1m", time.Minute: "1m", 61 * time.Second: "1m01s",
		59*time.Minute + 59_700*time.Millisecond: "1h00m", time.Hour: "1h00m", 26*time.Hour + 90*time.Second: "26h02m",
		76*time.Hour + 59*time.Minute: "3d4h",
	} {
		if got := words.Duration(d); got != want {
			t.Errorf("%v is %q, want %q", d, got, want)
		}
	}
}

func TestTokensAndCounts(t *testing.T) {
	for got, want := range map[string]string{
		words.Tokens(999, false): "999", words.Tokens(1000, false): "1.0k", words.Tokens(1_540_000, true): "~1.5M",
		words.Count(1, "commit"): "1 commit", words.Count(0, "commit"): "0 commits",
		words.Seconds(1.5): "1.5s",
	} {
		if got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}

func TestClockNamesAnotherDay(t *testing.T) {
	now := time.Date(2026, 11, 21, 14, 2, 0, 0, time.Local)
	if got := words.Clock(now.Add(time.Hour), now); got != "15:02" {
		t.Error(got)
	}
	if got := words.Clock(now.Add(24*time.Hour), now); got != "Sun 22 Nov 14:02" {
		t.Error(got)
	}
}

func TestLeft(t *testing.T) {
	now := time.Date(2026, 11, 21, 14, 2, 0, 0, time.Local)
	for left, want := range map[time.Duration]string{
		-time.Second: "0s", 59 * time.Second: "59s", 22*time.Minute + 50*time.Second: "23m", 2 * time.Hour: "2h00m",
	} {
		if got := words.Left(now.Add(left), now); got != want {
			t.Errorf("%v is %q, want %q", left, got, want)
		}
	}
}
