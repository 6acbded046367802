package main

import (
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/host"
)

// workerCmd is "ralph-fleet worker".
type workerCmd struct {
	Slots     int      `help:"Features at once." default:"1" placeholder:"N"`
	Labels    []string `help:"What this host has that features may need." placeholder:"A,B"`
	Workspace string   `help:"Where mirrors and worktrees are." default:"~/.ralph/fleet" placeholder:"DIR"`
	MinFree   int64    `help:"Take no feature while the disk of the workspace has less room, in MB; 0 is off." default:"500" placeholder:"MB"`
	Account   string   `help:"Account that pays for this host's calls; hosts with the same account share its limits." default:"default" placeholder:"NAME"`
	Name      string   `help:"Name of this host (default: what the system says)." placeholder:"NAME"`
	Ralph     string   `help:"The ralph to run." default:"ralph" placeholder:"FILE"`
	JSON      bool     `help:"Write the log as lines of JSON."`
}

// Validate refuses what makes no sense; kong calls it.
func (c *workerCmd) Validate() error {
	if c.Slots < 1 {
		return fmt.Errorf("--slots must be at least 1, not %d", c.Slots)
	}
	if c.MinFree < 0 {
		return fmt.Errorf("--min-free must be at least 0, not %d", c.MinFree)
	}
	for _, l := range c.Labels {
		if !label.MatchString(l) {
			return fmt.Errorf("--labels %q: a label is of letters, digits, - and _", l)
		}
	}
	return nil
}

// Run carries the command out.
func (c *workerCmd) Run(a *app) error {
	if c.Name == "" {
		name, err := os.Hostname()
		if err != nil {
			return fmt.Errorf("cannot find this host's name (%w); set one with --name", err)
		}
		c.Name = name
	}
	workspace, err := expand(c.Workspace)
	if err != nil {
		return err
	}
	client, err := a.server.Connect(a.ctx, slog.New(quiet{logTo(a.err, c.JSON, slog.LevelError).Handler()}))
	if err != nil {
		return err
	}
	defer client.Close()
	slices.Sort(c.Labels)
	return host.Run(a.ctx, engine.Engine{Client: client}, host.Options{
		Name: c.Name, Workspace: workspace, Account: c.Account, Ralph: c.Ralph, Slots: c.Slots, MinFree: c.MinFree, Labels: slices.Compact(c.Labels),
		Log: logTo(a.err, c.JSON, slog.LevelInfo),
	})
}

// expand makes a path absolute; ~ is the user's home.
func expand(path string) (string, error) {
	if rest, ok := cutHome(path); ok {
		home, err := os.UserHomeDir()
		if err != nil {
			return "", errors.New("the workspace ~/.ralph/fleet cannot be found: HOME is not set; name one with --workspace")
		}
		path = filepath.Join(home, rest)
	}
	return filepath.Abs(path)
}

func cutHome(path string) (string, bool) {
	if path == "~" || len(path) > 1 && path[:2] == "~/" {
		return path[1:], true
	}
	return "", false
}
