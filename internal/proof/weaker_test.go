package proof

import (
	"slices"
	"testing"
)

// TestFaultsAreWhereTheChangedTestsLook verifies that most faults are put into code with
// names that the changed lines of the tests use, however long the file is.
func TestFaultsAreWhereTheChangedTestsLook(t *testing.T) {
	text := ""
	for n := range 200 {
		text += "def other" + string(rune('a'+n%26)) + "():\n    return 1 + 2\n\n\n"
	}
	text += "def wanted(size):\n    if size:\n        return 3 + 4\n    return False\n"
	all := mutantsOf("calc.py", text)
	in := 0
	picked := pick(all, map[string]float64{"wanted": 1, "return": 1}, nil)
	for _, m := range picked {
		if slices.Contains(m.words, "wanted") {
			in++
		}
	}
	if in != 3 || len(picked) != maxMutants {
		t.Errorf("%d of %d faults are in the function, not 3 of %d", in, len(picked), maxMutants)
	}
}

// TestAFaultIsWrittenInTheLanguageOfTheFile verifies the line with the fault.
func TestAFaultIsWrittenInTheLanguageOfTheFile(t *testing.T) {
	for _, c := range []struct{ file, line, want string }{
		{"a.py", "    elif found:\n", "    elif not (found):\n"},
		{"a.py", "    return value\n", "    return None\n"},
		{"a.js", "  if (found) {\n", "  if (!(found)) {\n"},
		{"a.js", "  return value;\n", "  return null;\n"},
		{"a.go", "\tif found {\n", "\tif !(found) {\n"},
		{"a.go", "\tif a, ok := b[c]; ok {\n", ""},
		{"a.go", "\treturn value\n", ""},
		{"a.go", "\treturn value // one or two\n", ""},
		{"a.go", "import (\n\t\"errors\"\n)\n", ""},
		{"a.py", "    \"\"\"One and two.\n\n    1 and 2.\n    \"\"\"\n", ""},
		{"a.js", "/* one and\n * two and three */\n", ""},
		{"a.go", "\tif a < b {\n", "\tif a >= b {\n"},
	} {
		got := ""
		for _, m := range mutantsOf(c.file, c.line) {
			got = m.text()
		}
		if got != c.want {
			t.Errorf("%s: %q becomes %q, not %q", c.file, c.line, got, c.want)
		}
	}
}
