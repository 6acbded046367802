// Package replay is a coding agent that plays a script: it edits files, runs
// commands, commits and ticks stories as the script says, and prints the same
// stream of JSON lines as Claude Code. It needs no account and no network, so
// it serves the demo, the tests, and anyone who wants to show a problem again.
//
// Run reads the script (script.go), chooses the turn that this session plays
// (choose.go) and plays its steps in order (player.go). files.go, command.go and
// plan.go hold the steps that change something, emit.go the lines on standard output.
//
// docs/replay.md is the reference for those who write scripts.
package replay

import (
	"bytes"
	"cmp"
	"context"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// The places of a script when no path is given.
const (
	ScriptVar     = "RALPH_REPLAY_SCRIPT" // environment variable naming the script
	DefaultScript = ".ralph/replay.yaml"  // below the working directory
)

// ExitScript is the exit status of a session that could not play its script. The script is
// missing or invalid, a step failed, or an expectation was not met.
const ExitScript = 97

// Input is what a session gets from outside: its prompt, environment and outputs.
type Input struct {
	Script string    // path of the script; empty means ScriptVar, then DefaultScript
	Model  string    // that was asked for; empty means "replay"
	Stdin  io.Reader // the prompt, to its end; nil is an empty one
	Stdout io.Writer // the stream of JSON lines
	Stderr io.Writer
	Dir    string   // working directory, absolute
	Env    []string // the session's environment, handed on to what it runs
}

// Lint reports the errors in the script that a session with this environment would play.
func Lint(dir string, env []string) error {
	_, err := Load(Input{Dir: dir, Env: env}.scriptPath())
	return err
}

// Run plays one session and returns its exit status. It handles INT, TERM and HUP itself,
// because a script may ignore them. So signals should not end ctx. When ctx ends, the session
// ends as on INT.
func Run(ctx context.Context, in Input) int {
	if in.Stdin == nil {
		in.Stdin = bytes.NewReader(nil)
	}
	code, err := in.play(ctx)
	if err != nil {
		_, _ = fmt.Fprintf(in.Stderr, "replay: %v\n", err)
		return ExitScript
	}
	return code
}

func (in Input) play(ctx context.Context) (int, error) {
	script, err := Load(in.scriptPath())
	if err != nil {
		return 0, err
	}
	env := environ{vars: in.Env, dir: in.Dir}
	steps, err := script.choose(readPlan(env), env, in.Model)
	if err != nil {
		return 0, err
	}
	signals := watchSignals(ctx)
	defer signals.stop()
	p := &player{in: in, env: env, script: script, signals: signals, out: newEmitter(in.Stdout, in.Dir, in.Model)}
	return p.play(signals.ctx, steps)
}

func (in Input) scriptPath() string {
	env := environ{vars: in.Env, dir: in.Dir}
	return env.path(cmp.Or(in.Script, env.get(ScriptVar), DefaultScript))
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

// number returns a counter; 1 where it is not set, so that a script can be tried by hand.
func (e environ) number(name string) int {
	n, _ := strconv.Atoi(e.get(name))
	return max(n, 1)
}

// shown returns a path relative to the working directory.
func (e environ) shown(path string) string {
	if rel, err := filepath.Rel(e.dir, path); err == nil {
		return rel
	}
	return path
}

// path makes a path of the script absolute.
func (e environ) path(name string) string {
	if filepath.IsAbs(name) {
		return name
	}
	return filepath.Join(e.dir, name)
}
