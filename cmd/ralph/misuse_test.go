package main

import (
	"testing"

	"github.com/alecthomas/kong"

	"ralph/internal/help"
)

// What is wrong with a value is told in words that a user of ralph knows.
func TestMisuse(t *testing.T) {
	for _, tt := range []struct {
		line []string
		want string
	}{
		{[]string{"completion"}, `completion needs a shell: bash, zsh or fish`},
		{[]string{"completion", "foo"}, `the shell must be bash, zsh or fish, not "foo"`},
		{[]string{"context"}, `context needs one more word: add, show or clear`},
		{[]string{"run", "--done", "foo"}, `--done must be prd, tasks or manual, not "foo"`},
		{[]string{"run", "--done", "task"}, `--done must be prd, tasks or manual, not "task"; did you mean tasks?`},
		{[]string{"run", "--done"}, `--done needs a value: prd, tasks or manual`},
		{[]string{"run", "--harness", "--json"}, `--harness needs a value: --harness=NAME; --json is taken for a flag`},
		{[]string{"run", "-n"}, `--max-iterations needs a value: --max-iterations=N`},
		{[]string{"run", "-n", "-1"}, `--max-iterations must not be negative, and is -1`},
		{[]string{"run", "-n", "1.5"}, `--max-iterations must be a whole number, not "1.5"`},
		{[]string{"run", "-n", "99999999999999999999"}, `--max-iterations: the number 99999999999999999999 is too large`},
		{[]string{"run", "-n", "0x10"}, `--max-iterations must be a whole number, not "0x10"`},
		{[]string{"run", "-n", "0"}, `--max-iterations must be at least 1, not 0`},
		{[]string{"run", "--min-iterations", "0"}, `--min-iterations must be at least 1, not 0`},
		{[]string{"run", "--max-cost", "x"}, `--max-cost must be a number, not "x"`},
		{[]string{"run", "--json=foo"}, `--json takes no value: write it without =foo`},
		{[]string{"run", "--harness", ""}, `--harness is empty: give it a value, or leave it out`},
		{[]string{"status", "--change="}, `--change is empty: give it a value, or leave it out`},
		{[]string{"stop", ""}, `the unit is empty: write one, or leave it out`},
		{[]string{"stop", "--all", "feature-x"}, `--all is every loop: leave "feature-x" out, or --all`},
	} {
		ctx, err := newParser(t).Parse(tt.line)
		if err == nil {
			err = help.EmptyValue(ctx)
		}
		if err == nil {
			t.Errorf("ralph %q: was understood", tt.line)
		} else if got := help.Suggest(err).Error(); got != tt.want {
			t.Errorf("ralph %q:\n got %s\nwant %s", tt.line, got, tt.want)
		}
	}
}

// A zero in front makes no other number of one.
func TestWholeNumbers(t *testing.T) {
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
