package main

import (
	"context"
	"fmt"
	"os"
	"slices"

	"ralph/internal/agent"
	"ralph/internal/replay"
)

// scriptFault returns what is wrong with the script of an agent that plays one.
func (r *resolved) scriptFault(h agent.Harness) error {
	if !slices.Contains(h.Command, replayWord) {
		return nil
	}
	if err := replay.Check(r.place.Repo.Root, os.Environ()); err != nil {
		//lint:ignore ST1005 preflight prints it as a line of its own
		return fmt.Errorf("Agent '%s' cannot play its script: %w", h.Name, err)
	}
	return nil
}

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
