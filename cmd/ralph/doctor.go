package main

import (
	"context"
	"crypto/rand"
	"errors"
	"fmt"
	"os"
	"strings"
	"time"

	"ralph/internal/doctor"
	"ralph/internal/launch"
	"ralph/internal/preflight"
	"ralph/internal/proc"
	"ralph/internal/screen"
	"ralph/internal/terminal"
	"ralph/internal/words"
)

// probeLimit is how long a program may take to print its version. An agent on Node.js
// takes seconds on a busy machine.
const probeLimit = 20 * time.Second

// doctorCmd is "ralph doctor".
type doctorCmd struct {
	Harness     string   `predictor:"harness" aliases:"agent" help:"Check only this agent (default: the one in the settings, and its fallbacks)." placeholder:"NAME"`
	Live        bool     `help:"Send the agent one short prompt. It counts as a call and has a cost."`
	DryRun      bool     `help:"Only show what would be repaired."`
	Conformance bool     `help:"Test with real prompts whether ralph can use COMMAND as an agent."`
	Timeout     minutes  `help:"Time limit for --live, and for each trial of --conformance; a bare number is minutes (default 3)." default:"3" placeholder:"D"`
	JSON        bool     `help:"Print JSON."`
	Command     []string `arg:"" optional:"" passthrough:"partial" predictor:"file" help:"With --conformance: the program and its arguments."`
}

// Validate refuses flags that would have no effect; kong calls it.
func (c *doctorCmd) Validate() error {
	if len(c.Command) > 0 && c.Command[0] == "--" { // kong passes it through with what follows
		c.Command = c.Command[1:]
	}
	switch {
	case c.Conformance && len(c.Command) == 0:
		return errors.New("--conformance needs the command to try: ralph doctor --conformance my-agent --headless")
	case !c.Conformance && len(c.Command) > 0:
		return fmt.Errorf("unexpected argument %s: only --conformance takes a command", c.Command[0])
	case c.Conformance && (c.Live || c.DryRun || c.Harness != ""):
		return errors.New("--conformance tries the command it is given: it goes with --timeout and --json only")
	case c.Timeout <= 0:
		return errors.New("--timeout must be more than 0")
	}
	return nil
}

// Run carries the command out.
func (c *doctorCmd) Run(a *app) error {
	token := rand.Text()
	g, err := startGuardian(token) // for programs that belong to no run
	if err != nil {
		return fmt.Errorf("the guardian cannot be started: %w", err)
	}
	defer g.Close()
	if c.Conformance {
		return c.conform(a, g, token)
	}
	e := &examination{app: a, cmd: c, guardian: g}
	if err := e.run(); err != nil {
		return err
	}
	if c.JSON {
		err = terminal.PrintJSON(a.t, e.report)
	}
	if err == nil && !e.report.OK {
		return exitError(1)
	}
	return err
}

// examination is one visit to the doctor.
type examination struct {
	app      *app
	cmd      *doctorCmd
	guardian *proc.Guardian
	report   doctorReport
}

// doctorReport is the report with the result of the live call, null without one.
type doctorReport struct {
	doctor.Report
	Live *doctor.LiveReport `json:"live"`
}

// add takes findings, and shows them as they come: some take seconds.
func (e *examination) add(checks ...preflight.Condition) {
	e.report.Add(checks...)
	if e.cmd.JSON {
		return
	}
	for _, c := range checks {
		e.app.t.Printf("%s", c.Text(e.app.t.Color, e.app.t.ASCII))
	}
}

func (e *examination) run() error {
	ctx := e.app.ctx
	s, err := anywhere(e.app)
	if s == nil {
		return err
	}
	e.add(settingsCheck(s, err))
	in, err := e.input(s)
	if err != nil {
		return err
	}
	// The answer of a program that Ctrl-C has ended is no finding.
	for _, look := range []func(context.Context, doctor.Input) []preflight.Condition{doctor.Agents, doctor.Machine} {
		done := e.app.t.ShowActivity("asking the programs that a run needs")
		checks := look(ctx, in)
		done()
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		e.add(checks...)
	}
	e.add(doctor.RoomCondition(ctx, in, s.settings))
	(&doctor.Repair{Input: in, DryRun: e.cmd.DryRun, Notes: screen.Notes(e.app.t), Add: e.add}).Run(ctx)
	if e.cmd.Live {
		if err := e.live(in, s); err != nil {
			return err
		}
	}
	return context.Cause(ctx)
}

// input is what the checks need to know.
func (e *examination) input(s *surroundings) (doctor.Input, error) {
	home, _ := os.UserHomeDir() // the checks report a missing home folder
	in := doctor.Input{Now: time.Now(), Home: e.app.home, UserHome: home, Env: os.Environ(), Repo: s.repo,
		Probe: &doctor.Probe{Guardian: e.guardian, Limit: probeLimit}}
	names := []string{"claude"}
	if s.settings != nil {
		names = append([]string{s.settings.Harness}, s.settings.Fallback...)
		in.ApproveAll = s.settings.Claude.DangerouslySkipPermissions
	}
	if e.cmd.Harness != "" {
		names = []string{e.cmd.Harness}
	}
	for _, name := range names {
		h, err := launch.Named(s.known, name)
		if err != nil {
			return in, err
		}
		in.Harnesses = append(in.Harnesses, h)
	}
	return in, nil
}

// live sends the agent a short prompt.
func (e *examination) live(in doctor.Input, s *surroundings) error {
	if s.settings == nil {
		e.add(preflight.Condition{ID: "live", Severity: preflight.Error, Hint: "Correct the settings first.",
			Message: "The agent was not called: the settings cannot be read, and a run would call another agent than the built-in settings do"})
		return nil
	}
	h, t, timeout := in.Harnesses[0], e.app.t, time.Duration(e.cmd.Timeout)
	call := doctor.Live{Input: in, Options: launch.Caller(h, s.settings, s.repo).Options, RateLimit: s.settings.Defaults.RateLimitPerHour, Timeout: timeout,
		Waiting: func() func() {
			if !e.cmd.JSON {
				t.Printf("%s %s is asked for a word\n", t.Symbol("…"), h.Name)
			}
			return t.ShowActivity("waiting for its answer (at most " + words.Duration(timeout) + ")")
		}}
	report, finding, err := call.Call(e.app.ctx)
	if err == nil {
		e.report.Live = report
		e.add(finding)
	}
	return err
}

// settingsCheck is the finding about the settings' files.
func settingsCheck(s *surroundings, err error) preflight.Condition {
	c := preflight.Condition{ID: "settings", Severity: preflight.OK, Message: "Settings can be read"}
	list := func(lines []string) {
		for _, line := range lines {
			c.Details = append(c.Details, preflight.Detail{Text: line})
		}
	}
	switch {
	case err != nil:
		c.Severity, c.Message = preflight.Error, "Settings cannot be read"
		c.Hint = "Correct them at the places named; config.yaml.example explains each key. The other checks used the built-in settings."
		list(strings.Split(err.Error(), "\n"))
	case len(s.loaded.Warnings) > 0:
		c.Severity, c.Message = preflight.Warn, "Settings are ignored in part"
		c.Hint = "See 'ralph config show' for what counts."
		list(s.loaded.Warnings)
	}
	return c
}
