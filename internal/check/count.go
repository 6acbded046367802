package check

import (
	"bytes"
	"encoding/xml"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// counter counts the tests that ran, from what runners print.
type counter struct {
	rest    []byte // a line that has not ended
	tests   int
	counted bool
	silent  bool // go test printed results of packages but not of tests
	tap     int
	tapped  bool
}

// maxCountLine bounds a line that is read, in bytes: summaries are short.
const maxCountLine = 4 << 10

// summaries are the lines with which runners say how many tests ran. The groups are
// numbers to add up.
var summaries = []*regexp.Regexp{
	regexp.MustCompile(`^=*\s*(?:\d+ \w+, )*?(?:(\d+) failed)?(?:, )?(?:(\d+) passed)(?:, .*)? in [\d.]+s`),        // pytest
	regexp.MustCompile(`^=*\s*(\d+) failed(?:, \d+ (?:skipped|deselected|warnings?|errors?|xfailed))* in [\d.]+s`), // pytest, all red
	regexp.MustCompile(`^(?:=+ )?(no tests ran) in [\d.]+s`),                                                       // pytest
	regexp.MustCompile(`^Ran (\d+) tests? in [\d.]+s`),                                                             // unittest
	regexp.MustCompile(`^Tests:\s+(?:(\d+) failed, )?(?:\d+ (?:skipped|todo), )*(?:(\d+) passed, )?\d+ total`),     // jest
	regexp.MustCompile(`^\s*Tests\s+(?:(\d+) failed \| )?(?:(\d+) passed)?(?: \| \d+ \w+)* \(\d+\)`),               // vitest
	regexp.MustCompile(`^\s*(\d+) passing\b`),                                                                      // mocha
	regexp.MustCompile(`^\s*(\d+) failing\b`),                                                                      // mocha
	regexp.MustCompile(`^test result: \w+\. (\d+) passed; (\d+) failed;`),                                          // cargo
	regexp.MustCompile(`^\s*Summary \[.*\] (\d+) tests? run:`),                                                     // cargo nextest
	regexp.MustCompile(`^(\d+) tests?, \d+ failures?`),                                                             // bats
	regexp.MustCompile(`^(\d+) examples?, \d+ failures?`),                                                          // rspec
	regexp.MustCompile(`^(\d+) runs, \d+ assertions, `),                                                            // minitest
	regexp.MustCompile(`^OK \((\d+) tests?, \d+ assertions?\)`),                                                    // phpunit
	regexp.MustCompile(`^Tests: (\d+), Assertions: \d+`),                                                           // phpunit
	regexp.MustCompile(`^\s*Tests:\s+(?:(\d+) failed, )?(?:\d+ \w+, )*(\d+) passed \(\d+ assertions\)`),            // pest
	regexp.MustCompile(`^\d+% tests passed, \d+ tests? failed out of (\d+)`),                                       // ctest
	regexp.MustCompile(`^(?:No tests were found)(!!!)`),                                                            // ctest
	regexp.MustCompile(`^(?:\[\w+\] )?Tests run: (\d+), Failures: \d+, Errors: \d+, Skipped: \d+\s*$`),             // maven
	regexp.MustCompile(`^(?:# |ℹ )pass (\d+)$`),                                                                    // node:test
	regexp.MustCompile(`^(?:# |ℹ )fail (\d+)$`),                                                                    // node:test
	regexp.MustCompile(`^ok \| (\d+) passed(?: \([^)]*\))? \| (\d+) failed`),                                       // deno
	regexp.MustCompile(`^\s*(\d+) pass$`),                                                                          // bun
	regexp.MustCompile(`^(?:Passed|Failed)!\s+- Failed:\s+(\d+), Passed:\s+(\d+)`),                                 // dotnet
}

// skips are the lines with which runners say how many of these tests were skipped: they did
// not run.
var skips = []*regexp.Regexp{
	regexp.MustCompile(`^(?:OK|FAILED) \(.*\bskipped=(\d+)`),                                           // unittest
	regexp.MustCompile(`^\d+ tests?, \d+ failures?, (\d+) skipped`),                                    // bats
	regexp.MustCompile(`^\d+ examples?, \d+ failures?, (\d+) pending`),                                 // rspec
	regexp.MustCompile(`^\d+ runs, \d+ assertions, .*\b(\d+) skips`),                                   // minitest
	regexp.MustCompile(`^Tests: \d+, Assertions: \d+.*\bSkipped: (\d+)`),                               // phpunit
	regexp.MustCompile(`^(?:\[\w+\] )?Tests run: \d+, Failures: \d+, Errors: \d+, Skipped: (\d+)\s*$`), // maven
}

var (
	goTest    = regexp.MustCompile(`^\s*--- (?:PASS|FAIL): `)
	goEvent   = regexp.MustCompile(`^\{"Time":.*"Action":"(pass|fail)".*"Test":"`)
	goPackage = regexp.MustCompile(`^(?:ok\s+\S+\s+(?:[\d.]+s|\(cached\))|FAIL\s+\S+\s+[\d.]+s|\?\s+\S+\s+\[no test files\])`)
	tapPlan   = regexp.MustCompile(`^1\.\.(\d+)\s*(?:$|#)`)
	tapLine   = regexp.MustCompile(`^(?:not )?ok \d+\b`)
	colours   = regexp.MustCompile("\x1b\\[[0-9;]*m")
)

// Write implements io.Writer.
func (c *counter) Write(data []byte) (int, error) {
	n := len(data)
	for {
		line, rest, ok := bytes.Cut(data, []byte("\n"))
		if room := maxCountLine - len(c.rest); room > 0 {
			c.rest = append(c.rest, line[:min(len(line), room)]...)
		}
		if !ok {
			return n, nil
		}
		c.line(string(c.rest))
		c.rest, data = c.rest[:0], rest
	}
}

func (c *counter) line(line string) {
	if !strings.ContainsAny(line, "0123456789-!") && !strings.Contains(line, "no test") {
		return
	}
	line = strings.TrimRight(colours.ReplaceAllString(line, ""), "\r ")
	switch {
	case goTest.MatchString(line), goEvent.MatchString(line):
		c.tests, c.counted = c.tests+1, true
		return
	case goPackage.MatchString(line):
		c.silent = true
		return
	case tapLine.MatchString(line):
		if !strings.Contains(line, "# SKIP") && !strings.Contains(line, "# skip") {
			c.tap++
		}
		c.tapped = true
		return
	case tapPlan.MatchString(line):
		c.tapped = true
		return
	}
	for _, re := range summaries {
		if m := re.FindStringSubmatch(line); m != nil {
			c.tests, c.counted = c.tests+sum(m[1:]), true
			break
		}
	}
	for _, re := range skips {
		if m := re.FindStringSubmatch(line); m != nil && c.counted {
			c.tests -= sum(m[1:])
		}
	}
}

func sum(numbers []string) (total int) {
	for _, number := range numbers {
		n, _ := strconv.Atoi(number) // a group that is not there is 0
		total += n
	}
	return total
}

// close counts the last line and TAP, which summaries of the same runner repeat.
func (c *counter) close() {
	if len(c.rest) > 0 {
		c.line(string(c.rest))
	}
	if !c.counted && c.tapped {
		c.tests, c.counted = c.tap, true
	}
}

// reports are where runners leave JUnit's XML that print no numbers, in a project and in
// its modules.
var reports = []string{"build/test-results/*/*.xml", "*/build/test-results/*/*.xml", "target/surefire-reports/*.xml", "*/target/surefire-reports/*.xml",
	"junit.xml", "test-results/*.xml", "test-results.xml", "reports/*.xml"}

// countReports counts the tests in reports that were written since a moment.
func countReports(dir string, since time.Time) (tests int, counted bool) {
	for _, pattern := range reports {
		files, _ := filepath.Glob(filepath.Join(globSafe(dir), pattern))
		for _, file := range files {
			info, err := os.Lstat(file)
			if err != nil || !info.Mode().IsRegular() || info.ModTime().Before(since.Truncate(time.Second)) {
				continue
			}
			if n, ok := countReport(file); ok {
				tests, counted = tests+n, true
			}
		}
	}
	return tests, counted
}

// globSafe protects the folder's own name from being read as a pattern.
func globSafe(dir string) string {
	return strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir)
}

// countReport counts the test cases of one report that were not skipped.
func countReport(file string) (tests int, ok bool) {
	f, err := os.Open(file)
	if err != nil {
		return 0, false
	}
	defer f.Close()
	d := xml.NewDecoder(io.LimitReader(f, 16<<20))
	for {
		token, err := d.Token()
		if err != nil {
			return tests, ok
		}
		start, is := token.(xml.StartElement)
		switch {
		case !is:
		case start.Name.Local == "testsuite" || start.Name.Local == "testsuites":
			ok = true
		case start.Name.Local == "testcase":
			tests++
		case start.Name.Local == "skipped":
			tests--
		}
	}
}
