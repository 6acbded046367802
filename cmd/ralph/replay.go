package main

import (
	"context"
	"os"

	"ralph/internal/replay"
)

// replayAgent is the main function of the built-in agent that plays a script.
func replayAgent(args []string) int {
	in := replay.Input{Stdin: os.Stdin, Stdout: os.Stdout, Stderr: os.Stderr, Env: os.Environ()}
	if len(args) > 0 {
		in.Script = args[0]
	}
	in.Dir, _ = os.Getwd()
	return replay.Run(context.Background(), in)
}
