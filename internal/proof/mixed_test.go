package proof

import (
	"strings"
	"testing"
)

// TestMerge: the dependencies are those of the head, the checks those of the base.
func TestMerge(t *testing.T) {
	for name, c := range map[string]struct {
		head, base string
		has, lacks []string
	}{
		"package.json": {
			`{"name":"x","scripts":{"test":"true","pretest":"rm -r test","gen":"x"},"dependencies":{"left":"1"},"jest":{"testMatch":[]},"nyc":{}}`,
			`{"name":"x","scripts":{"test":"jest"},"jest":{"bail":true}}`,
			[]string{`"test": "jest"`, `"left": "1"`, `"bail": true`, `"gen": "x"`}, []string{"rm -r", "testMatch", "nyc"},
		},
		"new/package.json": {`{"scripts":{"prepare":"x","build":"y"},"dependencies":{"left":"1"},"jest":{}}`, "", []string{`"left": "1"`, `"build": "y"`}, []string{"prepare", "jest"}},
		"sub/.npmrc":       {"registry=https://x\nnode-options=--require=./a\n", "", []string{"registry"}, []string{"node-options"}},
		"web/package.json": {`{"dependencies":{"left":"1"}`, `{"scripts":{}}`, []string{`{"dependencies":{"left":"1"}`}, nil},
		"pyproject.toml": {
			"[project]\ndependencies = [\"new\"]\n[tool.pytest.ini_options]\naddopts = \"-k nothing\"\n[tool.poetry]\nname = \"y\"\n",
			"[project]\n[tool.pytest.ini_options]\naddopts = \"-q\"\n[tool.ruff]\nselect = [\"E\"]\n",
			[]string{`"new"`, `"-q"`, "[tool.ruff]", `name = "y"`}, []string{"nothing"},
		},
		"setup.cfg": {"[metadata]\nname = x\n[tool:pytest]\naddopts = --co\n", "[tool:pytest]\naddopts = -q\n[flake8]\nmax = 1", []string{"name = x", "-q", "max = 1"}, []string{"--co"}},
		"Cargo.toml": {
			"[package]\nname = \"x\"\nautotests = false\n[dependencies]\nserde = \"1\"\n[lib]\ntest = false\n",
			"[package]\nname = \"x\"\n[lib]\ndoctest = false\n[[test]]\nname = \"a\"\n",
			[]string{"serde", "doctest = false", `name = "a"`}, []string{"autotests", "\ntest = false"},
		},
		"go.mod": {
			"module x\nrequire (\n\tgithub.com/a/assert v1.0.0\n\tgithub.com/b/new v1.0.0\n)\nreplace github.com/a/assert => ./fake\nreplace github.com/b/new => ./new\n",
			"module x\nrequire github.com/a/assert v1.0.0\n",
			[]string{"b/new v1.0.0", "=> ./new"}, []string{"./fake"},
		},
		".npmrc": {"registry=https://x\nscript-shell=/bin/true\n", "node-options=--a", []string{"registry", "node-options=--a\n"}, []string{"script-shell"}},
	} {
		got := merge(name, c.head, c.base)
		for _, text := range c.has {
			if !strings.Contains(got, text) {
				t.Errorf("%s has no %q:\n%s", name, text, got)
			}
		}
		for _, text := range c.lacks {
			if strings.Contains(got, text) {
				t.Errorf("%s has %q:\n%s", name, text, got)
			}
		}
	}
}
