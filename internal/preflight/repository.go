package preflight

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/renameio/v2"

	"ralph/internal/change"
	"ralph/internal/git"
)

const planHint = "Plan the feature by running '/ralph-plan' in Claude Code, or 'ralph plan'."

// branch checks the current branch, and reports whether it names a unit.
func (r *runner) branch() bool {
	if op := r.in.InProgress; op != "" {
		message := fmt.Sprintf("A %s is in progress", op)
		if r.in.Branch == "" {
			message += " (HEAD is detached until it ends)"
		}
		r.add(Condition{ID: "operation", Severity: Error, Message: message, Hint: operationHint(op)})
	} else {
		r.add(Condition{ID: "operation", Severity: OK, Message: "No merge or rebase in progress", quiet: true})
	}
	if r.in.Branch == "" {
		if r.in.InProgress == "" {
			r.add(Condition{ID: "branch", Severity: Error, Message: "Not on a branch (detached HEAD)",
				Hint: "Check out the feature's branch with 'git switch NAME', or create one with 'git switch -c NAME'."})
		}
		return false
	}
	unit, err := r.unit()
	if err != nil {
		r.add(Condition{ID: "branch", Severity: Error, Message: err.Error(),
			Hint: "Give the branch another name with 'git branch -m NAME'."})
		return false
	}
	r.report.Unit, r.report.Folder = unit, ".ralph/"+unit+"/"
	r.add(Condition{ID: "branch", Severity: OK, Message: "Branch detected: " + r.in.Branch})
	if slices.Contains(r.in.Protected, r.in.Branch) {
		r.add(Condition{ID: "protected_branch", Severity: Warn, Message: fmt.Sprintf("Running on protected branch '%s'", r.in.Branch),
			Hint: "Work on a branch of the feature: 'git switch -c feature/NAME'."})
	} else {
		r.add(Condition{ID: "protected_branch", Severity: OK, Message: "The branch is not protected", quiet: true})
	}
	return true
}

// unit is what the run is about: a change, else the branch.
func (r *runner) unit() (string, error) {
	if r.own.Unit != "" {
		return r.own.Unit, nil
	}
	return change.UnitOf(r.in.Branch)
}

func operationHint(op string) string {
	if op == "bisect" {
		return "End it with 'git bisect reset'."
	}
	return fmt.Sprintf("Finish it with 'git %s --continue', or undo it with 'git %s --abort'.", op, op)
}

// folder checks that the feature's folder is there and is this branch's own.
func (r *runner) folder() bool {
	info, err := os.Stat(filepath.Join(r.in.Root, r.report.Folder))
	c := Condition{ID: "folder", Severity: Error, Message: "Folder missing: " + r.report.Folder, Hint: planHint}
	link, unread := os.Readlink(filepath.Join(r.in.Root, strings.TrimSuffix(r.report.Folder, "/")))
	switch {
	case errors.Is(err, fs.ErrNotExist) && unread == nil:
		c.Message, c.Hint = fmt.Sprintf("Folder is a link to %s, which does not exist", link), "Remove the link. "+planHint
	case errors.Is(err, fs.ErrNotExist) && r.in.Archived != "":
		c.Message = fmt.Sprintf("Folder missing: the feature is done and archived in %s", r.in.Archived)
		c.Hint = fmt.Sprintf("Plan the next feature with 'ralph plan', or bring this one back with 'ralph archive --restore %s'.", path.Base(r.in.Archived))
	case errors.Is(err, fs.ErrNotExist) && r.in.Foreign != "":
		c.Hint = fmt.Sprintf("Import the plan in %s with 'ralph import', or plan the feature with 'ralph plan'.", r.in.Foreign)
	case errors.Is(err, fs.ErrNotExist):
	case err != nil:
		c.Message, c.Hint = fmt.Sprintf("Folder cannot be read: %s", cause(err)), "Check the permissions of "+r.report.Folder+"."
	case !info.IsDir():
		c.Message, c.Hint = "Not a folder: "+strings.TrimSuffix(r.report.Folder, "/"), "Move it out of the way. "+planHint
	default:
		c = Condition{ID: "folder", Severity: OK, Message: "Folder exists: " + r.report.Folder}
	}
	r.add(c)
	return c.Severity == OK && r.owner()
}

// owner refuses the folder of another branch: feature/a and feature-a have the
// same.
func (r *runner) owner() bool {
	if r.in.OwnerFile == "" {
		return true
	}
	owner := Owner(r.in.OwnerFile)
	if owner == "" || owner == r.in.Branch {
		return true
	}
	r.add(Condition{ID: "owner", Severity: Error, Message: fmt.Sprintf("Folder %s belongs to branch '%s'", r.report.Folder, owner),
		Hint: fmt.Sprintf("Give one of the branches another name with 'git branch -m NAME'. If the folder is this branch's own now, remove %s.", r.in.OwnerFile)})
	return false
}

// Owner returns the branch that NoteOwner wrote to file, or "" before the first run.
func Owner(file string) string {
	content, _ := os.ReadFile(file) // a missing file has no owner
	return strings.TrimSuffix(string(content), "\n")
}

// NoteOwner writes the branch that owns the folder to file, for later checks. The file's
// directory must exist.
func NoteOwner(file, branch string) error {
	if err := renameio.WriteFile(file, []byte(branch+"\n"), 0o600, renameio.WithTempDir(filepath.Dir(file))); err != nil {
		return fmt.Errorf("%s cannot be written: %w", file, err)
	}
	return nil
}

