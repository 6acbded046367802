package doctor

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ralph/internal/agent"
	"ralph/internal/git"
	"ralph/internal/preflight"
	"ralph/internal/proc"
	"ralph/internal/testprogram"
)

// TestMain lets the test binary be the guardian.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && os.Args[1] == "guardian" {
		if proc.Guard(nil) != nil {
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// bed is a machine without problems, for tests to change.
type bed struct {
	Input
	t   *testing.T
	bin string
}

func newBed(t *testing.T) *bed {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	token := fmt.Sprintf("%s-%d", t.Name(), os.Getpid())
	g, err := proc.StartGuardian([]string{exe, "guardian"}, token)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := g.Close(); err != nil {
			t.Error(err)
		}
		if n, err := proc.EndByToken(token); n > 0 || err != nil {
			t.Errorf("%d processes were left behind, %v", n, err)
		}
	})
	dir := t.TempDir()
	b := &bed{t: t, bin: filepath.Join(dir, "bin")}
	b.Input = Input{Now: time.Now(), Home: filepath.Join(dir, "ralph"), UserHome: filepath.Join(dir, "home"),
		Env: []string{"PATH=" + b.bin + ":" + os.Getenv("PATH"), "HOME=" + filepath.Join(dir, "home")}, Probe: &Probe{Guardian: g, Limit: time.Minute}}
	b.program("claude", `[ "$1" = --version ] && echo "1.2.3 (Fake)"; [ "$1" = auth ] && exit 1; exit 0`)
	return b
}

func (b *bed) write(path, text string, mode os.FileMode) {
	b.t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		b.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), mode); err != nil {
		b.t.Fatal(err)
	}
	if err := os.Chmod(path, mode); err != nil { // whatever the umask is
		b.t.Fatal(err)
	}
}

func (b *bed) program(name, script string) {
	b.t.Helper()
	testprogram.Write(b.t, filepath.Join(b.bin, name), "#!/bin/sh\n"+script+"\n")
}

func (b *bed) repository() {
	b.t.Helper()
	dir := filepath.Join(filepath.Dir(b.bin), "repo")
	if out, err := exec.Command("git", "init", "-q", "-b", "feature/x", dir).CombinedOutput(); err != nil {
		b.t.Fatalf("%v\n%s", err, out)
	}
	repo, err := git.Open(b.t.Context(), dir)
	if err != nil {
		b.t.Fatal(err)
	}
	b.Repo = repo
}

// harness is the built-in one of that name, as the input's first.
func (b *bed) harness(name string) agent.Harness {
	h, ok := agent.Find(agent.Builtin("ralph"), name)
	if !ok {
		b.t.Fatal(name)
	}
	return h
}

// expect requires a finding with an id, a severity and words in its text, and a hint with
// each problem.
func expect(t *testing.T, checks []preflight.Condition, id string, severity preflight.Severity, words string) {
	t.Helper()
	var all strings.Builder
	found := false
	for _, c := range checks {
		text := c.Text(false, false)
		all.WriteString(text)
		found = found || c.ID == id && c.Severity == severity && strings.Contains(text, words)
		if c.Severity != preflight.OK && c.Hint == "" {
			t.Errorf("no remedy: %s", text)
		}
	}
	if !found {
		t.Errorf("no finding %s (%s) with %q in\n%s", id, severity, words, all.String())
	}
}

