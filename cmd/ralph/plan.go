package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"golang.org/x/term"

	"ralph"
	"ralph/internal/agent"
	"ralph/internal/change"
	"ralph/internal/hint"
	"ralph/internal/journal"
	"ralph/internal/launch"
	"ralph/internal/plan"
	"ralph/internal/setup"
	"ralph/internal/unit"
)

// planCmd is "ralph plan".
type planCmd struct {
	Description string `arg:"" optional:"" help:"What the feature is about."`
	Harness     string `predictor:"harness" aliases:"agent" help:"Coding agent to plan with: claude, codex, opencode, gemini or copilot." placeholder:"NAME"`
	Model       string `help:"Model (default: the agent's own)." placeholder:"ID"`
	Criteria    bool   `help:"Write acceptance criteria for the stories that have none."`
}

// Run carries the command out: no loop and no guardian, the agent and the user
// talk in this terminal.
func (c *planCmd) Run(a *app) error {
	p, err := unit.Worktree(a.ctx)
	if err == nil {
		err = p.Refused
	}
	if err != nil {
		return err
	}
	r := &resolved{Run: &launch.Run{Home: a.home, Place: p, Plan: plan.Feature(p.Repo.Root, p.Folder, "")},
		app: a, flags: &runFlags{loopFlags: loopFlags{Harness: c.Harness, Model: c.Model}}}
	if err := c.ready(a, r); err != nil {
		return err
	}
	if err := recoverFirst(a, p); err != nil {
		return err
	}
	if err := r.loadSettings(); err != nil {
		return err
	}
	if err := c.protected(r); err != nil {
		return err
	}
	if err := r.ChooseAgents(); err != nil {
		return err
	}
	if c.Criteria {
		if err := c.askForCriteria(a, p); err != nil {
			return err
		}
	}
	argv, err := c.call(a, r)
	if err != nil {
		return err
	}
	if err := converse(a, p.Repo.Root, argv, r.Agent().Harness.Environ(os.Environ(), nil)); err != nil {
		return err
	}
	return c.conclude(a, p)
}

// askForCriteria makes the stories without acceptance criteria what the agent is
// asked about.
func (c *planCmd) askForCriteria(a *app, p *unit.Place) error {
	s, err := readSpec(a.t, p)
	if err != nil {
		return err
	}
	var bare []string
	for _, story := range s.Stories {
		if len(story.Criteria) == 0 {
			bare = append(bare, story.ID)
		}
	}
	if len(bare) == 0 {
		a.t.Printf("every story has acceptance criteria\n")
		return exitError(0)
	}
	c.Description = strings.TrimSpace(fmt.Sprintf("write the acceptance criteria of %s, which have none, from the code and the tests; change nothing else. %s",
		strings.Join(bare, ", "), c.Description))
	return nil
}

// ready returns an error if planning is not possible here.
func (c *planCmd) ready(a *app, r *resolved) error {
	p := r.Place
	switch op := p.Repo.InProgress(); {
	case p.Unit == "" && op != "":
		return hint.With(fmt.Errorf("a %s is in progress", op), "finish it first, or undo it")
	case p.Unit == "":
		return hint.With(unit.ErrDetached.Err, "create a branch for the feature: git switch -c "+change.BranchFor(c.Description))
	case unit.Running(p):
		return hint.With(fmt.Errorf("a loop is running on %s: it would restore spec.md after each iteration", p.Unit),
			"stop it first: ralph stop; or edit spec.md yourself and run: ralph prd")
	case !a.t.CanAsk:
		return hint.With(errors.New("planning is a conversation with the agent: it needs a terminal"),
			fmt.Sprintf("without one, write %s/spec.md yourself and run: ralph prd", p.Folder))
	}
	return nil
}

// protected refuses to begin a plan on a branch that is not meant for features.
// One that has a plan already was chosen with open eyes.
func (c *planCmd) protected(r *resolved) error {
	if !slices.Contains(r.Settings().ProtectedBranches, r.Place.Branch) {
		return nil
	}
	if _, err := os.Stat(r.Place.File("spec.md")); err == nil {
		return nil
	}
	return hint.With(fmt.Errorf("%s is a protected branch, and a plan is tied to its branch", r.Place.Branch),
		"create a branch for the feature: git switch -c "+change.BranchFor(c.Description))
}

