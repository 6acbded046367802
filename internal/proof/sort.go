package proof

import (
	"path"
	"strings"
	"sync"

	"ralph/internal/glob"
)

// FileKind says how the proof treats a file.
type FileKind string

// The kinds of files. A file that no other kind describes is work.
const (
	Work       FileKind = "work"
	Test       FileKind = "test"       // it tests, or helps to
	CheckFile  FileKind = "check file" // it decides what the checks run
	Mixed      FileKind = "mixed"      // dependencies and check settings in one file; see merge
	Dependency FileKind = "dependency" // lock files and foreign code
	Prose      FileKind = "prose"      // for people: documents, pictures
	Foreign    FileKind = "foreign"    // ralph's own files and those of other tools
)

// language says which files test, for one language.
type language struct {
	name  string
	tests []string
}

// languages is the table of tests. Settings extend it with proof.tests.
var languages = []language{
	{"Go", []string{"*_test.go", "testdata/"}},
	{"Python: pytest, unittest", []string{"test_*.py", "*_test.py", "tests.py", "conftest.py"}},
	{"JavaScript, TypeScript: node:test, jest, vitest, mocha", []string{
		"*.test.[jt]s", "*.test.[jt]sx", "*.test.[cm][jt]s", "*.spec.[jt]s", "*.spec.[jt]sx", "*.spec.[cm][jt]s",
		"*.test-d.ts", "*.cy.[jt]s", "*.cy.[jt]sx", "*.e2e.[jt]s", "*[_\\-]test.[jt]s", "*[_\\-]test.[cm][jt]s",
		"*[_\\-]spec.[jt]s", "test.[jt]s", "test.[cm][jt]s", "tests.[jt]s", "test-*.[jt]s", "test-*.[cm]js",
		"__tests__/", "__mocks__/", "__snapshots__/", "cypress/", "e2e/", "*.snap",
	}},
	{"Rust", []string{"tests.rs", "*_test.rs", "*_tests.rs"}}, // and the modules of tests in other files: see rust.go
	{"Java, Kotlin: gradle, maven", []string{
		"*Test.java", "*Tests.java", "*IT.java", "*TestCase.java", "*Test.kt", "*Tests.kt", "*Spec.kt",
		"*Test.groovy", "*Spec.groovy", "*Test.scala", "*Spec.scala", "**/src/*[tT]est*/**", "src/*[tT]est*/**",
	}},
	{"Ruby: rspec, minitest", []string{"*_spec.rb", "*_test.rb", "test_*.rb", "spec_helper.rb", "rails_helper.rb", "spec/", "features/"}},
	{"PHP: phpunit, pest", []string{"*Test.php", "*TestCase.php", "*.phpt"}},
	{"C, C++: ctest", []string{"*_test.c", "*_test.cc", "*_test.cpp", "*_unittest.cc", "*_unittest.cpp", "test_*.c", "test_*.cc", "test_*.cpp", "*Test.cpp"}},
	{"C#, Swift, Elixir", []string{"*Test.cs", "*Tests.cs", "*.Tests/", "*.Test/", "*Tests.swift", "Tests/", "*_test.exs", "test_helper.exs"}},
	{"shell: bats", []string{"*.bats", "*_test.sh", "*-test.sh", "test_*.sh", "test-*.sh"}},
	{"any", []string{
		"test/", "tests/", "testing/", "testutil/", "testutils/", "testhelper/", "testhelpers/", "test_helpers/", "test-helpers/",
		"test-utils/", "testsupport/", "testkit/", "fixtures/", "__fixtures__/", "golden/", "*.golden", "*.approved.*", "*.ambr",
		"assert/", "asserts/", "assertions/", "assert.*", "asserts.*", "assertions.*", "assert_helper.*",
		"*test_helper.*", "*test_helpers.*", "*test_util.*", "*test_utils.*", "testhelper.*", "testutil.*", "testutils.*",
		"*[tT]estHelper.*", "*[tT]estHelpers.*", "*[tT]estUtils.*", "test-helper.*", "test-helpers.*", "test-utils.*",
	}},
}

// settingFiles are check files wherever they are: settings of runners and linters, CI and
// hooks. Settings extend them with proof.locked.
var settingFiles = []string{
	"pytest.ini", ".pytest.ini", "tox.ini", "noxfile.py", ".coveragerc", "mypy.ini", ".mypy.ini", ".flake8", ".pylintrc", "pylintrc",
	"ruff.toml", ".ruff.toml", "pyrightconfig.json", ".bandit", "sitecustomize.py", "usercustomize.py",
	"jest.config.*", "jest.setup.*", "jest-*.config.*", "vitest.config.*", "vitest.setup.*", "vitest.workspace.*", "playwright.config.*", "cypress.config.*",
	"karma.conf.*", "wdio.conf.*", ".mocharc*", "mocha.opts", ".nycrc*", ".c8rc*", ".taprc", "ava.config.*", "bunfig.toml",
	".eslintrc*", "eslint.config.*", ".eslintignore", ".prettierrc*", ".prettierignore", "biome.json", "biome.jsonc", ".stylelintrc*",
	".golangci.*", "staticcheck.conf", "clippy.toml", ".clippy.toml", "rustfmt.toml", ".rustfmt.toml", "nextest.toml",
	".rubocop.yml", ".rubocop_todo.yml", ".rspec", ".simplecov", "phpunit.xml*", "phpstan.neon*", "psalm.xml", ".phpcs.xml*",
	"checkstyle.xml", "detekt.yml", "spotbugs*.xml", "CTestCustom.cmake", ".shellcheckrc", ".clang-tidy",
	".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml", ".husky/", ".githooks/", ".lintstagedrc*", "lint-staged.config.*",
	".github/workflows/", ".github/actions/", ".gitlab-ci.yml", ".circleci/", ".buildkite/", ".travis.yml", "appveyor.yml",
	"azure-pipelines.yml", "bitbucket-pipelines.yml", "Jenkinsfile", ".drone.yml", ".woodpecker.yml", ".woodpecker/", "codecov.yml", ".codecov.yml",
}

