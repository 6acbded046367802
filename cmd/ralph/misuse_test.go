package main

import (
	"testing"

	"github.com/alecthomas/kong"

	"ralph/internal/help"
)

// The parser says what is wrong with a command line; ours are the texts about words
// and numbers.
func TestMisuse(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		line []string
		want string
	}{
		{[]string{"completion"}, `expected "<shell>"`},
		{[]string{"completion", "foo"}, `<shell>: must be bash, zsh or fish, not "foo"`},
		{[]string{"context"}, `expected one of "add", "show", "clear"`},
		{[]string{"run", "--done", "foo"}, `--done: must be prd, tasks or manual, not "foo"`},
		{[]string{"run", "--done"}, `--done: needs a value`},
		{[]string{"run", "--harness", "--json"}, `--harness: expected string value but got "--json" (long flag); perhaps try --harness="--json"?`},
		{[]string{"run", "-n"}, `--max-iterations: needs a value`},
		{[]string{"run", "--until"}, `--until: needs a value`},
		{[]string{"run", "--model"}, `--model: needs a value`},
		{[]string{"run", "-n", "-1"}, `--max-iterations: expected number value but got "-1" (short flag); perhaps try --max-iterations="-1"?`},
		{[]string{"run", "--pause", "nan"}, `--pause: "nan" is out of range`},
		{[]string{"run", "--max-cost", "nan"}, `--max-cost: must be a number, not "nan"`},
		{[]string{"run", "--max-cost", "1e400"}, `--max-cost: must be a number, not "1e400"`},
		{[]string{"undo", "0"}, `undo: there is no iteration 0: the first one is 1`},
		{[]string{"allow", "S", "check_failed"}, `allow: "check_failed" is not a finding that can be accepted; those are: no_work weakened no_receipt old_tests new_tests no_test_ran strength review`},
		{[]string{"run", "-n", "1.5"}, `--max-iterations: must be a whole number, not "1.5"`},
		{[]string{"run", "-n", "99999999999999999999"}, `--max-iterations: the number 99999999999999999999 is too large`},
		{[]string{"run", "-n", "0x10"}, `--max-iterations: must be a whole number, not "0x10"`},
		{[]string{"run", "-n", "0"}, `run (loop): --max-iterations must be at least 1, not 0`},
		{[]string{"run", "--min-iterations", "0"}, `run (loop): --min-iterations must be at least 1, not 0`},
		{[]string{"run", "--harness", ""}, `--harness is empty: give it a value, or leave it out`},
		{[]string{"status", "--change="}, `--change is empty: give it a value, or leave it out`},
		{[]string{"run", "  "}, `the prompt is empty: write one, or leave it out`},
		{[]string{"rnu"}, `unexpected argument rnu, did you mean "run"?`},
		{[]string{"run", "--max-iteration", "3"}, `unknown flag --max-iteration, did you mean "--max-iterations"?`},
		{[]string{"start", "a \xfcber"}, `"a \xfcber" is not valid UTF-8: set the terminal to UTF-8`},
		{[]string{"stop", ""}, `the unit is empty: write one, or leave it out`},
		{[]string{"stop", "--all", "feature-x"}, `stop: --all is every loop: leave "feature-x" out, or --all`},
	} {
		ctx, err := newParser(t).Parse(tt.line)
		if err == nil {
			err = help.BadValue(ctx)
		}
		if err == nil {
			t.Errorf("ralph %q: was understood", tt.line)
		} else if got := err.Error(); got != tt.want {
			t.Errorf("ralph %q:\n got %s\nwant %s", tt.line, got, tt.want)
		}
	}
}

// A zero in front makes no other number of one.
func TestWholeNumbers(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{"8": 8, "08": 8, "010": 10} {
		var cli grammar
		parser, err := kong.New(&cli, options()...)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := parser.Parse([]string{"run", "-n", text, "--max-tokens", text}); err != nil {
			t.Errorf("%s: %v", text, err)
		} else if n, tokens := *cli.Run.MaxIterations, *cli.Run.MaxTokens; n != want || tokens != int64(want) {
			t.Errorf("%s is %d iterations and %d tokens", text, n, tokens)
		}
	}
}
