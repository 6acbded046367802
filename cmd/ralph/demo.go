package main

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"ralph"
	"ralph/internal/stream"
	"ralph/internal/terminal"
)

// demoBranch is the branch, and with it the unit, of the demo's feature.
const demoBranch = "feature/greeting"

// demoCmd is "ralph demo".
type demoCmd struct {
	Dir string `arg:"" optional:"" type:"path" predictor:"folder" help:"Folder for the scratch repository. It must not exist (default: a new one in the temporary folder)."`

	Night bool `help:"Play a night: a usage limit, a stronger model, a stuck story that is parked, and a review that refuses once."`
}

// Run carries the command out.
func (c *demoCmd) Run(a *app) error {
	dir, err := c.repository(a.ctx)
	if err != nil {
		return fmt.Errorf("the demo cannot be set up: %w", err)
	}
	if err := os.Chdir(dir); err != nil {
		return err
	}
	stories := "three"
	if c.Night {
		stories = "four"
	}
	a.t.Printf("A scratch repository with a feature of %s stories is in %s\n", stories, stream.OneLine(dir))
	a.t.Printf("%s\n\n", a.t.Paint(terminal.Dim, "The agent is 'replay': it plays a script, so that nothing else needs to be installed."))
	demo := *a
	demo.home = filepath.Join(dir, ".git", "ralph-home") // the user's own ledger stays as it is
	run := runCmd{}
	run.NoInteractive = true
	run.Harness = "replay" // whatever the environment says: no agent is to be called here
	if err := os.Unsetenv("RALPH_REPLAY_SCRIPT"); err != nil {
		return err
	}
	err = run.Run(&demo)
	var parked exitError // the end of the night, and of nothing else
	if err != nil && !(c.Night && errors.As(err, &parked) && parked == 1) {
		return err
	}
	ralph := program()
	next := ralph + " history"
	if c.Night {
		next = ralph + " report"
	}
	a.t.Printf("\nLook round: cd %s && git log --stat, %s, %s status\n", stream.ShellWord(stream.OneLine(dir)), next, ralph)
	return nil
}

// program is how this ralph is called from any folder: by its path where the PATH
// has none, as in a clone in which it was only built.
func program() string {
	if _, err := exec.LookPath("ralph"); err == nil {
		return "ralph"
	}
	path, err := os.Executable()
	if err != nil {
		return "ralph"
	}
	return stream.ShellWord(path)
}

// repository makes the scratch repository.
func (c *demoCmd) repository(ctx context.Context) (string, error) {
	dir := c.Dir
	var err error
	if dir == "" {
		dir, err = os.MkdirTemp("", "ralph-demo-")
	} else {
		err = os.Mkdir(dir, 0o755)
	}
	if errors.Is(err, fs.ErrExist) {
		return "", fmt.Errorf("%s already exists: name a new folder", dir)
	}
	if err != nil {
		return "", err
	}
	if err := copyDemo(dir, "templates/demo"); err != nil {
		return "", err
	}
	if c.Night { // another plan for the same project
		if err := copyDemo(dir, "templates/night"); err != nil {
			return "", err
		}
	}
	for _, args := range [][]string{
		{"init", "-q"},
		{"config", "user.name", "ralph demo"},
		{"config", "user.email", "demo@example.invalid"},
		{"config", "commit.gpgsign", "false"},
		{"config", "core.hooksPath", "/dev/null"},
		{"checkout", "-q", "-b", demoBranch},
		{"add", "-A"},
		{"commit", "-q", "-m", "A plan for a greeting program"},
	} {
		cmd := exec.CommandContext(ctx, "git", args...)
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			return "", fmt.Errorf("git %s: %w: %s", args[0], err, strings.TrimSpace(string(out)))
		}
	}
	return dir, nil
}

// copyDemo writes the files of a template; files with the ending .sh are executable.
func copyDemo(dir, template string) error {
	sub, err := fs.Sub(ralph.Templates, template)
	if err != nil {
		return err
	}
	return fs.WalkDir(sub, ".", func(name string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := fs.ReadFile(sub, name)
		if err != nil {
			return err
		}
		to := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(to), 0o755); err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if strings.HasSuffix(name, ".sh") {
			mode = 0o755
		}
		return os.WriteFile(to, data, mode)
	})
}
