package check

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// TestCount reads what runners print.
func TestCount(t *testing.T) {
	for name, c := range map[string]struct {
		output string
		want   int
		none   bool // nothing says how many
		silent bool
	}{
		"go":             {output: "ok  \tx/y\t0.012s\n?   \tx/z\t[no test files]\nok  \tx/a\t(cached)\n", none: true, silent: true},
		"go -v":          {output: "=== RUN   TestA\n--- PASS: TestA (0.00s)\n    --- FAIL: TestA/sub (0.00s)\n--- SKIP: TestB (0.00s)\nok  \tx\t0.1s\n", want: 2, silent: true},
		"go -json":       {output: `{"Time":"2026","Action":"run","Package":"x","Test":"TestA"}` + "\n" + `{"Time":"2026","Action":"pass","Package":"x","Test":"TestA","Elapsed":0}` + "\n" + `{"Time":"2026","Action":"pass","Package":"x","Elapsed":0}`, want: 1},
		"pytest":         {output: "===== 2 failed, 10 passed, 1 skipped in 0.12s =====\n", want: 12},
		"pytest -q":      {output: "....\n4 passed in 0.01s\n", want: 4},
		"pytest red":     {output: "1 failed in 0.01s", want: 1},
		"pytest none":    {output: "===== no tests ran in 0.01s =====\n"},
		"unittest":       {output: "Ran 5 tests in 0.001s\n\nOK\n", want: 5},
		"unittest skip":  {output: "Ran 5 tests in 0.001s\n\nOK (skipped=2, expected failures=1)\n", want: 3},
		"bats skip":      {output: "3 tests, 0 failures, 1 skipped\n", want: 2},
		"rspec skip":     {output: "3 examples, 0 failures, 1 pending\n", want: 2},
		"minitest skip":  {output: "8 runs, 9 assertions, 0 failures, 0 errors, 2 skips\n", want: 6},
		"phpunit skip":   {output: "Tests: 3, Assertions: 9, Skipped: 1.\n", want: 2},
		"maven skip":     {output: "[WARNING] Tests run: 4, Failures: 0, Errors: 0, Skipped: 3\n", want: 1},
		"jest":           {output: "Test Suites: 2 passed, 2 total\nTests:       1 failed, 1 skipped, 7 passed, 9 total\n", want: 8},
		"vitest":         {output: "\x1b[2m      Tests \x1b[22m \x1b[1m\x1b[32m5 passed\x1b[39m\x1b[22m (5)\n", want: 5},
		"mocha":          {output: "  12 passing (20ms)\n  1 pending\n  1 failing\n", want: 13},
		"cargo":          {output: "test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured\ntest result: ok. 2 passed; 1 failed; 0 ignored\n", want: 6},
		"bats":           {output: "1..2\nok 1 a\nok 2 b # skip x\n", want: 1},
		"bats pretty":    {output: " ✓ a\n\n2 tests, 0 failures\n", want: 2},
		"tap":            {output: "TAP version 13\nok 1 - a\nnot ok 2 - b\n1..2\n", want: 2},
		"node:test":      {output: "ok 1 - a\n1..1\n# tests 3\n# pass 2\n# fail 1\n", want: 3},
		"node:test spec": {output: "✔ a (0.5ms)\nℹ tests 1\nℹ pass 1\nℹ fail 0\n", want: 1},
		"rspec":          {output: "3 examples, 0 failures\n", want: 3},
		"phpunit":        {output: "OK (3 tests, 9 assertions)\n", want: 3},
		"phpunit red":    {output: "Tests: 3, Assertions: 9, Failures: 1.\n", want: 3},
		"ctest":          {output: "100% tests passed, 0 tests failed out of 7\n", want: 7},
		"maven":          {output: "[INFO] Tests run: 2, Failures: 0, Errors: 0, Skipped: 0, Time elapsed: 0.1 s -- in A\n[INFO] Tests run: 4, Failures: 0, Errors: 0, Skipped: 0\n", want: 4},
		"nothing":        {output: "all fine, 100%\n", none: true},
		"a long line":    {output: strings.Repeat("x9", 1<<20) + "\n4 passed in 0.01s\n", want: 4},
	} {
		var cn counter
		for rest := c.output; rest != ""; { // in pieces, as pipes hand them out
			n := min(len(rest), 7)
			if len(rest) > 10000 {
				n = 5000
			}
			cn.Write([]byte(rest[:n]))
			rest = rest[n:]
		}
		cn.close()
		if cn.tests != c.want || cn.counted == c.none || cn.silent != c.silent {
			t.Errorf("%s: %d tests, counted %v, silent %v", name, cn.tests, cn.counted, cn.silent)
		}
	}
}

func TestCountReports(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "a[b]")
	write(t, filepath.Join(dir, "build/test-results/test/TEST-A.xml"), `<?xml version="1.0"?><testsuite tests="3"><testcase/><testcase><skipped/></testcase><testcase><failure>x</failure></testcase></testsuite>`)
	write(t, filepath.Join(dir, "junit.xml"), `<other/>`)
	if n, ok := countReports(dir, time.Now().Add(-time.Minute)); n != 2 || !ok {
		t.Errorf("%d, %v", n, ok)
	}
	old := time.Now().Add(-time.Hour)
	if err := os.Chtimes(filepath.Join(dir, "build/test-results/test/TEST-A.xml"), old, old); err != nil {
		t.Fatal(err)
	}
	if _, ok := countReports(dir, time.Now().Add(-time.Minute)); ok {
		t.Error("a report of an earlier run was counted")
	}
}