func TestTheAgentIsFoundAndTellsItsVersion(t *testing.T) {
	t.Parallel()
	custom := agent.Custom("mine")
	custom.Command = []string{"mine"}
	for _, c := range []struct {
		name     string
		arrange  func(b *bed)
		harness  func(b *bed) agent.Harness
		severity preflight.Severity
		words    string
	}{
		{"found", func(*bed) {}, nil, preflight.OK, "bin/claude (1.2.3 (Fake))"},
		{"not there", func(b *bed) { b.Env = []string{"PATH=/nowhere"} }, nil, preflight.Error, "no claude in PATH"},
		{"not executable", func(b *bed) { b.write(filepath.Join(b.bin, "claude"), "", 0o644) }, nil, preflight.Error, "may not be executed"},
		{"a stub", func(b *bed) { b.program("claude", `echo "native binary not installed" >&2; exit 1`) }, nil, preflight.Error, "exit status 1: native binary not installed"},
		{"it hangs, and its child too", func(b *bed) { b.program("claude", `sleep 600 & sleep 600`); b.Probe.Limit = 200 * time.Millisecond }, nil, preflight.Warn, "did not answer within 200ms"},
		{"of one that nobody knows the version is not asked for", func(b *bed) { b.program("mine", `echo called >"$0.called"`) },
			func(*bed) agent.Harness { return custom }, preflight.OK, "bin/mine\n"},
		{"codex is asked, not its subcommand", func(b *bed) { b.program("codex", `echo "$*"`) },
			func(b *bed) agent.Harness { return b.harness("codex") }, preflight.OK, "(--version)"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			c.arrange(b)
			h := b.harness("claude")
			if c.harness != nil {
				h = c.harness(b)
			}
			expect(t, []preflight.Condition{b.found(t.Context(), h)}, "agent", c.severity, c.words)
			if _, err := os.Stat(filepath.Join(b.bin, "mine.called")); err == nil {
				t.Error("the custom agent was called")
			}
		})
	}
}

func TestLogin(t *testing.T) {
	t.Parallel()
	const secret = "sk-very-secret"
	for _, c := range []struct {
		name     string
		arrange  func(b *bed)
		severity preflight.Severity
		words    string
	}{
		{"none", func(*bed) {}, preflight.Warn, "No sign of a login for agent 'claude'"},
		{"an empty variable is none", func(b *bed) { b.Env = append(b.Env, "ANTHROPIC_API_KEY=") }, preflight.Warn, "No sign of a login"},
		{"a variable", func(b *bed) { b.Env = append(b.Env, "ANTHROPIC_API_KEY="+secret) }, preflight.OK, "the variable ANTHROPIC_API_KEY"},
		{"a file", func(b *bed) { b.write(filepath.Join(b.UserHome, ".claude/.credentials.json"), secret, 0o600) }, preflight.OK, "home/.claude/.credentials.json"},
		{"a file that was moved", func(b *bed) {
			b.write(filepath.Join(b.UserHome, "elsewhere/.credentials.json"), secret, 0o600)
			b.Env = append(b.Env, "CLAUDE_CONFIG_DIR="+filepath.Join(b.UserHome, "elsewhere"))
		}, preflight.OK, "elsewhere/.credentials.json"},
		{"a key in the agent's settings", func(b *bed) {
			b.write(filepath.Join(b.UserHome, ".claude/settings.json"), `{"env": {"ANTHROPIC_API_KEY": "`+secret+`"}}`, 0o600)
		}, preflight.OK, "the variable ANTHROPIC_API_KEY, set in "},
		{"an empty one is none", func(b *bed) {
			b.write(filepath.Join(b.UserHome, ".claude/settings.json"), `{"env": {"ANTHROPIC_API_KEY": ""}}`, 0o600)
		}, preflight.Warn, "No sign of a login"},
		{"such a key and a login", func(b *bed) {
			b.write(filepath.Join(b.UserHome, ".claude/settings.json"), `{"env": {"ANTHROPIC_API_KEY": "`+secret+`"}}`, 0o600)
			b.write(filepath.Join(b.UserHome, ".claude/.credentials.json"), secret, 0o600)
		}, preflight.Warn, "Login of claude: 2 at once"},
		{"the agent itself says so", func(b *bed) { b.program("claude", "exit 0") }, preflight.OK, "'claude auth status' says that it is logged in"},
		{"two at once", func(b *bed) {
			b.Env = append(b.Env, "ANTHROPIC_API_KEY="+secret, "CLAUDE_CODE_OAUTH_TOKEN="+secret)
		}, preflight.Warn, "takes a key of the environment before a subscription's login"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			c.arrange(b)
			checks := b.login(t.Context(), b.harness("claude"))
			expect(t, checks, "login", c.severity, c.words)
			for _, check := range checks {
				if strings.Contains(check.Text(false, false), secret) {
					t.Error("the secret is shown")
				}
			}
		})
	}
}

