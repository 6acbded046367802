package journal

import (
	"os"
	"path/filepath"
	"testing"
	"time"
)

func TestLastSign(t *testing.T) {
	log := filepath.Join(t.TempDir(), "iteration-1.log")
	if err := os.WriteFile(log, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	wrote := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	if err := os.Chtimes(log, wrote, wrote); err != nil {
		t.Fatal(err)
	}
	before, after, late := wrote.Add(-time.Hour), wrote.Add(time.Hour), wrote.Add(24*time.Hour)
	for _, c := range []struct {
		name  string
		event time.Time
		log   string
		now   time.Time
		want  time.Time
	}{
		{"its agent had more to say", before, log, late, wrote},
		{"something happened behind that", after, log, late, after},
		{"no call was at work", before, "", late, before},
		{"the log is gone", before, log + ".gone", late, before},
		{"the clock was set back", after, log, before, before},
	} {
		if got := LastSign(c.event, c.log, c.now); !got.Equal(c.want) {
			t.Errorf("%s: %v, want %v", c.name, got, c.want)
		}
	}
}
