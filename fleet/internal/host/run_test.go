package host

import (
	"errors"
	"os/exec"
	"strings"
	"testing"

	"ralph/fleet/internal/events"
	"ralph/fleet/internal/feature"
	"ralph/fleet/internal/repo"
)

// A program that reports no run has not done the feature, whatever its exit status is, and is not
// started again at once.
func TestProgramThatTellsOfNoRun(t *testing.T) {
	for _, test := range []struct {
		script string
		over   bool // the turn was asked to end
		want   string
		ends   feature.Outcome // empty where it is trouble
	}{
		{"exit 0", false, "my-ralph on a ended with status 0 and reported no run: is it ralph? check the worker's --ralph", ""},
		{"echo hello >&2; exit 0", false, "--ralph; it said: hello", ""},
		{"exit 1", false, "ended with status 1 and reported no run", ""},
		{"exit 2", false, "ended with status 2 and reported no run", ""},
		{"exit 143", false, "ralph died on a with status 143", ""},
		{"exit 143", true, "ended before it began", feature.Ended},
		{"echo '✓ git'; echo '✗ no plan is here' >&2; exit 1", false, "no plan is here", feature.Failed},
		{"echo '--nonsense: unknown flag' >&2; exit 80", false, "unknown flag", feature.Failed},
	} {
		turn := &turn{host: &Host{Options: Options{Name: "a", Ralph: "my-ralph"}}, pulse: &pulse{}, over: test.over}
		said := &lastWords{}
		cmd := exec.Command("sh", "-c", test.script)
		cmd.Stderr = said
		end, err := turn.ended(cmd.Run(), events.Event{}, said)
		var trouble *repo.TroubleError
		switch {
		case test.ends == "":
			if !errors.As(err, &trouble) || !strings.Contains(err.Error(), test.want) {
				t.Errorf("%s: %+v, %v, want trouble: %s", test.script, end, err, test.want)
			}
		case err != nil || turn.judge(end).Outcome != test.ends || !strings.Contains(end.message, test.want):
			t.Errorf("%s: %+v, %v, want %s: %s", test.script, end, err, test.ends, test.want)
		}
	}
}
