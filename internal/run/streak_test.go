package run

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
)

// Each word is an iteration: P with progress, n without, e with a promise that came too
// early; errors a and b follow as the second letter, "." for none, d for an instant exit.
func TestStreak(t *testing.T) {
	limits := journal.RunRules{NoProgress: 3, SameError: 5, InstantExits: 3}
	noProgress := func(n int) Opening { return Opening{Reason: journal.ReasonNoProgress, Count: n} }
	sameError := func(n int) Opening { return Opening{Reason: journal.ReasonSameError, Count: n} }
	tests := []struct {
		name       string
		limits     journal.RunRules
		iterations string
		want       Opening
	}{
		{"begin", limits, "", Opening{}},
		{"two without progress", limits, "n. n.", Opening{}},
		{"three without progress", limits, "n. n. n.", noProgress(3)},
		{"progress in between", limits, "n. n. P. n. n.", Opening{}},
		{"promises that came too early", limits, "e. e. e. e. e.", Opening{}},
		{"one that came too early does not end the row", limits, "n. n. e. n.", noProgress(3)},
		{"same error despite progress", limits, "Pa Pa Pa Pa Pa", sameError(5)},
		{"four equal errors", limits, "Pa Pa Pa Pa", Opening{}},
		{"other error in between", limits, "Pa Pa Pb Pa Pa Pa Pa", Opening{}},
		{"no error ends the row", limits, "Pa Pa Pa Pa P. Pa", Opening{}},
		{"it stays open", limits, "n. n. n. n.", noProgress(4)},
		{"both at once", journal.RunRules{NoProgress: 2, SameError: 2}, "na na", sameError(2)},
		{"at the first", journal.RunRules{NoProgress: 1}, "n.", noProgress(1)},
		{"off", journal.RunRules{}, "na na na nd nd nd na na", Opening{}},
		{"errors alone", journal.RunRules{SameError: 2}, "na nb nb", sameError(2)},
		{"two instant exits", journal.RunRules{InstantExits: 3}, "nd nd", Opening{}},
		{"three instant exits", journal.RunRules{InstantExits: 3}, "nd nd nd", Opening{journal.ReasonSameError, 3, true}},
		{"an instant exit after work", journal.RunRules{InstantExits: 3}, "nd nd n. nd", Opening{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var s Streak
			for _, it := range strings.Fields(test.iterations) {
				s = s.After(BreakerFacts{Progress: it[0] == 'P', TooEarly: it[0] == 'e',
					InstantExit: it[1] == 'd', Error: strings.Trim(it[1:], ".d")})
			}
			if diff := cmp.Diff(test.want, s.opening(test.limits)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestStreakContinuesFromRecordedCounts(t *testing.T) {
	s := Streak{NoProgress: 1, SameError: 4, Error: "exit status 1 after 12.5s"}.After(BreakerFacts{Error: "exit status 1 after 3m2s"})
	want := Opening{Reason: journal.ReasonSameError, Count: 5}
	if got := s.opening(journal.RunRules{NoProgress: 3, SameError: 5}); got != want {
		t.Errorf("Stuck = %+v, want %+v", got, want)
	}
}

func TestNormalizeFoldsWhatChanges(t *testing.T) {
	same := [][]string{
		{"exit status 1", "Exit  status 137\n", "\x1b[31mexit status\x1b[0m 2"},
		{"timed out after 15m0s", "timed out after 1h30m", "timed out after 2.5s"},
		{`can't open "main.go"`, "can’t open `main.go`", "can‘t open “main.go”"},
		{"open /tmp/a1/b.txt: no such file", "open ./x: no such file", `open C:\Users\me\f: no such file`, "open ~/y/../q: no such file"},
		{"request 7f3c2a91-0b1d-4e5f-8a9b-0123456789ab", "request 00000000-1111-2222-3333-444444444444", "request req_011CZkJw8bQ2tY", "request deadbeef1", "request 0xc000123450"},
		{"at 2026-11-21T04:27:05Z: overloaded", "at 2026-11-22 23:01:59.123+02:00: overloaded", "at 12:30: overloaded", "at 4am: overloaded", "at 11:15 pm: overloaded", "at Nov 21: overloaded", "at December 1: overloaded"},
		{"commit 1b2c3d4 is gone", "commit 0123456789012345678901234567890123456789 is gone"},
		{"main.go:12:3: undefined: x", "main.go:140:17: undefined: x"},
	}
	for _, group := range same {
		for _, text := range group[1:] {
			if a, b := normalize(group[0]), normalize(text); a != b {
				t.Errorf("%q gives %q, but %q gives %q", group[0], a, text, b)
			}
		}
	}
}

func TestNormalizeKeepsWhatMatters(t *testing.T) {
	texts := []string{"", "exit status 1", "timed out after 15m", "undefined: x", "undefined: y", "undefined: 'x'",
		"sha256sum: not found", "base64url: not found", "usage limit", "out of range", "defaced", "main.go: bad", "test.go: bad"}
	seen := map[string]string{}
	for _, text := range texts {
		n := normalize(text)
		if other, ok := seen[n]; ok {
			t.Errorf("%q and %q both give %q", other, text, n)
		}
		seen[n] = text
	}
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{"a /b/c1 0x1f", "nov 21 4:05 pm", "‘x’ \x1b\x1b[0m[31m", "1 am2 pm", "//x\\\\y/", "İK5", "ⱥ" + strings.Repeat("Ⱥ", 2100), "\xff1"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		once := normalize(s)
		if twice := normalize(once); twice != once {
			t.Errorf("%q gives %q, and that gives %q", s, once, twice)
		}
		if strings.ContainsAny(once, "0123456789") {
			t.Errorf("%q gives %q, which has digits", s, once)
		}
	})
}

func BenchmarkNormalize(b *testing.B) {
	text := strings.Repeat("open /tmp/x1/y: request req_011CZkJw8bQ2tY failed at 12:30\n", 10)
	for b.Loop() {
		normalize(text)
	}
}
