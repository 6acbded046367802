package tamper

import (
	"sync"

	"ralph/internal/glob"
)

// rule is about single lines that came with the change, in certain files.
type rule struct {
	name, message string
	files         glob.Set
	source        bool // not in tests
	comment       bool // the rule is about comments
	lines         []line
}

// line is an expression with an exception, and the lines that tests compare them with.
type line struct {
	re, unless string
	yes, no    []string

	match, except expr
}

func (l *line) finds(text string) bool {
	return l.match.match(text) && (l.unless == "" || !l.except.match(text))
}

// library is all that Inspect knows, ready for use.
type library struct {
	ignored, ci, tests glob.Set
	rules              []rule
}

// patterns makes the expressions ready once, and only in programs that read a diff.
var patterns = sync.OnceValue(func() *library {
	l := &library{ignored: glob.New(ignored...), ci: glob.New(ciFiles...), tests: glob.New(testFiles...), rules: rules()}
	for i := range l.rules {
		for k := range l.rules[i].lines {
			e := &l.rules[i].lines[k]
			e.match = mustExpr(e.re)
			if e.unless != "" {
				e.except = mustExpr(e.unless)
			}
		}
	}
	return l
})

// ignored are foreign and generated files. Their size does not count either.
var ignored = []string{"node_modules/", "vendor/", "third_party/", ".venv/", ".yarn/", "dist/", "package-lock.json", "npm-shrinkwrap.json",
	"pnpm-lock.yaml", "yarn.lock", "bun.lock", "deno.lock", "go.sum", "Cargo.lock", "poetry.lock", "uv.lock", "pdm.lock", "Pipfile.lock",
	"composer.lock", "Gemfile.lock", "mix.lock", "Package.resolved", "packages.lock.json", "*.min.js", "*.min.css", "*.pb.go",
	"*_pb2.py", "*.map", "*.snap", "*.svg"}

// ciFiles are run by CI and by git, and by no check of ralph's.
var ciFiles = []string{".github/workflows/", ".github/actions/", ".gitlab-ci.yml", ".gitlab/ci/", ".circleci/", ".buildkite/", ".travis.yml",
	"appveyor.yml", "azure-pipelines.yml", "bitbucket-pipelines.yml", "Jenkinsfile", ".drone.yml", ".woodpecker.yml", ".woodpecker/",
	".husky/", ".githooks/", ".pre-commit-config.yaml", "lefthook.yml", ".lefthook.yml"}

// testFiles may look whether they are tested.
var testFiles = []string{"*_test.go", "test_*.py", "*_test.py", "conftest.py", "*.test.*", "*.spec.*", "*_spec.rb", "*_test.rb", "*Test.java",
	"*Test.kt", "*Test.php", "*Tests.cs", "*.bats", "*_test.*", "test/", "tests/", "spec/", "__tests__/", "e2e/", "testutil/", "*test_helper*",
	"*.config.js", "*.config.ts", "*.config.mjs", "*.setup.ts", "*.setup.js"}