func TestWhatBites(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		name     string
		arrange  func(b *bed)
		severity preflight.Severity
		words    string
	}{
		{"a session inside of a session", func(b *bed) { b.Env = append(b.Env, "CLAUDECODE=1") }, preflight.OK, "Taken away from claude, harmless so: CLAUDECODE"},
		{"a retry watchdog in the user's settings", func(b *bed) {
			b.write(filepath.Join(b.UserHome, ".claude/settings.json"), `{"env": {"CLAUDE_CODE_RETRY_WATCHDOG": "1", "X": "1"}}`, 0o600)
		}, preflight.Warn, "settings.json sets for claude: CLAUDE_CODE_RETRY_WATCHDOG\n"},
		{"and in the project's", func(b *bed) {
			b.repository()
			b.write(filepath.Join(b.Repo.Root, ".claude/settings.local.json"), `{"env": {"CLAUDE_CODE_RETRY_WATCHDOG": "1"}}`, 0o600)
		}, preflight.Warn, "settings.local.json sets for claude"},
		{"settings that are broken", func(b *bed) { b.write(filepath.Join(b.UserHome, ".claude/settings.json"), `{`, 0o600) }, preflight.Warn, "it is not JSON"},
		{"a run around it", func(b *bed) { b.Env = append(b.Env, "RALPH_RUN_TOKEN=x") }, preflight.Warn, "inside of a run of ralph"},
		{"another repository", func(b *bed) { b.Env = append(b.Env, "GIT_DIR=/x/.git", "GIT_WORK_TREE=/x") }, preflight.Warn, "GIT_DIR, GIT_WORK_TREE would lead"},
		{"a debugger", func(b *bed) { b.Env = append(b.Env, "NODE_OPTIONS=--inspect-brk") }, preflight.Warn, "wait for a debugger"},
		{"no place for temporary files", func(b *bed) { b.Env = append(b.Env, "TMPDIR=/nowhere/at/all") }, preflight.Error, "TMPDIR is /nowhere/at/all"},
		{"no home", func(b *bed) { b.UserHome = "" }, preflight.Error, "no home directory"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			h := b.harness("claude")
			if got := append(b.bites(h), b.environment()...); len(got) > 0 {
				t.Fatalf("before anything is amiss: %+v", got)
			}
			c.arrange(b)
			expect(t, append(b.bites(h), b.environment()...), "environment", c.severity, c.words)
		})
	}
}

func TestRoot(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("root only: nothing is to be found for others")
	}
	b := newBed(t)
	h := b.harness("claude")
	expect(t, b.root(h), "root", preflight.Warn, "claude would refuse --dangerously-skip-permissions")
	b.ApproveAll = true
	expect(t, b.root(h), "root", preflight.Error, "claude refuses --dangerously-skip-permissions")
	b.Env = append(b.Env, "IS_SANDBOX=1")
	expect(t, b.root(h), "root", preflight.OK, "IS_SANDBOX is set")
	if got := b.root(b.harness("codex")); got != nil {
		t.Errorf("%+v", got)
	}
}