// call returns the command that starts the agent, and installs the agent's slash commands.
func (c *planCmd) call(a *app, r *resolved) ([]string, error) {
	talk, ok := setup.Find(r.Agent().Harness.Name)
	if !ok {
		var names []string
		for _, known := range setup.Agents() {
			names = append(names, known.Name)
		}
		return nil, hint.With(fmt.Errorf("ralph does not know how to talk with the harness %s in a terminal", r.Agent().Harness.Name),
			"plan with one of "+strings.Join(names, ", ")+": ralph plan --harness claude")
	}
	argv, err := talk.Plan(ralph.Templates, r.Agent().Harness, r.Agent().Options.Model, strings.TrimSpace(c.Description))
	if err != nil {
		return nil, err
	}
	if _, err := exec.LookPath(argv[0]); err != nil {
		return nil, hint.With(&agent.MissingError{Harness: r.Agent().Harness.Name, Program: argv[0], Err: err},
			"or plan with another one: ralph plan --harness NAME")
	}
	files, err := talk.Commands(r.Place.Repo.Root, ralph.Templates)
	for i := 0; i < len(files) && err == nil; i++ {
		f := &files[i]
		if f.State == setup.Missing || f.State == setup.Outdated { // the user's own edits stay
			if err = f.Write(); err == nil {
				a.t.Printf("%s %s\n", fileVerb(f.State), f.Name)
			}
		}
	}
	if err != nil {
		return nil, inTheWay(r.Place.Repo.Root, err)
	}
	return argv, nil
}

// converse runs the agent in this terminal until it ends. A Ctrl-C is the
// agent's, which is in the same process group; what asks only ralph to end is
// passed on, and waited for.
func converse(a *app, dir string, argv, env []string) error {
	if a.ctx.Err() != nil {
		return exitError(journal.ExitInterrupted)
	}
	signals := make(chan os.Signal, 1)
	signal.Notify(signals, syscall.SIGTERM, syscall.SIGHUP)
	defer signal.Stop(signals)
	fd := int(a.t.In.Fd())
	if state, err := term.GetState(fd); err == nil {
		defer func() { _ = term.Restore(fd, state) }() // an agent that crashes leaves it raw
	}
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = dir, env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	if err := cmd.Start(); err != nil {
		return fmt.Errorf("%s cannot be started: %w", argv[0], err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case s := <-signals:
		_ = cmd.Process.Signal(s) // it may have ended just now
		<-ended
		return exitError(journal.ExitStopped)
	case err := <-ended:
		var exit *exec.ExitError
		if errors.As(err, &exit) {
			a.t.Warn("%s ended with %s", filepath.Base(argv[0]), exit)
			return nil
		}
		return err
	}
}

// conclude finishes the planning: it refreshes prd.json, shows the report of preflight,
// and returns an error if the plan is not ready.
func (c *planCmd) conclude(a *app, p *unit.Place) error {
	after := *a
	after.ctx = context.WithoutCancel(a.ctx) // a Ctrl-C meanwhile was meant for the agent
	a.t.Printf("\n")
	fresh, err := p.PlanUpToDate()
	if err != nil {
		return err
	}
	if !fresh {
		if err := (&prdCmd{}).refresh(&after, p); err != nil {
			exitCode(a.t, err) // prints it; the report shows the rest
		}
		a.t.Printf("\n")
	}
	r, err := (&runCmd{runFlags: runFlags{loopFlags: loopFlags{Harness: c.Harness, Model: c.Model}}}).resolveAt(&after, p)
	if err != nil {
		return err
	}
	report, err := r.check()
	if err != nil {
		return err
	}
	if err := report.Text(a.t.Out, a.t.Color, a.t.ASCII); err != nil {
		return err
	}
	if !report.OK {
		a.t.Printf("\nContinue planning with: ralph plan\n")
		return exitError(1)
	}
	a.t.Printf("\nStart the loop with: %s\n", strings.Join(append([]string{"ralph run"}, c.harnessFlag()...), " "))
	return nil
}

func (c *planCmd) harnessFlag() []string {
	if c.Harness == "" {
		return nil
	}
	return []string{"--harness", c.Harness}
}
