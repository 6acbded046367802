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
		{[]string{"run", "--done"}, `--done: expected string value but got "EOL" (<EOL>)`},
		{[]string{"run", "--harness", "--json"}, `--harness: expected string value but got "--json" (long flag); perhaps try --harness="--json"?`},
		{[]string{"run", "-n"}, `--max-iterations: expected int value but got "EOL" (<EOL>)`},
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