func TestGitAndItsRepository(t *testing.T) {
	t.Parallel()
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		name     string
		arrange  func(b *bed)
		id       string
		severity preflight.Severity
		words    string
	}{
		{"outside of one", func(b *bed) { b.Repo = nil }, "repository", preflight.OK, "Not inside a git worktree"},
		{"no commit", func(*bed) {}, "repository", preflight.Warn, "has no commit yet"},
		{"nobody commits", func(b *bed) { b.Env = append(b.Env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null") }, "git", preflight.Warn, "knows no name and address"},
		{"nobody commits, before there is a repository", func(b *bed) {
			b.Repo = nil
			b.Env = append(b.Env, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CEILING_DIRECTORIES="+filepath.Dir(here))
		}, "git", preflight.Warn, "knows no name and address"},
		{"an old lock", func(b *bed) {
			b.write(filepath.Join(b.Repo.GitDir, "index.lock"), "", 0o600)
			b.Now = b.Now.Add(time.Hour)
		}, "git", preflight.Warn, "index.lock: every commit will fail"},
		{"work on a parked story", func(b *bed) {
			out, err := exec.Command("sh", "-c", `cd "$0" && tree=$(git mktree </dev/null) && GIT_AUTHOR_NAME=a GIT_AUTHOR_EMAIL=a@b.invalid \
				GIT_COMMITTER_NAME=a GIT_COMMITTER_EMAIL=a@b.invalid GIT_COMMITTER_DATE='2026-01-02T12:00:00Z' git commit-tree -m x "$tree" |
				xargs git update-ref refs/ralph/feature-x/parked/STORY-001`, b.Repo.Root).CombinedOutput()
			if err != nil {
				b.t.Fatalf("%v\n%s", err, out)
			}
		}, "parked", preflight.OK, "git keeps work on parked stories: 1 reference, the oldest of 2026-01-02; list with: git for-each-ref"},
		{"a merge", func(b *bed) { b.write(filepath.Join(b.Repo.GitDir, "MERGE_HEAD"), "", 0o600) }, "repository", preflight.Warn, "A merge is in progress"},
		{"no git", func(b *bed) { b.Env = []string{"PATH=" + b.bin} }, "git", preflight.Error, "git not found"},
		{"a broken git", func(b *bed) { b.program("git", `echo "bad CPU type" >&2; exit 126`) }, "git", preflight.Error, "bad CPU type"},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			b := newBed(t)
			b.repository()
			c.arrange(b)
			expect(t, b.git(t.Context()), c.id, c.severity, c.words)
		})
	}
}

func TestTmuxNeedNotBeThere(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.program("tmux", "echo tmux 9.9")
	expect(t, []preflight.Condition{b.tmux(t.Context())}, "tmux", preflight.OK, "tmux 9.9")
	b.Env = []string{"PATH=/nowhere"}
	expect(t, []preflight.Condition{b.tmux(t.Context())}, "tmux", preflight.Warn, "tmux not found")
}

func TestTheDisk(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	b.repository()
	checks := b.disk()
	if len(checks) != 1 { // all on one disk
		t.Errorf("%+v", checks)
	}
	if os.Geteuid() == 0 {
		t.Skip("root may write everywhere")
	}
	if err := os.MkdirAll(b.Home, 0o500); err != nil {
		t.Fatal(err)
	}
	expect(t, b.disk(), "disk", preflight.Error, "Nothing can be written in "+b.Home)
}

func TestPermissionsOfRalphsOwnFiles(t *testing.T) {
	t.Parallel()
	b := newBed(t)
	expect(t, b.permissions(), "permissions", preflight.OK, "does not exist yet")
	b.write(filepath.Join(b.Home, "config.yaml"), "", 0o600)
	b.write(filepath.Join(b.Home, "bin", "ralph"), "", 0o755)
	b.write(filepath.Join(b.Home, "config.schema.json"), "", 0o644) // as install.sh leaves these two
	b.write(filepath.Join(b.Home, "uninstall.sh"), "", 0o755)
	expect(t, b.permissions(), "permissions", preflight.OK, "is yours alone")
	b.write(filepath.Join(b.Home, "config.yaml"), "", 0o644)
	b.write(filepath.Join(b.Home, "loops", "x.json"), "", 0o600)
	if err := os.Chmod(filepath.Join(b.Home, "loops"), 0o755); err != nil {
		t.Fatal(err)
	}
	got := b.permissions()
	expect(t, got, "permissions", preflight.Warn, "config.yaml (0644)")
	expect(t, got, "permissions", preflight.Warn, "chmod 600 "+filepath.Join(b.Home, "config.yaml"))
	expect(t, got, "permissions", preflight.Warn, "chmod 700 "+filepath.Join(b.Home, "loops"))

	b.repository()
	b.write(filepath.Join(b.Repo.GitDir, "ralph", "feature-x", "journal.jsonl"), "", 0o640)
	expect(t, b.permissions(), "permissions", preflight.Warn, "journal.jsonl (0640)")
	if os.Geteuid() == 0 {
		if err := os.Chown(filepath.Join(b.Home, "config.yaml"), 12345, -1); err != nil {
			t.Fatal(err)
		}
		expect(t, b.permissions(), "permissions", preflight.Error, "config.yaml (user 12345)")
	}
}

func TestAReportIsOKWithoutErrors(t *testing.T) {
	var r Report
	r.Add(ok("a", "x"), warn("b", "y", "z"))
	if !r.OK || len(r.Checks) != 2 || r.Checks[0].Details == nil {
		t.Errorf("%+v", r)
	}
	r.Add(fail("c", "y", "z"))
	if r.OK {
		t.Error("in spite of an error")
	}
}