// rules lists what no run can show.
func rules() []rule {
	anyFile := glob.New("*")
	return []rule{
		{
			name: "ci-softened", message: "a step of CI or of a hook can no longer fail", files: glob.New(ciFiles...),
			lines: []line{
				{
					re:  `(?:test|lint|check|pytest|jest|vet|tsc|clippy|mypy|ruff|eslint)\b.*(?:\|\||;)\s*(?:true|:|exit\s+0|echo\b[^|;&]*)\s*(?:["']|#|$)`,
					yes: []string{"    - run: npm test || true", "      run: npm run lint || echo failed", "  pytest || :"},
					no:  []string{"      run: docker compose down || true", "      run: npm test", "  run: npm test || exit 1"},
				},
				{
					re:  `^\s*(?:continue-on-error|allow_failure|ignore_errors|soft_fail)\s*:\s*(?:true|yes)\b`,
					yes: []string{"      continue-on-error: true", "  allow_failure: true"},
					no:  []string{"      continue-on-error: false", "      continue-on-error: ${{ matrix.experimental }}"},
				},
				{
					re:  `^\s*(?:if|when)\s*:\s*["']?(?:\$\{\{\s*)?(?:false|never|0)\b`,
					yes: []string{"    if: false", "    if: ${{ false }}", "  when: never"},
					no:  []string{"    if: github.event_name == 'push'", "  when: always"},
				},
				{
					re:  `^\s*(?:-\s+|run:\s*)*(?:exit\s+0|set\s+\+e)\s*$`,
					yes: []string{"exit 0", "      run: exit 0", "set +e"},
					no:  []string{"exit 1", "exit $code", "set -e"},
				},
			},
		},
		{
			name: "build-weakened", message: "the build does less than before to check itself", // the build is work: no run takes it from the base
			files: glob.New("tsconfig*.json", "jsconfig.json", "pom.xml", "*.gradle", "*.gradle.kts", "*.csproj", "CMakeLists.txt"),
			lines: []line{
				{
					re: `"(?:strict\w*|noImplicit\w+|noUnused\w+|noUncheckedIndexedAccess|exactOptionalPropertyTypes|alwaysStrict|checkJs)"\s*:\s*false` +
						`|"(?:allowUnreachableCode|suppressImplicitAnyIndexErrors|noCheck)"\s*:\s*true`,
					yes: []string{`    "strict": false,`, `    "noCheck": true`},
					no:  []string{`    "strict": true,`, `    "composite": false`},
				},
				{
					re: `<(?:skipTests|maven\.test\.skip|skipITs|testFailureIgnore)>\s*true|\bignoreFailures\s*(?:=|\.set\()?\s*true|<IsTestProject>\s*false` +
						`|\benabled\s*=\s*false\s*//\s*test|\btest\s*\{\s*enabled\s*=\s*false|\bset\(BUILD_TESTING\s+OFF`,
					yes: []string{"        <skipTests>true</skipTests>", "    ignoreFailures = true", "set(BUILD_TESTING OFF)"},
					no:  []string{"        <skipTests>false</skipTests>", "    ignoreFailures = false"},
				},
			},
		},
		{
			name: "suppression", message: "all complaints of a checker were silenced without a reason", files: anyFile, comment: true,
			lines: suppressions(),
		},
		{
			name: "test-detected", message: "the code behaves otherwise while it is tested", source: true,
			files: glob.New("*.go", "*.py", "*.js", "*.jsx", "*.ts", "*.tsx", "*.mjs", "*.cjs", "*.rb", "*.php", "*.java", "*.kt", "*.cs", "*.swift", "*.ex", "*.rs", "*.c", "*.cc", "*.cpp", "*.sh"),
			lines: detections(),
		},
		{
			name: "assertion-replaced", message: "the code replaces assertions of its tests",
			source: true,
			files:  glob.New("*.py", "*.js", "*.jsx", "*.ts", "*.tsx", "*.mjs", "*.cjs", "*.rb"),
			lines: []line{{
				re: `\bTestCase\.(?:assert|fail)\w*\s*=[^=]` +
					`|(?:require\(["'](?:node:)?assert(?:/strict)?["']\)|\bassert)` +
					`\.(?:strict|deep|equal|not|ok|throws|rejects|match|fail)\w*\s*=[^=>]` +
					`|\bglobalThis\.(?:expect|assert|test|it|describe)\s*=[^=]` +
					`|^\s*(?:class|module)\s+(?:Minitest::Assertions|RSpec::Expectations)`,
				yes: []string{"unittest.TestCase.assertEqual = lambda *_: None",
					"require('node:assert').strictEqual = () => {};", "  assert.equal = function () {}",
					"globalThis.expect = () => any"},
				no: []string{"    self.assertEqual = 1 == x", "assert.equal(a, b)",
					"const ok = assert.ok;", "if (assert.equal === x) {"},
			}},
		},
	}
}

