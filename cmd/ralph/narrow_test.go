package main

import (
	"bytes"
	"slices"
	"testing"

	"github.com/alecthomas/kong"
	"github.com/google/go-cmp/cmp"
)

// A command line must mean the same, and its mistakes must be told in the same
// words, whether kong was given one command or all of them.
func TestNarrowChangesNothing(t *testing.T) {
	var whole grammar
	model, err := kong.New(&whole, options()...)
	if err != nil {
		t.Fatal(err)
	}
	lines := [][]string{{"--help"}, {"--version"}, {"--version", "list"}, {"--color", "never", "list"}, {"bogus"}, {""}, {"-x"}}
	for _, c := range model.Model.Children {
		for _, name := range append([]string{c.Name}, c.Aliases...) {
			lines = append(lines, []string{name, "--help"}, []string{name, "--hepl"}, []string{name, "a", "b", "c"}, []string{name, "--color", "never"})
			for _, sub := range c.Children {
				lines = append(lines, []string{name, sub.Name, "--help"})
			}
		}
	}
	for _, line := range lines {
		part, _ := narrow(line)
		if diff := cmp.Diff(said(t, new(grammar), line), said(t, part, line)); diff != "" {
			t.Errorf("ralph %q (-whole +narrow):\n%s", line, diff)
		}
	}
}

func TestNarrowLeavesOut(t *testing.T) {
	for _, tt := range []struct {
		line []string
		want int // commands
	}{
		{[]string{"list", "--active"}, 1}, {[]string{"loop"}, 1}, {[]string{"--version"}, 0},
	} {
		part, _ := narrow(tt.line)
		parser, err := kong.New(part, options()...)
		if err != nil {
			t.Fatal(err)
		}
		if got := len(parser.Model.Children); got != tt.want {
			t.Errorf("ralph %q: %d commands, not %d", tt.line, got, tt.want)
		}
	}
}

// said is what kong makes of a command line: the command, or what it printed.
func said(t *testing.T, cli any, line []string) (text string) {
	t.Helper()
	var out bytes.Buffer
	type exited struct{}
	quiet := []kong.Option{kong.Writers(&out, &out), kong.Exit(func(int) { panic(exited{}) })}
	parser, err := kong.New(cli, slices.Concat(options(), quiet)...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		switch r := recover(); r {
		case nil:
		case exited{}:
			text = out.String()
		default:
			panic(r)
		}
	}()
	kctx, err := parser.Parse(line)
	if err != nil {
		return err.Error()
	}
	return kctx.Command()
}
