package main

import (
	"io"
	"math"
	"os"
	"slices"
	"strconv"
	"time"

	"ralph/internal/change"
	"ralph/internal/checklist"
	"ralph/internal/config"
	"ralph/internal/form"
	"ralph/internal/journal"
	"ralph/internal/launch"
	"ralph/internal/plan"
	"ralph/internal/unit"
)

// The criteria by which a loop of the form is done, as --done has them.
const (
	doneTasks  = "tasks"
	doneManual = "manual"
)

// manualHint is known to people and scripts.
const manualHint = "Loop won't auto-stop. Use 'ralph stop' to end."

// needsForm reports whether neither the command nor the worktree says what to do, and the
// user can be asked.
func (c *startCmd) needsForm(a *app, p *unit.Place) bool {
	if c.Task != "" || c.loopFlags != (loopFlags{}) || c.JSON || a.handedOver || !a.t.CanAsk || os.Getenv("TERM") == "dumb" || p.Unit == "" {
		return false
	}
	if p.HasPlan() {
		return false
	}
	if checklist.Find(p.Repo.Root) != "" {
		return true
	}
	changes, err := change.List(p.Repo.Root)
	return err != nil || len(changes) == 0 // which one is asked then
}

// fill asks the user for what the command line leaves open. args is the command line with
// the answers.
func (c *startCmd) fill(a *app, p *unit.Place) (args []string, err error) {
	// What the settings say is what the form begins with; what is wrong with them is
	// said when the loop is made ready.
	quiet, silent := *a.t, *a
	quiet.Err, silent.t = io.Discard, &quiet
	r, err := (&runCmd{Text: "-", runFlags: runFlags{loopFlags: loopFlags{Done: doneManual}}}).resolveAt(&silent, p)
	if err != nil {
		return nil, err
	}
	all, err := launch.Harnesses(r.Settings())
	if err != nil {
		return nil, err
	}
	var harnesses []string
	for _, h := range all {
		harnesses = append(harnesses, h.Name)
	}
	f := startForm(r.Settings(), harnesses, unit.Relative(p.Repo.Root, checklist.Find(p.Repo.Root)))
	f.ASCII = a.t.ASCII
	ok, err := f.Ask(a.ctx, a.t.In, os.Stdout, a.t.Color)
	if err != nil {
		return nil, err
	}
	if !ok {
		a.t.Printf("nothing was started\n")
		return nil, exitError(journal.ExitInterrupted)
	}
	return c.take(f, a.colorMode), nil
}

// startForm is the form; tasks is the checklist that was found, empty if none was.
func startForm(s *config.Settings, harnesses []string, tasks string) *form.Form {
	found, done := "yes ("+tasks+")", doneTasks
	if tasks == "" {
		found, done = "no", doneManual
	}
	harness := s.Harness
	if !slices.Contains(harnesses, harness) {
		harness = harnesses[0]
	}
	// The settings may be beyond what the form offers.
	within := func(n float64, least, most int) string {
		return strconv.Itoa(min(max(int(math.Round(n)), least), most))
	}
	timeout := s.Defaults.TimeoutMinutes.Duration().Minutes()
	return &form.Form{
		Title: "Start a loop in the background",
		Fields: []form.Field{
			{Name: "task", Label: "Task", Empty: "what tasks.md says"},
			{Name: "done", Label: "Done when", Value: done, Options: []string{doneTasks, doneManual}, Note: func(v string) string {
				switch {
				case v == doneManual:
					return manualHint
				case tasks == "":
					return plan.NoTasks
				}
				return ""
			}},
			{Name: "found", Label: "tasks.md found", Value: found, Fixed: true},
			{Name: "max", Label: "Iterations", Value: within(float64(s.Defaults.MaxIterations), 1, 1000), Least: 1, Most: 1000},
			{Name: "stall", Label: "Stall threshold", Value: within(float64(s.CircuitBreaker.NoProgressThreshold), 1, 10), Least: 1, Most: 10},
			{Name: "timeout", Label: "Timeout (min)", Value: within(timeout, 5, 120), Least: 5, Most: 120},
			{Name: "harness", Label: "Harness", Value: harness, Options: harnesses},
			{Name: "model", Label: "Model", Empty: "as the settings say, else the harness's own"},
		},
		Check: func(f *form.Form) (string, string) {
			if f.Value("task") == "" && (tasks == "" || f.Value("done") == doneManual) {
				return "task", "say what is to be done"
			}
			return "", ""
		},
	}
}

// take makes the command what the form says, and returns it as a command line.
func (c *startCmd) take(f *form.Form, colorMode string) []string {
	args := []string{"--color", colorMode, "start"}
	number := func(name, flag string) *int {
		n, _ := strconv.Atoi(f.Value(name)) // the form has seen to it that it is one
		args = append(args, flag, f.Value(name))
		return &n
	}
	text := func(name, flag string) string {
		if f.Value(name) != "" {
			args = append(args, flag+"="+f.Value(name)) // whatever it begins with
		}
		return f.Value(name)
	}
	c.MaxIterations = number("max", "--max-iterations")
	c.StallThreshold = number("stall", "--stall-threshold")
	timeout := minutes(time.Duration(*number("timeout", "--timeout")) * time.Minute)
	c.Timeout = &timeout
	c.Done, c.Harness, c.Model = text("done", "--done"), text("harness", "--harness"), text("model", "--model")
	if c.Task = f.Value("task"); c.Task != "" {
		args = append(args, "--", c.Task)
	}
	return args
}
