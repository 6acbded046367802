package main

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"ralph/internal/config"
	"ralph/internal/journal"
	"ralph/internal/launch"
	"ralph/internal/monitor"
	"ralph/internal/proc"
	"ralph/internal/run"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/tmux"
	"ralph/internal/unit"
)

// monitorCmd is "ralph monitor".
type monitorCmd struct {
	unitArg
	Once bool `help:"Print the dashboard once, as text."`
}

// Run carries the command out.
func (c *monitorCmd) Run(a *app) error {
	p, opts, err := c.options(a)
	if err != nil {
		return err
	}
	if c.Once || !a.t.CanAsk || os.Getenv("TERM") == "dumb" {
		text, err := monitor.Snapshot(time.Now(), opts, a.t.Width())
		if errors.Is(err, fs.ErrNotExist) && p != nil {
			return nothingYet(a.t, p, false)
		}
		a.t.Printf("%s", text)
		return err
	}
	// It does little, once a second: a second processor would be woken up to be handed
	// a part of it.
	runtime.GOMAXPROCS(1)
	if pane := os.Getenv("TMUX_PANE"); a.handedOver && pane != "" {
		go func() {
			if c, err := tmux.Find(a.ctx, os.Environ()); err == nil {
				monitor.KeepArranged(a.ctx, c, pane)
			}
		}()
	}
	err = monitor.Run(a.ctx, opts, os.Stdin, os.Stdout)
	if a.handedOver && err == nil && p != nil && !unit.Running(p) {
		tmux.CloseOwn(os.Environ()) // there is nothing more to see in the loop's own pane
	}
	return err
}

// options say what to show: a unit, or a copied folder of one, which has no place.
func (c *monitorCmd) options(a *app) (*unit.Place, monitor.Options, error) {
	p, err := c.place(a)
	if err != nil {
		if c.Unit != "" && unit.IsFile(filepath.Join(c.Unit, "status.json")) {
			opts, err := copiedFolder(a.t, c.Unit)
			return nil, opts, err
		}
		return nil, monitor.Options{}, err
	}
	path, err := p.RecordedAt()
	if err != nil && !errors.Is(err, fs.ErrPermission) { // else status.json may be readable
		return nil, monitor.Options{}, err
	}
	return p, a.monitorOptions(p, path), nil
}

// copiedFolder are the options for a unit's folder that is no longer part of a repository.
func copiedFolder(t *terminal.Terminal, folder string) (monitor.Options, error) {
	dir, err := filepath.Abs(folder)
	host, _ := os.Hostname()
	return monitor.Options{
		Unit:    filepath.Base(dir),
		Journal: filepath.Join(dir, "journal.jsonl"),
		Status:  filepath.Join(dir, "status.json"),
		Root:    dir, Host: host, Locate: func() string { return "" },
		Format: func(string) stream.Format { return stream.FormatText }, Health: health,
		Ask:   func(journal.Request) error { return errors.New("a copied folder has no loop to ask") },
		Color: t.Color, ASCII: t.ASCII,
	}, err
}

// monitorOptions are what the dashboard of a unit needs to know. journalPath is
// empty for a unit that has not run yet.
func (a *app) monitorOptions(p *unit.Place, journalPath string) monitor.Options {
	if journalPath == "" {
		journalPath = p.JournalPath()
	}
	host, _ := os.Hostname()
	return monitor.Options{
		Unit: p.Unit, Journal: journalPath, Root: p.Repo.Root, Host: host,
		Status: p.File("status.json"),
		Locate: func() string { path, _ := p.RecordedAt(); return path },
		Format: a.formats(p.Repo.Root), Health: health, Ask: p.Post,
		Color: a.t.Color, ASCII: a.t.ASCII,
	}
}

// health is what the system knows of a loop's process.
func health(s run.Status) monitor.Health {
	switch unit.LoopID(s).State() {
	case proc.Gone:
		return monitor.Dead
	case proc.Suspended:
		return monitor.Suspended
	}
	return monitor.Alive
}

// formats returns the format of each harness's output, by the settings of the worktree. Settings
// that cannot be read are no reason to show nothing.
func (a *app) formats(root string) func(harness string) stream.Format {
	loaded, err := config.Load(settingsInput(a, root, nil))
	if err != nil {
		return launch.Formats(nil)
	}
	return launch.Formats(&loaded.Settings)
}
