package journal_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"ralph/internal/journal"
)

func TestEnded(t *testing.T) {
	const (
		started = `{"time":"2026-11-21T14:02:03.456Z","type":"run_started","run":"r"}` + "\n"
		warned  = `{"time":"2026-11-21T14:02:03.456Z","type":"warning","run":"r","message":"run_ended"}` + "\n"
		ended   = `{"time":"2026-11-21T14:02:03.456Z","type":"run_ended","run":"r"}` + "\n"
		put     = `{"time":"2026-11-21T14:02:03.456Z","type":"archived","run":"r"}` + "\n"
	)
	for _, c := range []struct {
		name, text string
		want       bool
	}{
		{"empty", "", true},
		{"ended", started + ended, true},
		{"archived", started + ended + put, true},
		{"undone", started + ended + `{"time":"2026-11-21T14:02:03.456Z","type":"undone","run":"r"}` + "\n", true},
		{"at work", started + warned, false},
		{"ended once, at work again", started + ended + started, false},
		{"the end is torn", started + ended[:40], false},
		{"nothing but a torn line", started[:40], false},
		{"damaged", started + "{\n", false},
		{"a last line beyond all measure", started + `{"type":"run_ended","x":"` + strings.Repeat("x", 1<<17) + "\"}\n", false},
		{"much before the end", strings.Repeat(warned, 2000) + ended, true},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), journal.FileName)
			if err := os.WriteFile(path, []byte(c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			if got, err := journal.Ended(path); got != c.want || err != nil {
				t.Errorf("%v, %v", got, err)
			}
		})
	}
	if got, err := journal.Ended(filepath.Join(t.TempDir(), "none")); !got || err != nil {
		t.Errorf("no journal: %v, %v", got, err)
	}
}
