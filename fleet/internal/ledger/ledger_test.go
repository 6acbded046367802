package ledger

import (
	"fmt"
	"testing"
)

// No two takes have one number: the account answers the same number as before with the
// same answer. Of runs that ended long ago nothing is remembered.
func TestNumber(t *testing.T) {
	s := &Server{runs: map[string]int{}}
	seen := map[int]bool{}
	for i := range 3 * maxRuns {
		for _, run := range []string{"long", fmt.Sprint("short", i)} {
			n := s.number(run)
			if n == 0 || seen[n] {
				t.Fatalf("take %d of %s has the number %d", i, run, n)
			}
			seen[n] = true
		}
	}
	if _, known := s.runs["long"]; !known || len(s.runs) != maxRuns {
		t.Errorf("%d runs are known, one at work among them: %t", len(s.runs), known)
	}
}
