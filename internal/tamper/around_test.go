package tamper

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestCompare(t *testing.T) {
	before := Around{Hooks: map[string]string{"pre-commit": "1", "pre-push": "2"}, Excluded: []string{"a"}}
	for name, c := range map[string]struct {
		after Around
		want  []string
	}{
		"nothing":     {before, nil},
		"a new hook":  {Around{Hooks: map[string]string{"pre-commit": "1", "pre-push": "2", "commit-msg": "3"}, Excluded: []string{"a"}}, nil},
		"fewer rules": {Around{Hooks: before.Hooks}, nil},
		"all": {Around{Hooks: map[string]string{"pre-commit": "x"}, HooksPath: "/dev/null", Excluded: []string{"a", "b"}},
			[]string{".git/hooks/pre-commit", ".git/hooks/pre-push", ".git/config", ".git/info/exclude"}},
		"what git shows": {Around{Hooks: before.Hooks, Unseen: []string{"filter.x.clean = cat", "info/attributes: * filter=x"}},
			[]string{".git/config", ".git/info/attributes"}},
	} {
		var got []string
		for _, f := range Compare(before, c.after) {
			got = append(got, f.Path)
		}
		if diff := cmp.Diff(c.want, got); diff != "" {
			t.Errorf("%s: %s", name, diff)
		}
	}
	// A project that sets its hooks up for the first time weakens nothing.
	if got := Compare(Around{}, Around{HooksPath: ".husky/_"}); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}
