package main

import (
	"bytes"
	"fmt"
	"strings"
	"time"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/events"
	"ralph/fleet/internal/repo"
)

// logsCmd is "ralph-fleet logs".
type logsCmd struct {
	featureArg
	Follow bool `short:"f" help:"Follow the events until the feature is finished."`
	Raw    bool `help:"Print the journal's lines as they are."`
}

// logsStep is how often a feature that is followed is inspected.
const logsStep = time.Second

// Run carries the command out.
func (c *logsCmd) Run(a *app) error {
	e, closeEngine, err := a.connect()
	if err != nil {
		return err
	}
	defer closeEngine()
	v, err := e.Find(a.ctx, c.Feature)
	if err != nil {
		return err
	}
	f := follower{app: a, raw: c.Raw, shown: map[string]int{}}
	if err := f.pushed(v); err != nil {
		return err
	}
	f.live(v)
	if !c.Follow {
		if f.lines == 0 {
			f.say("nothing has happened with %s yet: it is %s\n", v.ID, v.State)
		}
		return nil
	}
	return f.follow(e, v)
}

// follower shows what happened: the journal on the remote, and after it the last report of the
// running host.
type follower struct {
	*app
	raw   bool
	shown map[string]int // how often each line is there
	lines int
	at    time.Time // when the remote had been written to, as far as it is shown
}

// follow shows what is new until the feature is finished.
func (f *follower) follow(e engine.Engine, v engine.View) error {
	for v.Open() {
		select {
		case <-f.ctx.Done():
			return f.ctx.Err()
		case <-time.After(logsStep):
		}
		var err error
		if v, err = e.Find(f.ctx, v.ID); err != nil {
			return err
		}
		if p := v.Progress(); !p.Pushed.Equal(f.at) || !v.Open() {
			if err := f.pushed(v); err != nil {
				return err
			}
			f.at = p.Pushed
		}
		f.live(v)
	}
	f.say("%s: %s %s\n", v.ID, v.State, v.Standing.Message)
	return nil
}

// say shows the user something that is not in the journal.
func (f *follower) say(format string, args ...any) {
	if f.raw { // standard output is for the journal's lines
		fmt.Fprintf(f.err, format, args...)
		return
	}
	f.printf(format, args...)
}

// pushed shows the journal that is on the remote.
func (f *follower) pushed(v engine.View) error {
	_, journal, err := repo.Look(f.ctx, v.Standing.Submission.Repo, v.Standing.Submission.Branch)
	if err != nil {
		return fmt.Errorf("the journal of %s: %w", v.ID, err)
	}
	var lines []string
	for line := range bytes.Lines(journal) {
		line = bytes.TrimSpace(line)
		e, ok := events.Parse(line)
		switch {
		case !ok:
		case f.raw:
			lines = append(lines, string(line))
		default:
			lines = append(lines, e.Words())
		}
	}
	f.show(lines)
	return nil
}

// live shows the host's last report. Each sign of life carries only its text.
func (f *follower) live(v engine.View) {
	if v.Live == nil {
		return
	}
	if f.raw {
		f.show([]string{v.Live.Event})
		return
	}
	f.show(v.Live.Lines)
}

// show prints those of the lines that are not there yet. Within a second two events can
// have the same words: a line is new where there are more of it than were printed.
func (f *follower) show(lines []string) {
	here := map[string]int{}
	for _, line := range lines {
		if here[line]++; strings.TrimSpace(line) == "" || here[line] <= f.shown[line] {
			continue
		}
		f.shown[line]++
		f.lines++
		f.printf("%s\n", line)
	}
}
