package ratelimit

import (
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

func TestHarnessesThatHaveALedger(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "ratelimit")
	if names, err := Harnesses(dir); err != nil || names != nil {
		t.Errorf("%q, %v", names, err)
	}
	for _, name := range []string{"my agent/2", "claude"} {
		if _, err := Open(dir, name, 0).Take(t.Context(), time.Now()); err != nil {
			t.Fatal(err)
		}
	}
	names, err := Harnesses(dir)
	if diff := cmp.Diff([]string{"claude", "my agent/2"}, names); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
