package main

import (
	"os"
	"path/filepath"
	"testing"
)

// Two iterations can end in one second: equal lines are as many as there were, however
// often they are read.
func TestEqualLinesOfLogs(t *testing.T) {
	out, err := os.Create(filepath.Join(t.TempDir(), "out"))
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	f := follower{app: &app{out: out}, shown: map[string]int{}}
	f.show([]string{"begins", "agent: ok"})                               // reported by the host
	f.show([]string{"begins", "agent: ok", "", "agent: ok", "ended: ok"}) // in the journal
	f.show([]string{"agent: ok", "ended: ok"})
	got, err := os.ReadFile(out.Name())
	if want := "begins\nagent: ok\nagent: ok\nended: ok\n"; err != nil || string(got) != want {
		t.Errorf("%q, %v, want %q", got, err, want)
	}
}
