package report_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/report"
	"ralph/internal/run"
)

// TestGolden holds the report and its decisions to what released versions said of the
// same journals. UPDATE_GOLDEN=1 writes the files again.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("../run/testdata/journals/*.jsonl")
	if err != nil || len(paths) < 30 {
		t.Fatalf("%d journals, %v", len(paths), err)
	}
	for _, path := range paths {
		name := strings.TrimSuffix(filepath.Base(path), ".jsonl")
		t.Run(name, func(t *testing.T) {
			events, _, err := journal.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			got := account(t, events)
			golden := filepath.Join("testdata/golden", name+".txt")
			if os.Getenv("UPDATE_GOLDEN") != "" {
				if err := os.WriteFile(golden, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(golden)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// account is the report of the last run, and why each decision was made.
func account(t *testing.T, events []journal.Event) []byte {
	t.Helper()
	s := &run.State{Keep: run.KeepLast}
	for _, e := range events {
		s.Apply(e)
	}
	r := report.New(s, "", true)
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	write := func(v any) {
		if err := enc.Encode(v); err != nil {
			t.Fatal(err)
		}
	}
	write(r)
	if r.Run != nil {
		out.WriteString("-- why --\n")
		write(r.Run.Decisions(&r.Run.Before))
		for i := range r.Run.Iterations {
			write(r.Run.Decisions(&r.Run.Iterations[i]))
		}
	}
	return out.Bytes()
}
