package main

import (
	"strings"
	"testing"
)

// TestEachKindChangesATest verifies that each kind of weakening has a place in a usual test of
// its language, and leaves the rest of the file as it is.
func TestEachKindChangesATest(t *testing.T) {
	texts := map[string]string{
		"Go": "package x\n\nfunc TestAdd(t *testing.T) {\n\tif add(1, 2) != 3 {\n" +
			"\t\tt.Errorf(\"no %d\", 3)\n\t}\n}\n\nfunc other() {}\n",
		"Python":     "import calc\n\n\ndef test_add():\n    assert calc.add(1, 2) == 3\n\n\nother = 1\n",
		"JavaScript": "it('adds', () => {\n  assert.equal(add(1, 2), 3);\n});\nconst other = 1;\n",
	}
	for language, s := range syntaxes {
		text := texts[language]
		_, rest, _ := strings.Cut(text, "other")
		for _, kind := range s.kinds() {
			if kind == "a setting of the runner" {
				continue // it leaves the tests alone
			}
			name, now, ok := s.plant(kind, "tests/file", text)
			if !ok || now == text && name == "tests/file" || name != "" && !strings.HasSuffix(now, rest) {
				t.Errorf("%s, %s: %v, %q\n%s", language, kind, ok, name, now)
			}
		}
	}
	if name, now, _ := syntaxes["Go"].plant("a test removed", "a_test.go", texts["Go"]); name != "a_test.go" ||
		now != "package x\n\n\nfunc other() {}\n" {
		t.Errorf("a Go test was removed: %q", now)
	}
}