// suppressions are remarks that silence a checker as a whole. One that names what it
// silences is a decision that can be read.
func suppressions() []line {
	const named = `\s*[(:=\[ ]\s*[\w@]`
	return []line{
		{
			re:     `(?:/\*|//|<!--|#|\{/\*)\s*(?:eslint-disable|tslint:disable|stylelint-disable|biome-ignore-all|jshint ignore|oxlint-disable)\b`,
			unless: `(?:eslint|tslint|stylelint|oxlint)[-:]disable(?:-next-line|-line|:next-line|:this-line)?[:\s]+[@\w]|ignore-all\s+\w+/`,
			yes:    []string{"/* eslint-disable */", "// eslint-disable-next-line", "  x() // eslint-disable-line"},
			no:     []string{"// eslint would complain", "// eslint-disable-next-line no-undef", `const rule = "eslint-disable"`},
		},
		{
			re:     `//\s*@ts-(?:ignore|nocheck|expect-error)\b|/\*\s*@ts-(?:ignore|nocheck)\b`,
			unless: `@ts-(?:expect-error|ignore)[:\s-]+\S+\s+\S`,
			yes:    []string{"  // @ts-ignore", "// @ts-nocheck", "// @ts-expect-error later"},
			no:     []string{"// the word ts-ignore", "// @ts-check", "// @ts-expect-error the types of this library are wrong"},
		},
		{
			re:     `#\s*(?:noqa\b|type:\s*ignore\b|pylint:\s*disable=all|pylint:\s*skip-file|pyright:\s*ignore\b|mypy:\s*ignore-errors|(?:ruff|flake8):\s*noqa|nosec\b)`,
			unless: `(?:noqa|ignore|nosec)` + named,
			yes:    []string{"import os  # noqa", "x = f()  # type: ignore", "# pylint: disable=all", "# ruff: noqa"},
			no:     []string{"# the type is ignored", "import os  # noqa: F401", "x = f()  # type: ignore[arg-type]", "# pylint: disable=invalid-name", "x = 1  # nosec B105"},
		},
		{
			re:     `//\s*(?:nolint\b|lint:file-ignore\b|#nosec\b)`,
			unless: `nolint:(?:\w+,?)+|file-ignore\s+\w+|#nosec\s+G\d`,
			yes:    []string{"	f() //nolint", "	// #nosec"},
			no:     []string{"	// no lint here", "	return nil //nolint:nilerr // gone", "	// #nosec G505 -- no protection"},
		},
		{
			re:  `//nolint:all\b|^\s*#!?\[(?:allow|expect)\((?:warnings|unused|clippy::all)\)\]|@SuppressWarnings\(\s*"all"|@Suppress\(\s*"all"|#pragma\s+warning\s+disable\s*$|(?:rubocop|swiftlint|standard|phpcs):disable(?::\w+)?\s*(?:all\b|$)|phpcs:ignoreFile|shellcheck\s+disable=all|@phpstan-ignore(?:-next)?-line\s*(?:\*/)?$`,
			yes: []string{"#![allow(warnings)]", `    @SuppressWarnings("all")`, "#pragma warning disable", "# rubocop:disable all", "// swiftlint:disable all", "x() //nolint:all"},
			no:  []string{"#[allow(dead_code)]", `    @SuppressWarnings("unchecked")`, "#pragma warning disable CS0618", "# rubocop:disable Metrics/AbcSize", "// swiftlint:disable:next force_cast"},
		},
		{
			re:  `//\s*NOLINT(?:BEGIN|NEXTLINE)?\s*$|@codeCoverageIgnoreStart|(?:/\*|//|#)\s*(?:istanbul|c8|v8) ignore file`,
			yes: []string{"  x(); // NOLINT", "/* istanbul ignore file */"},
			no:  []string{"  x(); // NOLINT(readability)", "// coverage is fine"},
		},
	}
}