func (r *runner) workingTree() {
	c := Condition{ID: "working_tree", Severity: OK, Message: "No uncommitted changes outside .ralph/", quiet: true}
	if len(r.in.Dirty) > 0 {
		c = Condition{ID: "working_tree", Severity: Warn, Message: "Uncommitted changes outside .ralph/",
			Hint: "Commit or stash them: the agent may take them for its own."}
		for _, path := range r.in.Dirty {
			c.Details = append(c.Details, Detail{Text: path})
		}
	}
	r.add(c)
}

// derived lists the files that ralph writes at each step of a loop.
var derived = []string{".ralph/*/status.json", ".ralph/*/state.json", ".ralph/*/logs/*", ".ito/.state/ralph/*/*", ".ito/.state/ralph/*/logs/*",
	".claude/loop-state.json", ".claude/ralph-loop.log", ".claude/ralph-terminal.pid"}

// followed reports whether a change is in a derived file that git tracks and that is not
// about to be removed.
func followed(c git.StatusEntry) bool {
	return !c.Untracked() && !strings.HasPrefix(c.XY, "D") && matches(c.Path, derived)
}

// setUp reports whether a change is one of the files that 'ralph setup' wrote and
// that is not committed yet.
func setUp(c git.StatusEntry) bool {
	return c.Untracked() && matches(c.Path, []string{".*/commands/ralph-*", ".agents/skills/ralph-*/SKILL.md"})
}

func matches(name string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(pattern string) bool {
		ok, err := path.Match(pattern, name)
		return ok && err == nil
	})
}

func (r *runner) followed() {
	c := Condition{ID: "derived", Severity: OK, Message: "git tracks no file that ralph writes", quiet: true}
	if len(r.in.Followed) > 0 {
		c = Condition{ID: "derived", Severity: Warn, Message: "git tracks files that ralph writes, so agents commit them", hinted: true,
			Hint: "Remove each from git with 'git rm --cached FILE', and commit that."}
		for _, file := range r.in.Followed {
			c.Details = append(c.Details, Detail{Text: file})
		}
	}
	r.add(c)
}

func (r *runner) identity() {
	c := Condition{ID: "identity", Severity: OK, Message: "git knows who commits", quiet: true}
	if r.in.Nameless {
		c = Nameless("identity")
	}
	r.add(c)
}

// Nameless returns the warning that git has no name and address for commits. If git cannot
// guess them, each commit of an agent fails, and a run may end with nothing committed.
func Nameless(id string) Condition {
	return Condition{ID: id, Severity: Warn, Message: "git knows no name and address for commits: the agent's commits fail, or have guessed ones", hinted: true,
		Hint: "Set them with these two commands:\n  git config --global user.name \"NAME\"\n  git config --global user.email ADDRESS"}
}

// agents checks the agent of the run, those that may have to take over, and the reviewer.
func (r *runner) agents() {
	if r.in.Agent.Name == "" {
		return
	}
	r.add(r.in.Agent.check())
	for _, a := range r.in.Fallback {
		r.spare(a, "fallback", "take over")
	}
	if r.in.Reviewer != nil {
		r.spare(*r.in.Reviewer, "review", "review stories")
	}
}

// check reports whether the agent can be called, as far as that is known.
func (a Agent) check() Condition {
	c := Condition{ID: "agent", Severity: Error}
	switch {
	case a.Fault != "":
		c.Message, c.Hint = a.Fault, a.Remedy
	case a.Blocked:
		c.Message = fmt.Sprintf("Agent '%s' may not be run: %s is not executable", a.Name, a.Command)
		c.Hint = "Make it executable with 'chmod +x', or choose another agent with 'ralph run --harness NAME'."
	case a.Path == "":
		c.Message = fmt.Sprintf("Agent '%s' not found", a.Name)
		if a.Command != a.Name && a.Command != "" {
			c.Details = []Detail{{Text: "command not found: " + a.Command}}
		}
		c.Hint = "Install it, put its command into ~/.ralph/config.yaml, or choose another with 'ralph run --harness NAME'."
	case a.RootAndApproveAll:
		c.Message = fmt.Sprintf("Agent '%s' must not approve everything as root", a.Name)
		c.Hint = "Run as another user, or without --dangerously-skip-permissions."
	case !a.LoginSign:
		c.Severity, c.Message = Warn, fmt.Sprintf("No sign of a login for agent '%s'", a.Name)
		c.Hint = fmt.Sprintf("Start agent '%s' once by hand and log in, or put its key into the environment.", a.Name)
	default:
		c.Severity, c.Message, c.quiet = OK, fmt.Sprintf("Agent found: %s", a.Path), true
	}
	return c
}

// spare warns of an agent that may not be able to do its part. The run can start without it.
func (r *runner) spare(a Agent, setting, part string) {
	c := a.check()
	if c.Severity == OK {
		return
	}
	c.ID, c.Details = setting, nil
	switch {
	case a.Fault != "":
	case c.Severity == Warn:
		c.Message += ": it may not be able to " + part
	default:
		c.Severity, c.Message = Warn, c.Message+": it cannot "+part
	}
	if a.Fault == "" && !a.Blocked && a.Path == "" {
		c.Hint = fmt.Sprintf("Install it, or take it out of the setting %s.", setting)
	}
	r.add(c)
}

// worded is an error's text with paths as they are from the worktree's root.
func (r *runner) worded(err error) string {
	return strings.ReplaceAll(err.Error(), strings.TrimSuffix(r.in.Root, "/")+"/", "")
}
