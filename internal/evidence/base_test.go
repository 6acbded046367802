package evidence

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/plan"
	"ralph/internal/run"
	"ralph/internal/tamper"
)

// ci has one step, which no run of ralph's can show to be weaker.
const ci = "test:\n  script: go test ./...\n"

// project is a repository with one step of CI, and the gate of a unit in it.
type project struct {
	t    *testing.T
	root string
	gate *Gate
}

func newProject(t *testing.T) *project {
	t.Helper()
	for _, name := range []string{"GIT_CONFIG_GLOBAL", "GIT_CONFIG_SYSTEM"} {
		t.Setenv(name, os.DevNull)
	}
	p := &project{t: t, root: t.TempDir()}
	p.git("init", "-q", "-b", "work")
	p.write(".gitlab-ci.yml", ci)
	p.commit()
	p.restart()
	return p
}

// restart is a new process of ralph.
func (p *project) restart() {
	p.t.Helper()
	repo, err := git.Open(p.t.Context(), p.root)
	if err != nil {
		p.t.Fatal(err)
	}
	p.gate = &Gate{Repo: repo, Deps: &check.Deps{Repo: repo}, Branch: "work", Plan: &plan.PRD{Root: repo.Root, Folder: ".ralph/work"}, Working: func(string) {}}
}

func (p *project) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Dir = p.root
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (p *project) write(name, text string) {
	p.t.Helper()
	file := filepath.Join(p.root, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o644); err != nil {
		p.t.Fatal(err)
	}
}

func (p *project) commit() {
	p.t.Helper()
	p.git("add", "-A")
	p.git("commit", "-q", "--allow-empty", "-m", "x")
}

func (p *project) now() run.Base {
	p.t.Helper()
	b, err := p.gate.Now(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	return b
}

// onRecord is what the journal of an earlier run says. Without seen, the run died.
type onRecord struct {
	base, seen run.Base
	known      []tamper.Finding
	borrowed   []journal.Borrowed
}

func (on onRecord) claims() run.Claims {
	var s run.State
	if on.base != (run.Base{}) {
		moved := journal.BaseMoved{Commit: on.base.Commit, Work: on.base.Work, Borrowed: on.borrowed}
		for _, f := range on.known {
			moved.Known = append(moved.Known, journal.TamperFinding(f))
		}
		s.Apply(journal.Event{Run: "r", Body: journal.RunStarted{}})
		s.Apply(journal.Event{Run: "r", Body: moved})
	}
	if on.seen != (run.Base{}) {
		s.Apply(journal.Event{Run: "r", Body: journal.RunEnded{Head: on.seen.Commit, Work: on.seen.Work}})
	}
	return s.Claims
}

func (p *project) start(on onRecord) BaseReason {
	p.t.Helper()
	why, err := p.gate.Start(p.t.Context(), on.claims(), nil)
	if err != nil {
		p.t.Fatal(err)
	}
	return why
}

// findings are the rules of what weakens tests since the base.
func (p *project) findings() string {
	p.t.Helper()
	found, err := p.gate.sinceBase(p.t.Context())
	if err != nil {
		p.t.Fatal(err)
	}
	var rules []string
	for _, f := range found {
		rules = append(rules, f.Path+" "+f.Rule)
	}
	return strings.Join(rules, ", ")
}

// TestTheBase: when it moves, and who made the changes since then.
func TestTheBase(t *testing.T) {
	const weaker = ci + "  allow_failure: true\n"
	const skipped = ".gitlab-ci.yml ci-softened"
	for _, c := range []struct {
		name  string
		do    func(p *project) onRecord // between two processes of ralph
		why   BaseReason
		found string
	}{
		{"first sight, with what a person left", func(p *project) onRecord {
			p.write(".gitlab-ci.yml", weaker)
			return onRecord{}
		}, FirstSight, ""},
		{"nothing was changed", func(p *project) onRecord { return onRecord{base: p.now(), seen: p.now()} }, "", ""},
		{"people commit while nothing is open", func(p *project) onRecord {
			base := p.now()
			p.write(".gitlab-ci.yml", weaker)
			p.commit()
			return onRecord{base: base, seen: base}
		}, ByPeople, ""},
		{"people edit while nothing is open", func(p *project) onRecord {
			base := p.now()
			p.write(".gitlab-ci.yml", weaker)
			return onRecord{base: base, seen: base}
		}, ByPeople, ""},
		{"an agent commits, and a limit ends the run", func(p *project) onRecord {
			base := p.now()
			p.write(".gitlab-ci.yml", weaker)
			p.commit()
			return onRecord{base: base, seen: p.now()}
		}, "", skipped},
		{"an agent edits, and a limit ends the run", func(p *project) onRecord {
			base := p.now()
			p.write(".gitlab-ci.yml", weaker)
			return onRecord{base: base, seen: p.now()}
		}, "", skipped},
		{"an agent commits, and ralph is killed", func(p *project) onRecord {
			base := p.now()
			p.write(".gitlab-ci.yml", weaker)
			p.commit()
			return onRecord{base: base}
		}, "", skipped},
		{"people commit during the work of an agent", func(p *project) onRecord {
			base := p.now()
			p.write("a.go", "package a\n")
			p.commit()
			seen := p.now()
			p.write(".gitlab-ci.yml", weaker)
			p.commit()
			return onRecord{base: base, seen: seen}
		}, "", ""},
		{"people rebase the work of an agent", func(p *project) onRecord {
			base := p.now()
			p.write(".gitlab-ci.yml", weaker)
			p.commit()
			seen := p.now()
			p.git("commit", "-q", "--amend", "-m", "y")
			return onRecord{base: base, seen: seen}
		}, Rewritten, ""},
		{"an agent rewrites its work, and ralph is killed", func(p *project) onRecord {
			base := p.now()
			p.write(".gitlab-ci.yml", weaker)
			p.git("add", "-A")
			p.git("commit", "-q", "--amend", "-m", "y")
			return onRecord{base: base}
		}, "", skipped},
		{"what was accepted is known", func(p *project) onRecord {
			base := p.now()
			p.write(".gitlab-ci.yml", weaker)
			p.commit()
			p.start(onRecord{base: base})
			found, err := p.gate.sinceBase(p.t.Context())
			if err != nil {
				p.t.Fatal(err)
			}
			return onRecord{base: base, known: found}
		}, "", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := newProject(t)
			on := c.do(p)
			p.restart()
			if why := p.start(on); why != c.why {
				t.Errorf("the base moved for %q, want %q", why, c.why)
			}
			if moved := p.gate.Base() == p.now(); moved != (c.why != "") && on.base != p.now() {
				t.Errorf("the base is %v, the worktree %v", p.gate.Base(), p.now())
			}
			if got := p.findings(); got != c.found {
				t.Errorf("found %q, want %q", got, c.found)
			}
		})
	}
}

