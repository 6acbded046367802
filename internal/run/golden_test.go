package run_test

import (
	"bytes"
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
	"ralph/internal/run"
)

// TestGolden holds the projections to what released versions wrote for the same
// journals. UPDATE_GOLDEN=1 writes the files again.
func TestGolden(t *testing.T) {
	paths, err := filepath.Glob("testdata/journals/*.jsonl")
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
			got := projections(t, run.Fold(events))
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

// projections are all texts that other programs read.
func projections(t *testing.T, s *run.State) []byte {
	t.Helper()
	var out bytes.Buffer
	add := func(name string, text []byte, err error) {
		if err != nil {
			t.Fatal(err)
		}
		out.WriteString("-- " + name + " --\n")
		out.Write(text)
	}
	text, err := s.Status().JSON(nil)
	add("status.json", text, err)
	text, err = s.Status().Crashed().JSON(nil)
	add("status of a dead loop", text, err)
	text, err = s.LoopState().JSON()
	add("loop-state.json", text, err)
	if c := s.ChangeState(); c.ChangeID != "" {
		text, err = c.JSON()
		add("state.json", text, err)
	}
	text, err = rows(s.History(false))
	add("history --json", text, err)
	text, err = rows(s.History(true))
	add("history --json of a dead loop", text, err)
	return out.Bytes()
}

func rows(list []run.Row) ([]byte, error) {
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", " ")
	err := enc.Encode(list)
	return out.Bytes(), err
}

// TestSums compares what a run and its iterations used by the fold with what released versions
// counted for the same journals.
func TestSums(t *testing.T) {
	paths, _ := filepath.Glob("testdata/journals/*.jsonl")
	compared := 0
	for _, path := range paths {
		events, _, err := journal.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		for _, r := range run.Fold(events).Runs {
			if r.End != nil && r.End.Tokens != r.Calls.Tokens {
				t.Errorf("%s: run %s used %v, want %v", path, r.ID, r.Calls.Tokens, r.End.Tokens)
			}
			for _, it := range r.Iterations {
				if it.End == nil || it.Call == nil {
					continue
				}
				compared++
				same := it.Estimated == it.End.TokensEstimated || it.End.Outcome == journal.OutcomeCrash
				if it.Tokens != it.End.Tokens || !same {
					t.Errorf("%s: iteration %d used %v, want %v", path, it.N, it.Tokens, it.End.Tokens)
				}
			}
		}
	}
	if compared < 50 {
		t.Errorf("only %d iterations were compared", compared)
	}
}
