package main

import (
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/feature"
	"ralph/fleet/internal/repo"
)

// submitCmd is "ralph-fleet submit".
type submitCmd struct {
	Repo     string   `arg:"" help:"The repository, as git on the workers fetches it: an address or a path that all of them have."`
	Branches []string `arg:"" optional:"" name:"branch" help:"The branches."`
	All      bool     `help:"All branches that have a plan."`

	Priority int           `help:"1 is first, 5 is last." default:"3" placeholder:"N"`
	Needs    string        `help:"Only workers with this label." placeholder:"LABEL"`
	Silence  time.Duration `help:"Give up on a host after this long without a sign of life." default:"30s" placeholder:"D"`
	Patience time.Duration `help:"Trouble that may pass is borne for so long." default:"1h" placeholder:"D"`
	NoCheck  bool          `help:"Do not look into the repository first: the workers can reach it, this machine cannot."`
	Wait     bool          `help:"Wait until all are finished; exit with 1 if one is not done."`
	JSON     bool          `help:"Print the features' ids as JSON."`

	feature.Flags
}

var label = regexp.MustCompile(`^[A-Za-z0-9_-]{1,40}$`)

// Validate refuses what makes no sense; kong calls it.
func (c *submitCmd) Validate() error {
	switch {
	case c.All == (len(c.Branches) > 0):
		return errors.New("name the branches, or all of them with --all")
	case c.All && c.NoCheck:
		return errors.New("--all looks into the repository, --no-check does not: choose one of them")
	case c.Priority < 1 || c.Priority > 5:
		return fmt.Errorf("--priority must be from 1 to 5, not %d", c.Priority)
	case c.Needs != "" && !label.MatchString(c.Needs):
		return fmt.Errorf("--needs %q: a label is of letters, digits, - and _", c.Needs)
	case holdsSecret(c.Repo):
		return errors.New("the address holds a password or token, which all hosts and the server would see: leave it out, and give the workers a git credential helper")
	case c.Silence < time.Second:
		return errors.New("--silence must be at least 1s")
	case c.Patience < 0:
		return errors.New("--patience must be at least 0")
	}
	return c.Flags.Validate()
}

// holdsSecret reports whether an address says more than who asks: after http that is a
// token, too.
func holdsSecret(address string) bool {
	u, err := url.Parse(address)
	if err != nil || u.User == nil {
		return false
	}
	_, password := u.User.Password()
	return password || strings.HasPrefix(u.Scheme, "http")
}

// Run carries the command out.
func (c *submitCmd) Run(a *app) error {
	// A path is useful only if it is the same on all hosts: it is sent whole.
	if _, err := os.Stat(c.Repo); err == nil {
		if c.Repo, err = filepath.Abs(c.Repo); err != nil {
			return err
		}
	}
	branches := c.Branches
	if !c.NoCheck {
		var err error
		needPlan := c.Text == "" && c.Change == ""
		if branches, err = repo.Branches(a.ctx, c.Repo, c.Branches, needPlan); err != nil {
			return err
		}
	}
	if len(branches) == 0 {
		return fmt.Errorf("no branch of %s has a plan (.ralph/<branch>/ or a tasks.md): nothing to submit", c.Repo)
	}
	e, closeEngine, err := a.connect()
	if err != nil {
		return err
	}
	defer closeEngine()
	return c.submit(a, e, branches)
}

// submit submits the branches; one that is submitted already does not keep the others.
func (c *submitCmd) submit(a *app, e engine.Engine, branches []string) error {
	var ids []string
	var failed error
	for _, branch := range branches {
		s := feature.Submission{Repo: c.Repo, Branch: branch, Flags: c.Flags, Priority: c.Priority, Needs: c.Needs, Silence: c.Silence, Patience: c.Patience}
		if err := e.Submit(a.ctx, s); err != nil {
			fmt.Fprintln(a.err, "ralph-fleet:", err)
			failed = exitError(1)
			continue
		}
		ids = append(ids, s.ID())
		if !c.JSON {
			a.printf("submitted %s\n", s.ID())
		}
	}
	if c.JSON {
		if err := a.printJSON(append([]string{}, ids...)); err != nil {
			return err
		}
	}
	if why, err := e.Nobody(a.ctx, c.Needs); err == nil && why != "" && len(ids) > 0 {
		fmt.Fprintln(a.err, "ralph-fleet: it waits for a worker:", why)
	}
	if !c.Wait {
		return failed
	}
	for _, id := range ids {
		s, err := e.Await(a.ctx, engine.View{ID: id})
		if errors.Is(err, engine.ErrBroken) {
			fmt.Fprintln(a.err, "ralph-fleet:", err)
			failed = exitError(1)
			continue
		}
		if err != nil {
			return err
		}
		if s.Outcome != feature.Done {
			failed = exitError(1)
		}
		if !c.JSON {
			a.printf("%s: %s (%s)\n", id, s.Outcome, s.Message)
		}
	}
	return failed
}