// TestMeet: what people commit while a loop waits is not the agent's.
func TestMeet(t *testing.T) {
	for _, worked := range []bool{false, true} {
		p := newProject(t)
		p.start(onRecord{})
		if worked {
			p.gate.Worked(1)
			p.write("a.go", "package a\n")
			p.commit()
		}
		seen, base := p.now().Commit, p.gate.Base()
		p.write(".gitlab-ci.yml", "package a\n")
		p.commit()
		why, err := p.gate.TakeUserChanges(t.Context(), seen)
		if err != nil {
			t.Fatal(err)
		}
		if moved := p.gate.Base() != base; moved == worked || (why == ByPeople) == worked {
			t.Errorf("worked %t: moved %t, %q", worked, moved, why)
		}
		if got := p.findings(); got != "" {
			t.Errorf("worked %t: found %s", worked, got)
		}
	}
}

// TestIdle: what counts as work since the base, although git may show no difference.
func TestIdle(t *testing.T) {
	for name, c := range map[string]struct {
		do   func(p *project)
		idle bool
	}{
		"nothing":                     {func(*project) {}, true},
		"white space at a line's end": {func(p *project) { p.write("a.txt", "one \r\n") }, true},
		"line ends":                   {func(p *project) { p.write("a.txt", "one\n") }, false},
		"a file of a submodule":       {func(p *project) { p.write("lib/b", "two\n") }, false},
		"a commit in a submodule": {func(p *project) {
			p.write("lib/b", "two\n")
			p.git("-C", "lib", "commit", "-q", "-a", "-m", "y")
		}, false},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			p.git("init", "-q", "lib")
			p.write("lib/b", "one\n")
			p.git("-C", "lib", "add", "b")
			p.git("-C", "lib", "commit", "-q", "-m", "x")
			p.write("a.txt", "one\r\n")
			p.commit()
			p.start(onRecord{})
			c.do(p)
			got, err := (&gathering{Gate: p.gate, claim: Claim{N: 1}}).idle(t.Context())
			if got != c.idle || err != nil {
				t.Errorf("idle: %v, %v", got, err)
			}
		})
	}
}

// TestBorrowedFolders: dependencies that git ignores are compared with the base by what is in
// them, across runs, until a lock file changes.
func TestBorrowedFolders(t *testing.T) {
	for _, c := range []struct {
		name, found string
		do          func(p *project)
	}{
		{"nothing", "", func(*project) {}},
		{"the same, installed again", "", func(p *project) {
			if err := os.RemoveAll(filepath.Join(p.root, "node_modules")); err != nil {
				p.t.Fatal(err)
			}
			p.write("node_modules/x/index.js", "1\n")
		}},
		{"a file of the same size", "node_modules dependencies-changed", func(p *project) { p.write("node_modules/x/index.js", "2\n") }},
		{"a new file", "node_modules dependencies-changed", func(p *project) { p.write("node_modules/.bin/jest", "exit 0\n") }},
		{"with its lock file", "", func(p *project) {
			p.write("node_modules/x/index.js", "2\n")
			p.write("package-lock.json", "{\"x\": 2}\n")
		}},
		{"what tools keep there", "", func(p *project) { p.write("node_modules/.cache/x", "2\n") }},
		{"a folder of no package manager", "", func(p *project) { p.write("build/x", "2\n") }},
	} {
		p := newProject(t)
		p.write(".gitignore", "node_modules/\nbuild/\n")
		p.write("package.json", "{}\n")
		p.write("package-lock.json", "{}\n")
		p.write("node_modules/x/index.js", "1\n")
		p.commit()
		p.start(onRecord{})
		on := onRecord{base: p.gate.Base(), borrowed: p.gate.borrowed}
		c.do(p)
		p.restart()
		p.start(on)
		if got := p.findings(); got != c.found {
			t.Errorf("%s: %q, want %q", c.name, got, c.found)
		}
	}
}

// TestEarlierTestsOutliveGC verifies that git keeps the commit with earlier tests until it is
// no longer used.
func TestEarlierTestsOutliveGC(t *testing.T) {
	p := newProject(t)
	p.gate.TestsRef = "refs/ralph/work/tests"
	kept := p.git("commit-tree", "-m", "tests", "HEAD^{tree}")
	p.gate.keepTests(t.Context(), kept)
	p.git("prune", "--expire=now")
	p.git("cat-file", "-e", kept)
	p.gate.keepTests(t.Context(), "")
	if refs := p.git("for-each-ref", "refs/ralph"); refs != "" || p.gate.tests != "" {
		t.Errorf("left: %s, %s", refs, p.gate.tests)
	}
}
