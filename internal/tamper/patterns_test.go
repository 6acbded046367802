package tamper

import "testing"

// TestEveryPatternHoldsItsExamples: each expression finds its own lines and
// leaves its counterexamples alone.
func TestEveryPatternHoldsItsExamples(t *testing.T) {
	p := patterns()
	check := func(where string, list []pattern) {
		for i := range list {
			e := &list[i]
			if len(e.Yes) == 0 || len(e.No) == 0 {
				t.Errorf("%s: %s has no examples of both kinds", where, e.RE)
			}
			for _, line := range e.Yes {
				if !e.match(line) {
					t.Errorf("%s: %s does not find %q", where, e.RE, line)
				}
			}
			for _, line := range e.No {
				if e.match(line) {
					t.Errorf("%s: %s finds %q", where, e.RE, line)
				}
			}
		}
	}
	for _, f := range p.frameworks {
		check(f.Name+": test", f.Test)
		check(f.Name+": skip", f.Skip)
		check(f.Name+": assert", f.Assert)
		check(f.Name+": hollow", f.Hollow)
		for n, lines := range [][]string{f.Runner.examples(true), f.Runner.examples(false)} {
			for _, line := range lines {
				if none := f.Runner.re.match(line) && !f.Runner.runs([]string{line}); none != (n == 0) {
					t.Errorf("%s: runner: wrong about %q", f.Name, line)
				}
			}
		}
	}
	for _, r := range p.rules {
		check(r.Rule+": added", r.Added)
		check(r.Rule+": removed", r.Removed)
	}
	for _, h := range p.thresholds {
		check(h.Rule, h.Match)
	}
	check("commands", p.words)
}

// TestHollowAssertionsAreNoAssertions: what can never fail must not stand in for
// what could, and a skipped test is no new kind of test.
func TestHollowAssertionsAreNoAssertions(t *testing.T) {
	for _, f := range patterns().frameworks {
		for _, h := range f.Hollow {
			for _, line := range h.Yes {
				if f.isAssertion(line) {
					t.Errorf("%s: %q counts as an assertion", f.Name, line)
				}
			}
		}
	}
}

func TestFilesOfEachKind(t *testing.T) {
	p := patterns()
	for path, want := range map[string]string{
		"auth/login_test.go":            "Go",
		"tests/unit/test_login.py":      "pytest and unittest",
		"src/login.test.tsx":            "Jest, Vitest, Mocha, Jasmine, Playwright and Cypress",
		"cypress/e2e/login.cy.ts":       "Jest, Vitest, Mocha, Jasmine, Playwright and Cypress",
		"src/__tests__/login.js":        "Jest, Vitest, Mocha, Jasmine, Playwright and Cypress",
		"app/src/test/java/LoginT.java": "JUnit, TestNG and Kotlin",
		"LoginTest.kt":                  "JUnit, TestNG and Kotlin",
		"spec/models/login_spec.rb":     "RSpec and Minitest",
		"tests/login.rs":                "Rust tests",
		"src/login.rs":                  "Rust",
		"App.Tests/LoginTests.cs":       "xUnit, NUnit and MSTest",
		"tests/Unit/LoginTest.php":      "PHPUnit and Pest",
		"AppTests/LoginTests.swift":     "XCTest and Swift Testing",
		"test/login_test.exs":           "ExUnit",
		"tests/login.bats":              "bats",
		"tests/login.sh":                "shell",
		"tests/login_test.cpp":          "GoogleTest and Catch2",
		"auth/login.go":                 "",
		"src/login.ts":                  "",
		"src/contest.py":                "",
		"README.md":                     "",
	} {
		got := ""
		if f := p.framework(path); f != nil {
			got = f.Name
		}
		if got != want {
			t.Errorf("%s is of %q, want %q", path, got, want)
		}
	}
}

func TestGlobs(t *testing.T) {
	for _, c := range []struct {
		glob, path string
		want       bool
	}{
		{"*.py", "a/b.py", true}, {"*.py", "a/b.pyc", false}, {"vendor/", "x/vendor/a.go", true}, {"vendor/", "vendor", false},
		{"vendor/", "myvendor/a.go", false}, {"tests/**/*.py", "tests/a.py", true}, {"tests/**/*.py", "tests/a/b/c.py", true},
		{"tests/**/*.py", "x/tests/a.py", false}, {"**/tests/**/*.py", "x/tests/a.py", true}, {"*.[jt]s", "a.ts", true},
		{"*.[jt]s", "a.cs", false}, {"scripts/test*", "scripts/test-all", true}, {"a+b?", "a+bc", true}, {"a+b?", "aabc", false},
	} {
		if got := newGlobs([]string{c.glob}).match(c.path); got != c.want {
			t.Errorf("%s for %s: %v", c.glob, c.path, got)
		}
	}
}

func (r *runner) examples(yes bool) []string {
	switch {
	case r == nil:
		return nil
	case yes:
		return r.Yes
	}
	return r.No
}
