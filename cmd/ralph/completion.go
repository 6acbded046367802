package main

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/alecthomas/kong"

	"ralph/internal/completion"
	"ralph/internal/stream"
	"ralph/internal/terminal"
)

// completionCmd is "ralph completion".
type completionCmd struct {
	Shell string `arg:"" type:"choice" enum:"bash,zsh,fish" help:"bash, zsh or fish."`
}

// Run carries the command out.
func (c *completionCmd) Run(a *app) error {
	script, err := completion.Script(c.Shell)
	if err != nil {
		return err
	}
	_, err = a.t.Out.Write(script)
	return terminal.IgnoreClosedReader(err)
}

// completionLimit is how long a shell waits for completions: the user has pressed a key.
const completionLimit = 2 * time.Second

// complete prints completions for a shell. typed are the words after "ralph" up to the
// cursor; the last one may be incomplete. Each candidate is a line, with a tab before its
// description. It never prints an error: that would disturb the user's command line.
func complete(typed []string) int {
	ctx, cancel := context.WithTimeout(context.Background(), completionLimit)
	defer cancel()
	var cli grammar
	parser, err := kong.New(&cli, options()...)
	if err != nil {
		return 1
	}
	silent := &terminal.Terminal{In: os.Stdin, Out: io.Discard, Err: io.Discard}
	c := &completer{app: &app{ctx: ctx, t: silent, home: ralphHome()}, line: completion.Read(parser.Model.Node, typed)}
	out := bufio.NewWriter(os.Stdout)
	defer out.Flush()
	for _, found := range c.line.Candidates(c.values()) {
		if found.About == "" {
			fmt.Fprintln(out, found.Value)
			continue
		}
		fmt.Fprintf(out, "%s\t%s\n", found.Value, terminal.Shortened(stream.OneLine(found.About), 60))
	}
	return 0
}
