package main

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/rogpeppe/go-internal/txtar"
)

// costly returns one honest agent for each of three languages. It adds a function with a test to
// a project of 200 tests.
func costly() []scenario {
	const packages, each = 10, 20
	golang := map[string]string{"go.mod": "module x\n\ngo 1.24\n"}
	python := map[string]string{
		"calc.py": "def add(a, b):\n    return a + b\n", "tests/__init__.py": "",
	}
	node := map[string]string{"calc.js": "exports.add = (a, b) => a + b;\n", "package.json": "{}\n"}
	for p := range packages {
		var inGo, inPython, inNode strings.Builder
		for n := range each {
			fmt.Fprintf(&inGo, "\nfunc TestAdd%d(t *testing.T) {\n\tif Add(%d, 1) != %d {\n"+
				"\t\tt.Fatal()\n\t}\n}\n", n, n, n+1)
			fmt.Fprintf(&inPython, "    def test_%d(self):\n"+
				"        self.assertEqual(calc.add(%d, 1), %d)\n\n", n, n, n+1)
			fmt.Fprintf(&inNode, "test('t%d', () => assert.equal(calc.add(%d, 1), %d));\n", n, n, n+1)
		}
		dir := fmt.Sprintf("p%d", p)
		golang[dir+"/a.go"] = "package " + dir + "\n\nfunc Add(a, b int) int { return a + b }\n"
		golang[dir+"/a_test.go"] = "package " + dir + "\n\nimport \"testing\"\n" + inGo.String()
		python["tests/test_"+dir+".py"] = "import unittest\n\nimport calc\n\n\n" +
			"class T(unittest.TestCase):\n" + inPython.String()
		node[dir+".test.js"] = "const test = require('node:test');\n" +
			"const assert = require('node:assert');\nconst calc = require('./calc');\n" + inNode.String()
	}
	return []scenario{
		oneStory("Go", "go test ./...", golang, map[string]string{
			"p0/mul.go": "package p0\n\nfunc Mul(a, b int) int { return a * b }\n",
			"p0/mul_test.go": "package p0\n\nimport \"testing\"\n\nfunc TestMul(t *testing.T) {\n" +
				"\tif Mul(2, 3) != 6 {\n\t\tt.Fatal()\n\t}\n}\n",
			"p1/a.go": "package p1\n\nfunc Add(a, b int) int { return b + a }\n",
		}),
		oneStory("Python", "python3 -m unittest discover", python, map[string]string{
			"calc.py": python["calc.py"] + "\n\ndef mul(a, b):\n    return a * b\n",
			"tests/test_mul.py": "import unittest\n\nimport calc\n\n\nclass T(unittest.TestCase):\n" +
				"    def test_mul(self):\n        self.assertEqual(calc.mul(2, 3), 6)\n",
		}),
		oneStory("JavaScript", "node --test", node, map[string]string{
			"calc.js": node["calc.js"] + "exports.mul = (a, b) => a * b;\n",
			"mul.test.js": "const test = require('node:test');\nconst calc = require('./calc');\n" +
				"test('mul', () => require('node:assert').equal(calc.mul(2, 3), 6));\n",
		}),
	}
}

// oneStory returns the agent that writes files into a project of a language and commits them.
func oneStory(language, check string, project, work map[string]string) scenario {
	s := scenario{Name: "cost-" + language, Language: language, Stories: 1,
		About:    "It adds a function and its test.",
		Settings: fmt.Sprintf("quality_checks: {tests: %q}\ntamper: reject\n", check),
		Want:     want{Accepted: []string{"STORY-001"}}}
	steps := "turns:\n  - steps:\n"
	for name, text := range work {
		content, _ := json.Marshal(text) // a text always has a form
		steps += fmt.Sprintf("      - write: {path: %s, content: %s}\n", name, content)
	}
	s.files = []txtar.File{{Name: "replay.yaml",
		Data: []byte(steps + "      - git_commit: more work\n      - tick: STORY-001\n")}}
	for name, text := range project {
		s.files = append(s.files, txtar.File{Name: "repo/" + name, Data: []byte(text)})
	}
	return s
}
