package help

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestFit(t *testing.T) {
	const text = `Two lines
that are one paragraph of the help.
  -n, --number=N    How many of them there
                    may be.
  ralph run "a call that is longer than the screen is left whole"
  - the first of two
    items
  - the second
`
	const want = `Two lines that are one
paragraph of the help.
  -n, --number=N
        How many of them
        there may be.
  ralph run "a call that is longer than the screen is left whole"
  - the first of two
    items
  - the second
`
	if diff := cmp.Diff(want, Fit(text, 24)); diff != "" {
		t.Error(diff)
	}
	if got := Fit(text, 80); got != text {
		t.Errorf("80 columns changed the text:\n%s", got)
	}
}
