package proof

import (
	"fmt"
	"slices"
	"strings"

	"ralph/internal/words"
)

// parts returns each result of the proof in a few words, without the commit.
func (r Proof) parts() []string {
	if r.Checks == 0 {
		return []string{"not proved: no check is configured"}
	}
	parts := []string{words.Count(r.Checks, "check")}
	if r.Skipped != "" {
		return append(parts, r.Skipped)
	}
	parts = append(parts, r.Old.old(), r.New.new(), r.Strength.words())
	if len(r.Gone) > 0 {
		parts = append(parts, words.Count(len(r.Gone), "test file")+" went with what it tested"+in(r.Gone))
	}
	for _, c := range r.Counts {
		parts = append(parts, c.String())
	}
	return slices.DeleteFunc(parts, func(s string) bool { return s == "" })
}

// Line returns the proof in one line.
func (r Proof) Line() string { return strings.Join(r.parts(), "; ") }

// OldText returns, in words, the result of the old tests.
func (r Proof) OldText() string { return r.Old.old() }

// NewText returns, in words, the result of the new tests without the work.
func (r Proof) NewText() string { return r.New.new() }

func (t TestRun) old() string {
	switch t.Outcome {
	case Passed:
		return "old tests pass"
	case Failed:
		return "old tests fail" + in(t.Files)
	case NoCompile:
		return "old tests do not compile any more" + in(t.Files)
	case Earlier:
		return "old tests fail as they were before an earlier story changed them" + in(t.Files)
	case Fewer:
		return "not all old tests ran: " + t.Tail
	case Weaker:
		return "tests catch less than before" + in(t.Files)
	case RedAtBase:
		return "check " + t.Check + " was red before: old tests say nothing"
	case Unable:
		return "old tests could not be run"
	}
	return ""
}

func (t TestRun) new() string {
	switch t.Outcome {
	case Passed:
		return "new tests pass without it"
	case Failed:
		return "new tests fail without it"
	case NoCompile:
		return "new tests do not compile without it"
	case RedAtBase:
		return "check " + t.Check + " was red before: new tests say nothing"
	case NoTests:
		return "no new tests"
	case Unable:
		return "new tests could not be run"
	}
	return ""
}

// Hollow reports whether tests were added that test nothing of the work. Tests that only
// follow the work, such as a new name or type in them, also pass without it.
func (p Proof) Hollow() bool { return p.New.Outcome == Passed && !p.Adapted }

func (s Strength) words() string {
	switch {
	case s.Run == 0:
		return ""
	case s.sampled():
		return fmt.Sprintf("%d of %s held (a sample of %d)", s.Held, words.Count(s.Run, "hunk"), s.Total)
	}
	return fmt.Sprintf("%d of %s held", s.Held, words.Count(s.Run, "hunk"))
}

// String compares the two numbers in words.
func (c Count) String() string {
	if c.After == 0 {
		return fmt.Sprintf("check %s ran no test (%d before)", c.Check, c.Before)
	}
	return fmt.Sprintf("check %s ran %s, %d before", c.Check, words.Count(c.After, "test"), c.Before)
}

func in(files []string) string {
	const most = 3
	switch {
	case len(files) == 0:
		return ""
	case len(files) > most:
		return fmt.Sprintf(": %s and %d more", strings.Join(files[:most], ", "), len(files)-most)
	}
	return ": " + strings.Join(files, ", ")
}
