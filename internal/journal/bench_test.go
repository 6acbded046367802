package journal_test

import (
	"bytes"
	"fmt"
	"path/filepath"
	"testing"

	"ralph/internal/journal"
)

// longJournal has 10,000 iterations in about 50,000 events.
func longJournal(b *testing.B) []byte {
	events := oneRun()
	data := lines(b, events[0])
	iteration := lines(b, events[1], events[2], events[3], events[8], events[9])
	return append(data, bytes.Repeat(iteration, 10_000)...)
}

func BenchmarkFold10kIterations(b *testing.B) {
	data := longJournal(b)
	b.SetBytes(int64(len(data)))
	b.ReportAllocs()
	for b.Loop() {
		var s journal.Status
		var h journal.History
		for e, err := range journal.Read(bytes.NewReader(data)) {
			if err != nil {
				b.Fatal(err)
			}
			s.Apply(e)
			h.Apply(e)
		}
		if s.Tokens.Input != 1_000_000 {
			b.Fatal(s.Tokens)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	w, err := journal.OpenWriter(newJournal(b))
	if err != nil {
		b.Fatal(err)
	}
	defer w.Close()
	e := oneRun()[9]
	b.ReportAllocs()
	for b.Loop() {
		if _, err := w.Append(e.Run, e.Time, e.Body); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkWriteLoopState is what each change of a run costs that has so many
// iterations behind it. The files are as large as that; most of it is the disk's.
func BenchmarkWriteLoopState(b *testing.B) {
	for _, iterations := range []int{10, 1000, 10_000} {
		b.Run(fmt.Sprint(iterations), func(b *testing.B) {
			var s journal.LoopState
			events := oneRun()
			s.Apply(events[0])
			for n := range iterations {
				s.Apply(event(n, journal.IterationStarted{N: n + 1}))
				s.Apply(event(n, journal.IterationEnded{N: n + 1, Outcome: "ok", Commits: []string{"0123456789012345678901234567890123456789"}}))
			}
			path := filepath.Join(b.TempDir(), "loop-state.json")
			for b.Loop() {
				if err := journal.WriteLoopState(path, &s); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