var mixedFiles = []string{"package.json", "pyproject.toml", "Cargo.toml", "go.mod", "setup.cfg", ".npmrc"}

var dependencyFiles = []string{
	"go.sum", "go.work", "go.work.sum", "package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "deno.lock",
	"Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile", "Pipfile.lock", "requirements*.txt", "constraints*.txt",
	"composer.json", "composer.lock", "Gemfile", "Gemfile.lock", "mix.lock", "Package.resolved", "packages.lock.json", "gradle.lockfile",
	"node_modules/", "vendor/", "third_party/", ".yarn/", ".venv/",
}

var proseFiles = []string{
	"*.md", "*.mdx", "*.rst", "*.adoc", "*.svg", "*.png", "*.jpg", "*.jpeg", "*.gif", "*.webp", "*.ico", "*.pdf",
	"LICENSE*", "COPYING*", "NOTICE*", "AUTHORS*", "CONTRIBUTORS*", "CODEOWNERS", ".mailmap", ".editorconfig", ".gitignore",
}

// foreignFiles are the folders of the plan, of agents and of editors.
var foreignFiles = []string{".ralph/", ".claude/", ".ralph-tmp/", ".idea/", ".vscode/"}

// table is the languages and lists above, ready to match.
type table struct{ tests, settings, mixed, dependency, prose, foreign glob.Set }

var builtIn = sync.OnceValue(func() table {
	var tests []string
	for _, l := range languages {
		tests = append(tests, l.tests...)
	}
	return table{glob.New(tests...), glob.New(settingFiles...), glob.New(mixedFiles...),
		glob.New(dependencyFiles...), glob.New(proseFiles...), glob.New(foreignFiles...)}
})

// sorter sorts the paths of one comparison.
type sorter struct {
	table
	userTests, locked glob.Set
	found             map[string]bool // check files that the commands lead to
	targets           []string        // what make takes for a target: no file may be in its place
	moduleRoots       map[string]bool // folders with Go tests at base: a new go.mod there would take them out
}

// newSorter returns a sorter with the user's own globs.
func newSorter(tests, locked []string) *sorter {
	return &sorter{table: builtIn(), userTests: glob.New(tests...), locked: glob.New(locked...)}
}

// kind sorts one path.
func (s *sorter) kind(name string) FileKind {
	switch {
	case s.foreign.Match(name):
		return Foreign
	case s.locked.Match(name), s.found[name] && !s.mixed.Match(name) && !s.tests.Match(path.Base(name)), s.isTarget(name):
		return CheckFile
	case s.userTests.Match(name):
		return Test
	case s.mixed.Match(name):
		if path.Base(name) == "go.mod" && s.moduleRoots[path.Dir(name)] {
			return CheckFile
		}
		return Mixed
	case s.dependency.Match(name):
		return Dependency
	case s.settings.Match(name), shadowsRunner(name):
		return CheckFile
	case s.tests.Match(name):
		return Test
	case s.prose.Match(name):
		return Prose
	}
	return Work
}

// isTarget reports whether make would take the file, or a folder above it, for a target.
func (s *sorter) isTarget(name string) bool {
	for _, t := range s.targets {
		if name == t || strings.HasPrefix(name, t+"/") {
			return true
		}
	}
	return false
}

// shadowsRunner reports whether Python would load the file in place of a module that
// runs tests.
func shadowsRunner(name string) bool {
	module, isFile := strings.CutSuffix(name, ".py")
	if !isFile {
		return false
	}
	first, _, _ := strings.Cut(module, "/")
	switch first {
	case "unittest", "pytest", "_pytest", "doctest", "nose", "nose2", "pluggy", "iniconfig", "coverage", "mock", "hypothesis", "tox":
		return true
	}
	return false
}

// isData reports whether a file in a folder of tests only holds data: a runner does not
// change what it runs because the file is there.
func isData(name string) bool {
	if strings.HasPrefix(path.Base(name), ".") {
		return false
	}
	switch path.Ext(name) {
	case ".txt", ".csv", ".tsv", ".json", ".yaml", ".yml", ".xml", ".html", ".sql", ".golden", ".snap", ".png", ".jpg", ".gif",
		".pem", ".gz", ".zip", ".bin", ".dat", ".md", ".input", ".output", ".in", ".out", ".ndjson", ".jsonl", ".proto", ".pdf":
		return !strings.HasSuffix(name, "package.json") && !strings.HasSuffix(name, "requirements.txt")
	}
	return false
}