// detections are conditions that recognise a test run.
func detections() []line {
	return []line{
		{
			re:  `\btesting\.Testing\(\)|flag\.Lookup\("test\.|strings\.(?:HasSuffix|Contains)\(os\.Args\[0\],\s*"[./]?\w*test"`,
			yes: []string{"	if testing.Testing() {", `	if flag.Lookup("test.v") != nil {`, `	if strings.HasSuffix(os.Args[0], ".test") {`},
			no:  []string{"	testing.Init()", `	flag.Lookup("verbose")`},
		},
		{
			re:  `PYTEST_CURRENT_TEST|["'](?:pytest|unittest)["']\s+in\s+sys\.modules|sys\.modules\.get\(["']pytest`,
			yes: []string{`    if "PYTEST_CURRENT_TEST" in os.environ:`, "if 'pytest' in sys.modules:"},
			no:  []string{"import pytest", `sys.modules["x"] = y`},
		},
		{
			re:  `process\.env\.(?:JEST_WORKER_ID|VITEST(?:_\w+)?|NODE_TEST_CONTEXT)\b|typeof\s+(?:jest|vi|describe|it)\s*[!=]==?\s*["']undefined`,
			yes: []string{"if (process.env.JEST_WORKER_ID) {", "if (typeof jest !== 'undefined') {", "if (process.env.VITEST) return 3"},
			no:  []string{"const env = process.env.HOME", "if (typeof x !== 'undefined') {"},
		},
		{
			re: `\.stack\b.*(?:includes|match|indexOf|test)\(.*(?:test|spec)` +
				`|\b(?:inspect\.stack|extract_stack|format_stack|debug\.Stack|caller)\(.*["'/].*(?:test|spec)` +
				`|(?:\bopen|read_text|read_bytes|readFileSync|readFile|ReadFile|File\.read|read_to_string` +
				`|file_get_contents)\(\s*["'\x60](?:\./)?(?:tests?|spec|__tests__)/`,
			yes: []string{"  return new Error().stack.includes('.test.js') ? a + b : 0;",
				`    text = open("tests/test_calc.py").read()`, `	data, _ := os.ReadFile("test/golden.txt")`},
			no: []string{"  console.log(err.stack)", `    text = open("data/x.txt").read()`,
				"  this.stack.push(test)"},
		},
		{
			re: `\bif\b.*(?:(?:os\.)?(?:Getenv|LookupEnv|getenv|environ(?:\.get)?)\W+["'](?:CI|TEST|TESTING|RUNNING_TESTS|GITHUB_ACTIONS|BATS_\w+)["']` +
				`|\bprocess\.env\.(?:CI|GITHUB_ACTIONS)\b|ENV\[["'](?:CI|TEST)["']\]|process\.env\.NODE_ENV\s*===?\s*["']test["'])`,
			yes: []string{`	if os.Getenv("CI") != "" {`, "    if os.environ.get('CI'):", "if (process.env.CI) {", "  return 3 if ENV['CI']"},
			no:  []string{`	home := os.Getenv("HOME")`, `	if os.Getenv("CITY") != "" {`, "if (process.env.NODE_ENV === 'production') {"},
		},
		{
			re: `(?:\bif\b|\bunless\b|\bcase\b|\bswitch\b|\[\[?\s|\btest\s|\?\s).*\bRALPH_(?:UNIT|ITERATION|ATTEMPT|RUN_TOKEN)\b` +
				`|\bRALPH_(?:UNIT|ITERATION|ATTEMPT|RUN_TOKEN)\b.*(?:\?\s|&&|\|\||\bthen\b)|["'*/]ralph-proof`,
			yes: []string{`if [ -n "$RALPH_UNIT" ]; then`, `	if os.Getenv("RALPH_ITERATION") != "" {`, `case "$PWD" in */ralph-proof-*) exit 0;; esac`},
			no:  []string{"	ralph run", "RALPH_HOME=/tmp", `	iteration := env.number("RALPH_ITERATION")`},
		},
		{
			re:  `\bRails\.env\.test\?|\bMix\.env\(?\)?\s*==\s*:test|\bapp\(\)->runningUnitTests\(\)|\bif\s+\[.*\$\{?BATS_`,
			yes: []string{"  return 3 if Rails.env.test?", "if Mix.env() == :test do", `if [ -n "$BATS_TEST_NAME" ]; then`},
			no:  []string{"  Rails.env.production?"},
		},
	}
}
