package launch

import (
	"crypto/rand"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"time"

	"ralph/internal/journal"
	"ralph/internal/loop"
	"ralph/internal/preflight"
	"ralph/internal/proc"
	"ralph/internal/ratelimit"
	"ralph/internal/recorder"
	"ralph/internal/registry"
	"ralph/internal/secret"
	"ralph/internal/unit"
)

// Loop builds the loop of the run. taken are the ids of earlier runs, and task is the text of the
// command line. guardian starts a guardian that records a crash of the run.
func (r *Run) Loop(s *unit.State, taken []string, settings loop.Settings, version, task string, guardian func(token string) (*proc.Guardian, error)) (*loop.Loop, error) {
	self, err := proc.Self()
	if err != nil {
		return nil, err
	}
	id, err := r.newRunID(taken)
	if err != nil {
		return nil, err
	}
	host, _ := os.Hostname()
	p, about, token := r.Place, r.Plan.About(), rand.Text()
	environs := os.Environ()
	for _, c := range r.Paid() {
		environs = append(environs, c.Harness.Env...)
	}
	ledgers := ratelimit.Dir(r.Home)
	if ledgers == "" { // then calls are counted for this unit alone
		ledgers = ratelimit.Dir(p.StateDir)
	}
	return &loop.Loop{
		Identity: loop.Identity{Version: version, Run: id, Unit: p.Unit, Feature: p.Unit, Task: task, Change: about.Change.ID, Module: about.Change.Module,
			StateDir: p.StateDir, LogDir: p.LogDir(), Self: self, Host: host, Token: token, Since: s.Since},
		Settings: settings,
		Plan:     r.Plan, Repo: p.Repo, States: p.States(), Changes: r.Changes, Inbox: s.Inbox,
		Ledger: ratelimit.OpenShared(os.Getenv(ratelimit.EnvShared), ledgers, r.Agent().Harness.Name, settings.RateLimit).For(token),
		Agents: r.Agents, Reviewer: r.Reviewer,
		Env: os.Environ(), CheckEnv: r.CheckEnv(), Deps: r.deps(),
		Recorder: &recorder.Recorder{Journal: s.Writer, Run: id, Secrets: secret.New(environs)},
		Keeper:   &proc.Keeper{Token: token, Start: func() (*proc.Guardian, error) { return guardian(token) }},
	}, nil
}

// newRunID names the run. The logs of the run before move to a folder with its name.
func (r *Run) newRunID(taken []string) (string, error) {
	logs := filepath.Join(r.Place.Repo.Root, r.Place.LogDir())
	if err := os.MkdirAll(logs, 0o755); err != nil {
		return "", fmt.Errorf("the logs' folder cannot be made: %w", err)
	}
	last := ""
	if len(taken) > 0 {
		last = taken[len(taken)-1]
	}
	if err := unit.MoveLogs(logs, last); err != nil {
		return "", err
	}
	return journal.NewRunID(time.Now(), func(id string) bool { return slices.Contains(taken, id) }), nil
}

// Register adds the run to the list of loops. At the first run of a feature it also records
// the branch that owns the folder: another branch may have the same unit. listed is an error
// of the list alone: the run can start without it.
func (r *Run) Register() (listed, err error) {
	p, kind := r.Place, r.Plan.About().Kind
	if _, err := os.Stat(p.OwnerFile()); err != nil && kind.Feature() {
		if err := preflight.NoteOwner(p.OwnerFile(), p.Branch); err != nil {
			return nil, err
		}
	}
	return registry.Register(r.Home, registry.Entry{Unit: p.Unit, Plan: string(kind), Worktree: p.Repo.Root,
		Branch: p.Branch, StateDir: p.StateDir, Folder: p.Folder, Updated: time.Now()}), nil
}
