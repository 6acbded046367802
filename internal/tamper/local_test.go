package tamper

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/git"
)

func TestCompare(t *testing.T) {
	before := git.LocalConfig{Hooks: map[string]string{"pre-commit": "1", "pre-push": "2"}, Excluded: []string{"a"}}
	for name, c := range map[string]struct {
		after git.LocalConfig
		want  []string
	}{
		"nothing":                          {before, nil},
		"a new hook":                       {git.LocalConfig{Hooks: map[string]string{"pre-commit": "1", "pre-push": "2", "commit-msg": "3"}, Excluded: []string{"a"}}, nil},
		"a new hook that touches the plan": {git.LocalConfig{Hooks: map[string]string{"pre-commit": "1", "pre-push": "2", "post-commit": "3 plan"}, Excluded: []string{"a"}}, []string{".git/hooks/post-commit"}},
		"fewer rules":                      {git.LocalConfig{Hooks: before.Hooks}, nil},
		"all": {git.LocalConfig{Hooks: map[string]string{"pre-commit": "x"}, HooksPath: "/dev/null", Excluded: []string{"a", "b"}},
			[]string{".git/hooks/pre-commit", ".git/hooks/pre-push", ".git/config", ".git/info/exclude"}},
		"what git shows": {git.LocalConfig{Hooks: before.Hooks, Unseen: []string{"filter.x.clean = cat", "info/attributes: * filter=x"}},
			[]string{".git/config", ".git/info/attributes"}},
		"LFS":                            {git.LocalConfig{Hooks: before.Hooks, Unseen: []string{"filter.lfs.clean = git-lfs clean -- %f", "filter.lfs.required = true"}}, nil},
		"a filter that calls itself LFS": {git.LocalConfig{Hooks: before.Hooks, Unseen: []string{"filter.lfs.clean = cat .git/orig"}}, []string{".git/config"}},
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
	if got := Compare(git.LocalConfig{}, git.LocalConfig{HooksPath: ".husky/_"}); len(got) > 0 {
		t.Errorf("%+v", got)
	}
}

// TestCompareSparse narrows and widens a sparse checkout as git writes it.
func TestCompareSparse(t *testing.T) {
	cone := func(more ...string) []string { return append([]string{"/*", "!/*/"}, more...) }
	for name, c := range map[string]struct {
		before, after []string
		want          bool
	}{
		"one begins":                    {nil, cone("/src/"), true},
		"one begins with nothing":       {nil, []string{}, true},
		"one is as it was":              {cone("/src/"), cone("/src/"), false},
		"one ends":                      {cone("/src/"), nil, false},
		"a folder comes in":             {cone("/src/"), cone("/src/", "/tests/"), false},
		"a folder of a new folder":      {cone("/src/"), cone("/libs/", "!/libs/*/", "/libs/a/", "/src/"), false},
		"another folder next to it":     {cone("/libs/", "!/libs/*/", "/libs/a/"), cone("/libs/", "!/libs/*/", "/libs/a/", "/libs/b/"), false},
		"all of a folder":               {cone("/libs/", "!/libs/*/", "/libs/a/"), cone("/libs/"), false},
		"a folder goes":                 {cone("/src/", "/tests/"), cone("/src/"), true},
		"all but one of its folders":    {cone("/tests/"), cone("/tests/", "!/tests/*/", "/tests/a/"), true},
		"a file goes":                   {[]string{"/*"}, []string{"/*", "!/tests/a_test.go"}, true},
		"folders of one that was whole": {[]string{"/*"}, []string{"/*", "/tests/", "!/tests/*/"}, true},
		"all folders go":                {[]string{"/*"}, cone(), true},
		"a file comes back":             {[]string{"/*", "!/a.bin"}, []string{"/*"}, false},
	} {
		if got := Compare(git.LocalConfig{Sparse: c.before}, git.LocalConfig{Sparse: c.after}); len(got) > 0 != c.want {
			t.Errorf("%s: %+v", name, got)
		}
	}
}
