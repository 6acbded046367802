package tamper

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestNeeded(t *testing.T) {
	for re, want := range map[string][]string{
		`^\s*func (\w+)\(`:         {"func "},
		`(?:eslint|tslint):x`:      {"eslint", "tslint"},
		`a?|b`:                     nil,
		`(?i)abc`:                  nil,
		`\bexit\s+0|true`:          {"exit", "true"},
		`[a-z]+\(`:                 {"("},
		`(?:x{2,3})yz`:             {"yz"},
		`long enough(?:a|bc)?\d*$`: {"long enough"},
	} {
		e, err := newExpr(re)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, e.needs); diff != "" {
			t.Errorf("%s: %s", re, diff)
		}
	}
}
