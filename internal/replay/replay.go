// Package replay is a coding agent that plays a script: it edits files, runs
// commands, commits and ticks stories as the script says, and prints the same
// stream of JSON lines as Claude Code. It needs no account and no network, so
// it serves the demo, the tests, and whoever wants to show a problem again.
//
// The way through the package: Run reads the script (script.go), chooses the
// turn that this session plays (choose.go) and plays its steps in order
// (player.go). Each kind of step is a small type with a play method, sorted by
// what it touches: files.go, command.go, planfiles.go, output.go, failure.go.
// emit.go holds the shapes of the lines on standard output.
//
// docs/replay.md is the reference for those who write scripts.
package replay

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// Where a script is looked for when no path is given.
const (
	ScriptVar     = "RALPH_REPLAY_SCRIPT" // environment variable naming the script
	DefaultScript = ".ralph/replay.yaml"  // below the working directory
)

// ExitScript is the exit status of a session whose script could not be played:
// it is missing or wrong, a step failed, or an expectation did not hold.
const ExitScript = 97

// Input is all that a session knows of the outside.
type Input struct {
	Script string    // path of the script; empty means ScriptVar, then DefaultScript
	Stdin  io.Reader // the prompt, to its end; nil is an empty one
	Stdout io.Writer // the stream of JSON lines
	Stderr io.Writer
	Dir    string   // working directory, absolute
	Env    []string // the session's environment, handed on to what it runs
}

// Run plays one session and returns its exit status. It handles the process's
// INT, TERM and HUP itself while it plays, so ctx should not be one that ends
// on signals: a script may ignore them. When ctx ends the session ends as on INT.
func Run(ctx context.Context, in Input) int {
	in = in.withDefaults()
	script, err := Load(in.scriptPath())
	if errors.Is(err, os.ErrNotExist) { // what a newcomer meets first
		err = fmt.Errorf("%w; write one there or name it in %s (see docs/replay.md)", err, ScriptVar)
	}
	if err != nil {
		return in.fail(err)
	}
	env := environ{vars: in.Env, dir: in.Dir}
	turn, err := script.choose(ctx, env)
	if err != nil {
		return in.fail(fmt.Errorf("%s: %w", script.Path, err))
	}
	signals := watchSignals(ctx)
	defer signals.stop()
	p := &player{
		in: in, env: env, script: script, signals: signals,
		out: newEmitter(in.Stdout, in.Dir),
	}
	code, err := p.play(signals.ctx, turn)
	if err != nil {
		return in.fail(err)
	}
	return code
}

func (in Input) withDefaults() Input {
	if in.Stdin == nil {
		in.Stdin = bytes.NewReader(nil)
	}
	if in.Dir == "" {
		in.Dir = "."
	}
	return in
}

func (in Input) scriptPath() string {
	path := in.Script
	if path == "" {
		path = environ{vars: in.Env}.get(ScriptVar)
	}
	if path == "" {
		path = DefaultScript
	}
	if !filepath.IsAbs(path) {
		path = filepath.Join(in.Dir, path)
	}
	return path
}

// fail tells why the script could not be played.
func (in Input) fail(err error) int {
	_, _ = fmt.Fprintf(in.Stderr, "replay: %v\n", err)
	return ExitScript
}

// environ answers questions about the session's environment.
type environ struct {
	vars []string
	dir  string
}

// get returns the value of a variable; the last one counts, as it does for exec.
func (e environ) get(name string) string {
	for i := len(e.vars) - 1; i >= 0; i-- {
		if value, ok := strings.CutPrefix(e.vars[i], name+"="); ok {
			return value
		}
	}
	return ""
}

// path makes a path of the script absolute.
func (e environ) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.dir, name)
}
