package journal_test

import (
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
)

func someReceipt(story string) journal.Receipt {
	return journal.Receipt{Schema: journal.SchemaVersion, Time: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC), Run: "20260304-050000", Unit: "feature-x",
		StoryProved: journal.StoryProved{N: 2, Story: story, Title: "Log <in>\nand # out", Commit: "c0ffee", Tree: "7ea", Mode: "clean",
			Checks: []journal.CheckReceipt{{Name: "unit", Command: "make test && true", Outcome: "passed", DurationSeconds: 1.5}}}}
}

func TestReceiptsAreReadAsTheyWereWritten(t *testing.T) {
	want := []journal.Receipt{someReceipt("STORY-001"), someReceipt("STORY-002")}
	var note []byte
	for _, r := range want {
		var err error
		if note, err = r.AppendTo(note); err != nil {
			t.Fatal(err)
		}
	}
	if n := strings.Count(string(note), "\n"); n != len(want) {
		t.Errorf("%d lines for %d receipts", n, len(want))
	}
	if diff := cmp.Diff(want, journal.ParseReceipts(string(note))); diff != "" {
		t.Error(diff)
	}
	none, err := journal.Receipt{}.AppendTo(nil)
	if err != nil || !strings.Contains(string(none), `"checks":[]`) {
		t.Errorf("%v: %s", err, none)
	}
}

func TestForeignLinesOfANote(t *testing.T) {
	line, err := someReceipt("STORY-001").AppendTo(nil)
	if err != nil {
		t.Fatal(err)
	}
	note := "Reviewed-by: Ada\n\n" + string(line) + "{\"schema\":99,\"unit\":\"feature-x\",\"story\":\"STORY-002\"}\n" +
		"{\"unit\":\"feature-x\",\"story\":\"STORY-003\"}\n{\"schema\":1,\"unit\":7}\n[]\nnull\n{\"schema\":1,"
	if got := journal.ParseReceipts(note); len(got) != 1 || got[0].Story != "STORY-001" {
		t.Errorf("%+v", got)
	}
}

// FuzzParseReceipts reads notes that anybody may have pushed.
func FuzzParseReceipts(f *testing.F) {
	line, err := someReceipt("STORY-001").AppendTo(nil)
	if err != nil {
		f.Fatal(err)
	}
	f.Add(string(line))
	f.Add("x\n{}\n")
	f.Fuzz(func(t *testing.T, note string) {
		for _, r := range journal.ParseReceipts(note) {
			again, err := r.AppendTo(nil)
			if err != nil || len(journal.ParseReceipts(string(again))) != 1 {
				t.Errorf("%q was read as a receipt and cannot be written as one: %v", note, err)
			}
		}
	})
}
