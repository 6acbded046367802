package glob

import "testing"

func TestMatch(t *testing.T) {
	for pattern, c := range map[string]struct{ yes, no []string }{
		"Makefile":        {[]string{"Makefile", "a/Makefile"}, []string{"Makefile.am", "Makefile/x", ""}},
		"*_test.go":       {[]string{"a_test.go", "x/y/a_test.go"}, []string{"a_test.go.txt", "test.go"}},
		"*.test.[jt]s":    {[]string{"a.test.js", "x/a.test.ts"}, []string{"a.test.css"}},
		"test_*.py":       {[]string{"x/test_a.py"}, []string{"x/a_test.py", "test_x/a.py"}},
		"__tests__/":      {[]string{"__tests__/a.js", "x/__tests__/y/a"}, []string{"__tests__", "x__tests__/a"}},
		"*.Tests/":        {[]string{"App.Tests/a.cs", "x/App.Tests/y/a.cs"}, []string{"App.Tests", "Tests/a.cs"}},
		".github/hooks/":  {[]string{".github/hooks/a", ".github/hooks/x/a"}, []string{"x/.github/hooks/a"}},
		"tests/**/*.rs":   {[]string{"tests/a.rs", "tests/x/y/a.rs"}, []string{"x/tests/a.rs", "tests/a.go"}},
		"**/src/test/**":  {[]string{"src/test/A.java", "x/src/test/y/A.java"}, []string{"src/test", "src/main/A.java"}},
		"scripts/ci-*.sh": {[]string{"scripts/ci-all.sh"}, []string{"scripts/x/ci-all.sh", "ci-all.sh"}},
		"[":               {nil, []string{"[", "a"}},
	} {
		s := New(pattern)
		for _, path := range c.yes {
			if !s.Match(path) {
				t.Errorf("%q does not match %q", pattern, path)
			}
		}
		for _, path := range c.no {
			if s.Match(path) {
				t.Errorf("%q matches %q", pattern, path)
			}
		}
	}
	if New().Match("a") {
		t.Error("an empty set matches")
	}
}

func TestValid(t *testing.T) {
	for pattern, want := range map[string]bool{"a/*.go": true, "a/[": false, "": false, "/": false, "[a-": false, "x/": true} {
		if Valid(pattern) != want {
			t.Errorf("Valid(%q) is not %v", pattern, want)
		}
	}
}
