// Package preflight checks, before a run, everything that must hold for it: the
// branch, the feature's folder and files, their agreement, the agent. It reads
// and changes nothing; what it has found is a report, for people and programs.
package preflight

import (
	"context"
	"path"
	"sync"

	"ralph/internal/git"
)

// Input holds everything that the checks need to know.
type Input struct {
	Root       string            // of the worktree, absolute
	Branch     string            // empty if HEAD is detached
	InProgress string            // the unfinished operation of git, such as "merge"; empty without one
	Changes    []git.StatusEntry // all that is not committed
	Dirty      []string          // paths outside of .ralph/ with uncommitted changes, from the root
	Followed   []string          // files that ralph derives, and that git follows nevertheless
	Nameless   bool              // git has no name or no address for commits
	Protected  []string          // names of protected branches
	OwnerFile  string            // where NoteOwner has put the folder's branch; empty for no such check
	Foreign    string            // a plan of another tool, from the root; empty without one
	Archived   string            // the newest archive of the unit, from the root; empty without one
	Checked    bool              // quality checks are configured
	Agent      Agent
	Fallback   []Agent // who takes over while it is at its limit
	Reviewer   *Agent  // of claims; nil is none
}

// Agent describes the agent as far as ralph can know it without starting it. An agent without
// a name is not checked.
type Agent struct {
	Name              string // of the harness
	Fault, Remedy     string // why it cannot do this run, and what helps
	Command           string // as the settings name its program
	Path              string // of its program; empty if it cannot be run
	Blocked           bool   // the program is there, and may not be executed
	RootAndApproveAll bool   // it would run as root with the flag that approves everything
	LoginSign         bool   // there is a key, a token or a credentials file
}

// ReadRepository asks git for the state of the worktree, and returns an Input with it.
func ReadRepository(ctx context.Context, repo *git.Repo) (Input, error) {
	head, err := repo.Head(ctx)
	if err != nil {
		return Input{}, err
	}
	in := Input{Root: repo.Root, Branch: head.Branch, InProgress: repo.InProgress()}
	var asked sync.WaitGroup
	asked.Go(func() { in.Nameless = !repo.HasIdentity(ctx) }) // while git looks through the worktree
	in.Changes, err = repo.Status(ctx)
	asked.Wait()
	if err != nil {
		return Input{}, err
	}
	for _, c := range in.Changes {
		if followed(c) {
			in.Followed = append(in.Followed, c.Path)
		}
	}
	for _, c := range git.Without(in.Changes, ".ralph") {
		if !followed(c) && !setUp(c) {
			in.Dirty = append(in.Dirty, c.Path)
		}
	}
	return in, nil
}

// Run makes all checks of a feature's plan. It skips a check that needs what another did not
// find.
func Run(in Input) Report {
	r := runner{in: in, report: Report{Branch: in.Branch, OK: true}}
	if r.branch() && r.folder() {
		r.plan()
	}
	return r.rest()
}

// rest makes the checks that every kind of plan has.
func (r *runner) rest() Report {
	r.workingTree()
	r.followed()
	r.identity()
	r.agents()
	r.checks()
	return r.report
}

// runner collects the report.
type runner struct {
	in      Input
	own     Own
	report  Report
	unclear bool // spec.md has stories that cannot be read
}

func (r *runner) add(c Condition) {
	if c.Severity == Error {
		r.report.OK = false
	}
	if c.Details == nil {
		c.Details = []Detail{} // an empty list in JSON, not null
	}
	r.report.Checks = append(r.report.Checks, c)
}

// file is the path of one of the feature's files, from the root.
func (r *runner) file(name string) string { return path.Join(r.report.Folder, name) }
