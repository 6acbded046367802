package unit

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/registry"
)

// machine is a user with two worktrees on branch main, here and there.
type machine struct {
	t    *testing.T
	dir  string
	home string
}

func newMachine(t *testing.T) *machine {
	t.Helper()
	t.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
	t.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"here", "there"} {
		if out, err := exec.Command("git", "init", "-q", "-b", "main", filepath.Join(dir, name)).CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
	}
	t.Chdir(filepath.Join(dir, "here"))
	return &machine{t, dir, filepath.Join(dir, "home")}
}

func (m *machine) place(where, unit string) *Place {
	repo := &git.Repo{Root: filepath.Join(m.dir, where), GitDir: filepath.Join(m.dir, where, ".git")}
	return PlaceAt(repo, unit)
}

func (m *machine) write(path, text string) {
	m.t.Helper()
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		m.t.Fatal(err)
	}
}

// ran puts a run of the unit on record. It has ended, unless it is running or died.
func (m *machine) ran(where, unit, state string) {
	m.t.Helper()
	p := m.place(where, unit)
	w, err := journal.OpenWriter(p.JournalPath())
	if err != nil {
		m.t.Fatal(err)
	}
	defer w.Close()
	bodies := []journal.Body{journal.RunStarted{Unit: unit, Branch: "main"}}
	if strings.HasPrefix(unit, "change-") {
		bodies[0] = journal.RunStarted{Unit: unit, Branch: "main", Change: unit}
	}
	if state == "ended" {
		bodies = append(bodies, journal.RunEnded{Reason: journal.ReasonMaxIterations})
	}
	for _, b := range bodies {
		if _, err := w.Append("r", time.Now(), b); err != nil {
			m.t.Fatal(err)
		}
	}
	e := registry.Entry{Unit: unit, Worktree: p.Repo.Root, Branch: "main", Folder: p.Folder, StateDir: p.StateDir}
	if err := registry.Register(m.home, e); err != nil {
		m.t.Fatal(err)
	}
	if state != "running" {
		return
	}
	self, err := proc.Self()
	if err != nil {
		m.t.Fatal(err)
	}
	for _, dir := range []string{filepath.Dir(p.StateDir), p.StateDir} {
		lock, err := journal.Acquire(m.t.Context(), dir, journal.Holder{Unit: unit, PID: self.PID, PIDStart: self.Start}, 0)
		if err != nil {
			m.t.Fatal(err)
		}
		m.t.Cleanup(func() { _ = lock.Release() })
	}
}

// planned makes a feature folder, or the folder of a change.
func (m *machine) planned(where, unit string) {
	root := filepath.Join(m.dir, where)
	if strings.HasPrefix(unit, "change-") {
		m.write(filepath.Join(root, "openspec", "changes", unit, "proposal.md"), "# X\n")
		return
	}
	m.write(filepath.Join(root, ".ralph", unit, "spec.md"), "# X\n")
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name  string
		given func(m *machine)
		query Query
		want  string // the worktree and the unit; or a part of the error; or "none"
	}{
		{"the branch", func(*machine) {}, Query{}, "here main"},
		{"the running loop", func(m *machine) { m.ran("here", "other", "running") }, Query{}, "here other"},
		{"the change that ran last", func(m *machine) { m.ran("here", "change-a", "ended") }, Query{}, "here change-a"},
		{"another branch ran last", func(m *machine) { m.ran("here", "other", "ended") }, Query{}, "here main"},
		{"a name and a change", func(*machine) {}, Query{Unit: "a", Change: "b"}, "not both"},
		{"a name that ran here", func(m *machine) { m.ran("here", "feature-x", "ended"); m.ran("there", "feature-x", "ended") }, Query{Unit: "feature/x"}, "here feature-x"},
		{"a name that ran elsewhere", func(m *machine) { m.planned("here", "x"); m.ran("there", "x", "ended") }, Query{Unit: "x"}, "there x"},
		{"a name that is planned here", func(m *machine) { m.planned("here", "x") }, Query{Unit: "x"}, "here x"},
		{"a change that is planned here", func(m *machine) { m.planned("here", "change-a") }, Query{Unit: "change-a"}, "here change-a"},
		{"an unknown name", func(m *machine) { m.planned("there", "x") }, Query{Unit: "x"}, "no such unit"},
		{"to act, ended elsewhere", func(m *machine) { m.ran("there", "x", "ended") }, Query{Unit: "x", ToAct: true}, "none"},
		{"to act, running elsewhere", func(m *machine) { m.ran("there", "x", "running") }, Query{Unit: "x", ToAct: true}, "there x"},
		{"to act, died elsewhere", func(m *machine) { m.ran("there", "x", "died") }, Query{Unit: "x", ToAct: true}, "there x"},
		{"to act, planned here", func(m *machine) { m.planned("here", "x") }, Query{Unit: "x", ToAct: true}, "none"},
		{"here, not run", func(m *machine) { m.ran("there", "x", "ended") }, Query{Unit: "x", Here: true}, "here x"},
		{"here, by its branch", func(*machine) {}, Query{Unit: "feature/x", Here: true}, "here feature-x"},
		{"here, without a name", func(m *machine) { m.ran("here", "other", "running") }, Query{Here: true}, "here main"},
		{"here, with a name that cannot be one", func(*machine) {}, Query{Unit: "archive", Here: true}, "archive"},
		{"in a worktree", func(m *machine) { m.ran("here", "x", "ended"); m.ran("there", "x", "ended") }, Query{Unit: "x", Worktree: "there"}, "there x"},
		{"the only one in a worktree", func(m *machine) { m.ran("there", "x", "ended") }, Query{Worktree: "there"}, "there x"},
		{"one of two in a worktree", func(m *machine) { m.ran("there", "x", "ended"); m.ran("there", "y", "ended") }, Query{Worktree: "there"}, "several units have run"},
		{"planned in a known worktree", func(m *machine) { m.ran("there", "x", "ended"); m.planned("there", "y") }, Query{Unit: "y", Worktree: "there"}, "there y"},
		{"planned in an unknown worktree", func(m *machine) { m.planned("there", "y") }, Query{Unit: "y", Worktree: "there"}, "no such unit"},
		{"planned in this worktree", func(m *machine) { m.planned("here", "main") }, Query{Worktree: "here"}, "here main"},
	} {
		t.Run(c.name, func(t *testing.T) {
			m := newMachine(t)
			c.given(m)
			if c.query.Worktree != "" {
				c.query.Worktree = filepath.Join(m.dir, c.query.Worktree)
			}
			p, err := Find(t.Context(), m.home, c.query)
			got := "none"
			switch {
			case err != nil:
				got = err.Error()
			case p != nil:
				got = filepath.Base(p.Repo.Root) + " " + p.Unit
			}
			if !strings.Contains(got, c.want) {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
	t.Run("in two other worktrees", func(t *testing.T) {
		m := newMachine(t)
		m.ran("there", "x", "ended")
		m.ran("here", "x", "ended")
		t.Chdir(m.dir)
		var several *SeveralError
		if _, err := Find(t.Context(), m.home, Query{Unit: "x"}); !errors.As(err, &several) || len(several.roots) != 2 {
			t.Errorf("%v", err)
		}
	})
}
