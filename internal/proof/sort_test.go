package proof

import (
	"strings"
	"testing"

	"ralph/internal/glob"
)

func TestKind(t *testing.T) {
	s := newSorter([]string{"specs/**"}, []string{"verify/"})
	s.found = map[string]bool{"ci.sh": true, "package.json": true}
	s.targets = []string{"test"}
	for want, paths := range map[FileKind][]string{
		Test: {"a_test.go", "x/testdata/in.json", "test_a.py", "pkg/tests/helper.py", "conftest.py", "src/a.test.ts", "src/__tests__/a.tsx",
			"a_test.ts", "lib/test.ts", "tests/retry.rs", "src/tests.rs", "src/test/java/A.java", "app/src/androidTest/kotlin/A.kt", "spec/a_spec.rb",
			"tests/ATest.php", "a_test.cpp", "x.bats", "internal/assert/assert.go", "testutil/db.go", "specs/a.txt", "src/x.snap", "test/a.js"},
		CheckFile:  {"ci.sh", "verify/a.py", "pytest.ini", "sub/jest.config.js", ".github/workflows/ci.yml", "unittest.py", "pytest/__init__.py", "sitecustomize.py", "test", "test/x"},
		Mixed:      {"package.json", "web/package.json", "pyproject.toml", "Cargo.toml", "go.mod", "setup.cfg", ".npmrc"},
		Dependency: {"go.sum", "vendor/github.com/x/y.go", "package-lock.json", "requirements-dev.txt", "node_modules/a/index.js"},
		Prose:      {"README.md", "docs/a.rst", "LICENSE", "logo.svg"},
		Foreign:    {".ralph/feature-x/prd.json", ".claude/loop-state.json"},
		Work:       {"main.go", "src/lib.rs", "src/app.ts", "contest.py", "latest.js", "attest/a.go", "src/main/java/A.java", "unit/test.go.tmpl", "protest.rb"},
	} {
		for _, p := range paths {
			if p == "test/a.js" {
				continue // below
			}
			if got := s.kind(p); got != want {
				t.Errorf("%s is %q, want %q", p, got, want)
			}
		}
	}
	s.targets = nil
	if s.kind("test/a.js") != Test {
		t.Error("test/a.js is no test where make has no such target")
	}
}

const rustFile = `fn add(a: i32) -> &'static str {
    let c = '{'; let d = '\''; "}" // }
}

#[cfg(test)]
mod tests {
    use super::*;
    /* } */
    #[test]
    fn adds() { assert_eq!(r#"}"#, "{\""); let x: &'static str = "}"; let b = b'}'; }
}

fn more() {}
`

func TestSplitRust(t *testing.T) {
	work, tests := splitRust(rustFile)
	if len(tests) != 1 || !strings.HasSuffix(tests[0], "let b = b'}'; }\n}") || strings.Contains(work, "cfg(test)") || !strings.Contains(work, "fn more") {
		t.Errorf("work %q\ntests %q", work, tests)
	}
	other := strings.ReplaceAll(rustFile, "adds()", "adds_more()")
	joined := joinRust(strings.ReplaceAll(other, "fn more", "fn less"), rustFile)
	if !strings.Contains(joined, "fn less") || !strings.Contains(joined, "fn adds()") || strings.Contains(joined, "adds_more") {
		t.Errorf("joined: %s", joined)
	}
	if joinRust(rustFile, rustFile) != rustFile {
		t.Error("a file joined with itself has changed")
	}
	if got := joinRust("fn a() {}\n", rustFile); !strings.HasPrefix(got, "fn a() {}\n\n#[cfg(test)]") {
		t.Errorf("%q", got)
	}
}

func TestTheTableIsValid(t *testing.T) {
	var all []string
	for _, l := range languages {
		all = append(all, l.tests...)
	}
	for _, list := range [][]string{all, settingFiles, mixedFiles, dependencyFiles, proseFiles, foreignFiles} {
		for _, p := range list {
			if !glob.Valid(p) {
				t.Errorf("%q matches nothing", p)
			}
		}
	}
}
