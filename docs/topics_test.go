package docs_test

import (
	"regexp"
	"strconv"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/journal"
)

// TestTopicReasons checks that 'ralph help exit-codes' has a row for each reason for the
// end of a run, with its status and exit code.
func TestTopicReasons(t *testing.T) {
	row := regexp.MustCompile(`(?m)^  (\w+) +(completed|failed|stopped) +(\d+|-) `)
	got := map[string][]string{}
	for _, m := range row.FindAllStringSubmatch(readFile(t, "internal/help/topics/exit-codes.txt"), -1) {
		got[m[1]] = m[2:]
	}
	want := map[string][]string{}
	for _, r := range reasonsOf(t, "internal/journal/words.go") {
		want[string(r)] = []string{string(r.Status()), strconv.Itoa(r.ExitCode())}
		if r == journal.ReasonCrashed {
			want[string(r)][1] = "-" // no process is left to exit with it
		}
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("the topic's table (-program +topic):\n%s", diff)
	}
}
