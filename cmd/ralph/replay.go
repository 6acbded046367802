package main

import (
	"context"
	"os"

	"ralph/internal/replay"
)

// replayAgent is the main function of the built-in agent that plays a script.
func replayAgent(args []string) int {
	in := replay.Input{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Environ()}
	for len(args) > 0 {
		if args[0] == "--model" && len(args) > 1 {
			in.Model, args = args[1], args[2:]
			continue
		}
		in.Script, args = args[0], args[1:]
	}
	in.Dir, _ = os.Getwd()
	return replay.Run(context.Background(), in)
}
