package journal_test

import (
	"bytes"
	"testing"

	"ralph/internal/journal"
	"ralph/internal/run"
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
		var s run.State
		for e, err := range journal.Read(bytes.NewReader(data)) {
			if err != nil {
				b.Fatal(err)
			}
			s.Apply(e)
		}
		if got := s.Status().Tokens; got.Input != 1_000_000 {
			b.Fatal(got)
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
