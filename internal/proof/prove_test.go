package proof

import (
	"context"
	"crypto/rand"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"ralph/internal/check"
	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/proc"
)

// project is a repository in which a test adds commits and has them proved.
type project struct {
	t    *testing.T
	dir  string
	repo *git.Repo
	now  time.Duration // the clock, which each run of a check moves by a second
	runs int

	guardian *proc.Guardian // of the checks
}

// suite runs all tests below tests/ and says how many there were.
const suite = "n=0\nfor t in tests/*_test.sh; do\n  [ -e \"$t\" ] || continue\n  sh \"$t\" || { echo \"$t failed\"; exit 1; }\n  n=$((n + 1))\ndone\necho \"$n tests, 0 failures\"\n"

// TestMain lets the test binary be the guardian of the checks.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guardian" {
		if proc.Guard(nil) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func newProject(t *testing.T) *project {
	t.Helper()
	for _, kv := range [][2]string{{"GIT_CONFIG_GLOBAL", os.DevNull}, {"GIT_CONFIG_SYSTEM", os.DevNull}, {"HOME", t.TempDir()}} {
		t.Setenv(kv[0], kv[1])
	}
	p := &project{t: t, dir: t.TempDir()}
	p.git("init", "-q", "-b", "main")
	p.write(map[string]string{
		"tests/run.sh":        suite,
		"greet.sh":            "echo \"Hello, $1!\"\n",
		"tests/greet_test.sh": "[ \"$(sh greet.sh Ada)\" = \"Hello, Ada!\" ]\n",
	})
	p.commit()
	repo, err := git.Open(t.Context(), p.dir)
	if err != nil {
		t.Fatal(err)
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	p.repo = repo
	if p.guardian, err = proc.StartGuardian([]string{exe, "guardian"}, rand.Text()); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := p.guardian.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

func (p *project) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Dir = p.dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// write writes files; an empty text removes one.
func (p *project) write(files map[string]string) {
	p.t.Helper()
	for name, text := range files {
		file := filepath.Join(p.dir, name)
		if text == "" {
			os.Remove(file)
			continue
		}
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			p.t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(text), 0o755); err != nil {
			p.t.Fatal(err)
		}
	}
}

func (p *project) commit() string {
	p.t.Helper()
	p.git("add", "-A")
	p.git("commit", "-q", "--allow-empty", "-m", "x")
	return p.git("rev-parse", "HEAD")
}

// run runs a check on the files of a commit.
func (p *project) run(ctx context.Context, commit string, c check.Check) (check.Result, error) {
	p.runs++
	p.now += time.Second
	dir := p.t.TempDir()
	archive := exec.CommandContext(ctx, "sh", "-c", "git archive "+commit+" | tar -x -C '"+dir+"'")
	archive.Dir = p.dir
	if out, err := archive.CombinedOutput(); err != nil {
		p.t.Fatalf("%v: %s", err, out)
	}
	c.Timeout = 10 * time.Minute // also where many tests run at once
	return check.Run(ctx, p.guardian, c, dir, os.Environ())
}

// prove proves the head against a commit.
func (p *project) prove(base string, change func(*Prover, *Commits)) Proof {
	p.t.Helper()
	pr := &Prover{Repo: p.repo, Run: p.run, Elapsed: func() time.Duration { return p.now },
		Checks:   []check.Check{{Name: "tests", Command: "sh tests/run.sh"}},
		Settings: Settings{OldTests: Warn, NewTests: Warn, Budget: time.Minute}}
	ch := Commits{Base: base, Head: p.git("rev-parse", "HEAD")}
	if change != nil {
		change(pr, &ch)
	}
	r, err := pr.Prove(p.t.Context(), ch)
	if err != nil {
		p.t.Fatal(err)
	}
	return r
}

func with(command string) func(*Prover, *Commits) {
	return func(p *Prover, _ *Commits) { p.Checks[0].Command = command }
}

// TestTestsThatOnlyFollowTheWorkAreNotHollow verifies that a test has to be new to be called
// hollow: one that was there may change with the work and pass without it.
func TestTestsThatOnlyFollowTheWorkAreNotHollow(t *testing.T) {
	p := newProject(t)
	base := p.git("rev-parse", "HEAD")
	p.write(map[string]string{"bye.sh": "echo Bye\n",
		"tests/greet_test.sh": "text=$(sh greet.sh Ada)\n[ \"$text\" = \"Hello, Ada!\" ]\n"})
	p.commit()
	if r := p.prove(base, nil); r.New.Outcome != Passed || r.Hollow() {
		t.Errorf("a test that was rewritten: %s, hollow: %v", r.New.Outcome, r.Hollow())
	}
	p.write(map[string]string{"tests/bye_test.sh": "true\n"})
	p.commit()
	if r := p.prove(base, nil); r.New.Outcome != Passed || !r.Hollow() {
		t.Errorf("a new test of nothing: %s, hollow: %v", r.New.Outcome, r.Hollow())
	}
}

// TestProve proves changes of one project with one commit each.
func TestProve(t *testing.T) {
	const bye, byeTest = "echo \"Bye, $1!\"\n", "[ \"$(sh bye.sh Ada)\" = \"Bye, Ada!\" ]\n"
	for name, c := range map[string]struct {
		before map[string]string // in a commit of its own
		files  map[string]string
		change func(*Prover, *Commits)
		want   string
	}{
		"a story with a test": {
			files: map[string]string{"bye.sh": bye, "tests/bye_test.sh": byeTest},
			want:  "1 check; old tests pass; new tests fail without it; 1 of 1 hunk held",
		},
		"a story without a test": {
			files: map[string]string{"bye.sh": bye},
			want:  "1 check; old tests pass; no new tests; 0 of 1 hunk held",
		},
		"a check that is red all along": {
			before: map[string]string{"tests/bad_test.sh": "false\n"},
			files:  map[string]string{"bye.sh": bye},
			want:   "1 check; check tests was red before: old tests say nothing; no new tests; 0 of 1 hunk held",
		},
		"a test that tests nothing": {
			files: map[string]string{"bye.sh": bye, "tests/bye_test.sh": "true\n"},
			want:  "1 check; old tests pass; new tests pass without it; 0 of 1 hunk held",
		},
		"a test that was emptied": {
			files: map[string]string{"greet.sh": "echo broken\n", "tests/greet_test.sh": "true\n"},
			want:  "1 check; old tests fail: tests/greet_test.sh; new tests pass without it; 0 of 1 hunk held",
		},
		"a test that was deleted": {
			files: map[string]string{"greet.sh": "echo broken\n", "tests/greet_test.sh": ""},
			want:  "1 check; old tests fail: tests/greet_test.sh; no new tests; 0 of 1 hunk held; check tests ran no test (1 before)",
		},
		"a runner that was softened": {
			files: map[string]string{"greet.sh": "echo broken\n", "tests/run.sh": "exit 0\n"},
			want:  "1 check; old tests fail: tests/run.sh; no new tests; 0 of 1 hunk held",
		},
		"a runner that a Makefile's new file takes the place of": {
			before: map[string]string{"Makefile": "-include local.mk\ntest:\n\tsh tests/run.sh\n"},
			files:  map[string]string{"greet.sh": "echo broken\n", "local.mk": "SHELL = /bin/true\n"},
			change: with("make test"),
			want:   "1 check; old tests fail: local.mk; no new tests; 0 of 1 hunk held",
		},
		"a folder in the place of a target": {
			before: map[string]string{"Makefile": "test:\n\tsh tests/run.sh\n"},
			files:  map[string]string{"greet.sh": "echo broken\n", "test/data.txt": "x\n"},
			change: with("make test"),
			want:   "1 check; old tests fail: test/data.txt; no new tests; 0 of 1 hunk held",
		},
		"comments and documents": {
			files: map[string]string{"greet.sh": "# greets\n\necho \"Hello, $1!\"\n", "README.md": "# x\n"},
			want:  "1 check; only comments and documents changed",
		},
		"a formatter": { // moved lines are work
			files: map[string]string{"greet.sh": "  echo \"Hello, $1!\"\n"},
			want:  "1 check; old tests pass; no new tests; 0 of 1 hunk held",
		},
		"a check that was red before": {
			before: map[string]string{"tests/red_test.sh": "[ -e bye.sh ]\n"},
			files:  map[string]string{"bye.sh": bye, "tests/bye_test.sh": byeTest},
			want:   "1 check; old tests pass; check tests was red before: new tests say nothing; 1 of 1 hunk held",
		},
		"a red test that was deleted": {
			before: map[string]string{"tests/red_test.sh": "[ -e bye.sh ]\n"},
			files:  map[string]string{"other.sh": ":\n", "tests/red_test.sh": ""},
			want:   "1 check; old tests fail: tests/red_test.sh; no new tests; 0 of 1 hunk held",
		},
		"a test that does not compile": {
			before: map[string]string{"tests/run.sh": "sh tests/greet_test.sh && sh tests/api_test.sh || { echo 'error[E0425]: x'; exit 1; }\n", "api.sh": "echo 1\n", "tests/api_test.sh": "sh api.sh\n"},
			files:  map[string]string{"api.sh": "", "api2.sh": "printf '%s\\n' one two\n", "tests/api_test.sh": "sh api2.sh\n"},
			want:   "1 check; old tests do not compile any more: tests/api_test.sh; new tests do not compile without it; 1 of 2 hunks held",
		},
		"a test that was emptied although it holds": {
			files: map[string]string{"other.sh": "echo\n", "tests/greet_test.sh": "true\n"},
			want:  "1 check; tests catch less than before: tests/greet_test.sh; new tests pass without it; 0 of 1 hunk held",
		},
		"a test that was written anew": {
			files: map[string]string{"other.sh": "echo\n", "tests/greet_test.sh": "test \"$(sh greet.sh Bo)\" = \"Hello, Bo!\"\n"},
			want:  "1 check; old tests pass; new tests pass without it; 0 of 1 hunk held",
		},
		"a program with another name": {
			files: map[string]string{"greet.sh": "", "hello.sh": "echo \"Hello, $1!\"\n", "tests/greet_test.sh": "", "tests/hello_test.sh": "[ \"$(sh hello.sh Ada)\" = \"Hello, Ada!\" ]\n"},
			want:  "1 check; old tests pass; new tests fail without it; 1 of 2 hunks held",
		},
		"a program that is gone with its test": {
			before: map[string]string{"old.sh": "echo old\n", "tests/old_test.sh": "[ $(sh old.sh) = old ]\n"},
			files:  map[string]string{"old.sh": "", "tests/old_test.sh": ""},
			want:   "1 check; old tests pass; no new tests; 0 of 1 hunk held; 1 test file went with what it tested: tests/old_test.sh; check tests ran 1 test, 2 before",
		},
		"a program that ends its tests": {
			before: map[string]string{"tests/run.sh": "echo 1..1; p=greet; . ./$p.sh >/dev/null\n" +
				"sh tests/greet_test.sh && echo ok 1\n"},
			files:  map[string]string{"greet.sh": "echo \"Hello, $1!\"; [ -n \"$1\" ] || exit 0\n"},
			change: func(p *Prover, _ *Commits) { p.Counting = map[string]bool{"tests": true} },
			want: "1 check; not all old tests ran: check tests ran no test (1 before); no new tests; " +
				"0 of 1 hunk held; check tests ran no test (1 before)",
		},
		"more tests of the user's": {
			files:  map[string]string{"greet.sh": "echo broken\n", "tests/greet_test.sh": "sh samples/a\n", "samples/a": "true\n"},
			change: func(p *Prover, _ *Commits) { p.Settings.Tests = []string{"samples/"}; p.Settings.Budget = 0 },
			want:   "1 check; old tests fail: samples/a, tests/greet_test.sh; new tests pass without it",
		},
		"turned off": {
			files: map[string]string{"bye.sh": bye},
			change: func(p *Prover, _ *Commits) {
				p.Settings = Settings{OldTests: Off, NewTests: Off}
			},
			want: "1 check",
		},
		"without a check": {
			files:  map[string]string{"bye.sh": bye},
			change: func(p *Prover, _ *Commits) { p.Checks = nil },
			want:   "not proved: no check is configured",
		},
	} {
		t.Run(name, func(t *testing.T) {
			p := newProject(t)
			if c.before != nil {
				p.write(c.before)
				p.commit()
			}
			base := p.git("rev-parse", "HEAD")
			p.write(c.files)
			p.commit()
			if got := p.prove(base, c.change).Line(); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
			if out := p.git("status", "--porcelain"); out != "" {
				t.Errorf("the worktree has changed: %s", out)
			}
		})
	}
}

// TestRunsOnce: what is known of a tree is not run again.
func TestRunsOnce(t *testing.T) {
	p := newProject(t)
	base := p.git("rev-parse", "HEAD")
	p.write(map[string]string{"greet.sh": "printf 'Hello, %s!\\n' \"$1\"\n"})
	p.commit()
	known := func(pr *Prover, ch *Commits) {
		ch.Green = []check.Result{{Check: pr.Checks[0], Outcome: journal.CheckPassed}}
		pr.Settings.Budget = 0
	}
	if r := p.prove(base, known); r.Runs != 0 || p.runs != 0 || r.Old.Outcome != Passed || r.New.Outcome != NoTests {
		t.Errorf("%d runs, %+v", p.runs, r)
	}
}

// TestForeign: what a colleague brought is not the work's, in a merge and in a rebase.
func TestForeign(t *testing.T) {
	for _, how := range []string{"merge", "rebase"} {
		t.Run(how, func(t *testing.T) {
			p := newProject(t)
			base := p.git("rev-parse", "HEAD")
			p.git("switch", "-q", "-c", "colleague")
			p.write(map[string]string{"tests/greet_test.sh": "", "tests/other_test.sh": "true\n"})
			theirs := p.commit()
			p.git("switch", "-q", "main")
			p.write(map[string]string{"bye.sh": "echo bye\n", "tests/bye_test.sh": "[ \"$(sh bye.sh)\" = bye ]\n", "greet.sh": "echo other\n"})
			p.write(map[string]string{"tests/greet_test.sh": "[ \"$(sh greet.sh Ada)\" = \"Hello, Ada!\" ]\n"})
			p.commit()
			if how == "merge" {
				p.git("merge", "-q", "--no-edit", "colleague")
			} else {
				p.git("rebase", "-q", "colleague")
			}
			foreign := func(pr *Prover, ch *Commits) { ch.Foreign = []string{theirs}; pr.Settings.Budget = 0 }
			if r := p.prove(base, foreign); r.Line() != "1 check; old tests pass; new tests fail without it" || r.Others != 1 {
				t.Errorf("%s, %d others", r.Line(), r.Others)
			}
			own := func(pr *Prover, ch *Commits) { pr.Settings.Budget = 0 }
			if r := p.prove(base, own); r.Old.Outcome != Failed || !slices.Equal(r.Old.Files, []string{"tests/greet_test.sh"}) {
				t.Errorf("without it: %s", r.Line())
			}
		})
	}
}

// TestAmend: the base may be no ancestor of the head.
func TestAmend(t *testing.T) {
	p := newProject(t)
	p.write(map[string]string{"bye.sh": "echo bye\n"})
	base := p.commit()
	p.write(map[string]string{"bye.sh": "echo good bye\n", "tests/bye_test.sh": "[ \"$(sh bye.sh)\" = 'good bye' ]\n"})
	p.git("add", "-A")
	p.git("commit", "-q", "--amend", "-m", "y")
	if got := p.prove(base, nil).Line(); got != "1 check; old tests pass; new tests fail without it; 1 of 1 hunk held" {
		t.Error(got)
	}
}

// TestBudget: hunks are sampled when the time does not suffice, and evenly.
func TestBudget(t *testing.T) {
	p := newProject(t)
	lines := strings.Repeat("# x\n:\n:\n:\n:\n", 20)
	p.write(map[string]string{"long.sh": lines})
	base := p.commit()
	p.write(map[string]string{"long.sh": strings.ReplaceAll(lines, "# x\n", "true\n")})
	p.commit()
	r := p.prove(base, func(pr *Prover, _ *Commits) { pr.Settings.Budget = 5 * time.Second })
	s := r.Strength
	if s.Total != 20 || s.Run != 5 || s.Held != 0 || !s.sampled() || len(s.Unheld) != 5 || s.Unheld[0].Line > 25 || s.Unheld[4].Line < 75 {
		t.Errorf("%+v", s)
	}
	if !strings.HasSuffix(r.Line(), "0 of 5 hunks held (a sample of 20)") {
		t.Error(r.Line())
	}
}

func TestSpread(t *testing.T) {
	for _, n := range []int{0, 1, 2, 3, 7, 100} {
		order := slices.Clone(spread(n))
		slices.Sort(order)
		if len(order) != n || n > 0 && (order[0] != 0 || order[n-1] != n-1) {
			t.Errorf("%d: %v", n, order)
		}
	}
}

// TestGo: go test says only with -v how many tests it ran, and an init that exits leaves none.
func TestGo(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles a module many times")
	}
	cache, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		t.Fatal(err)
	}
	p := newProject(t)
	t.Setenv("GOCACHE", strings.TrimSpace(string(cache)))
	t.Setenv("GOFLAGS", "")
	p.write(map[string]string{
		"go.mod":        "module x\n\ngo 1.24\n",
		"b/b.go":        "package b\n",
		"add/a.go":      "package add\n\nfunc Add(a, b int) int { return a + b }\n",
		"add/a_test.go": "package add\n\nimport \"testing\"\n\nfunc TestAdd(t *testing.T) {\n\tif Add(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n",
	})
	base := p.commit()
	broken := "package add\n\nfunc Add(a, b int) int { return 0 }\n"
	settings := func(pr *Prover, _ *Commits) {
		pr.Checks[0].Command, pr.Settings.Budget = "go test ./...", 0
	}
	for _, c := range []struct {
		name  string
		files map[string]string
		want  string
	}{
		{"init", map[string]string{"add/a.go": "package add\n\nimport \"os\"\n\nfunc init() { os.Exit(0) }\n\nfunc Add(a, b int) int { return 0 }\n"},
			"1 check; old tests pass; no new tests; check tests ran no test (1 before)"},
		{"another system", map[string]string{"add/a.go": broken, "add/a_test.go": "", "add/a_windows_test.go": "package add\n"},
			"1 check; old tests fail: add/a_test.go; new tests pass without it; check tests ran no test (1 before)"},
		{"a module of its own", map[string]string{"add/a.go": broken, "add/go.mod": "module y\n"},
			"1 check; old tests fail: add/go.mod; no new tests; check tests ran no test (1 before)"},
		{"another interface", map[string]string{"add/a.go": "package add\n\nfunc Sum(a, b int) int { return a + b }\n", "add/a_test.go": "package add\n\nimport \"testing\"\n\nfunc TestSum(t *testing.T) {\n\tif Sum(1, 2) != 3 {\n\t\tt.Fatal()\n\t}\n}\n"},
			"1 check; old tests do not compile any more: add/a_test.go; new tests do not compile without it"},
	} {
		t.Run(c.name, func(t *testing.T) {
			p.t = t
			p.git("reset", "-q", "--hard", base)
			p.write(c.files)
			p.commit()
			if got := p.prove(base, settings).Line(); got != c.want {
				t.Errorf("%s\nwant %s", got, c.want)
			}
		})
	}
}
