package main

import (
	"context"
	"fmt"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"ralph/internal/fakeapi"
)

// TestEveryCommandOfTheDocumentationIsRun follows each page as a reader would, from
// top to bottom in one shell, and compares the answers of the commands with the page.
//
// The comments in front of a block say how (CONTRIBUTING.md has the details):
//
//	<!-- setup                    shell lines that the reader does not see
//	<!-- file: PATH -->           the block is written to this file
//	<!-- not run: WHY -->         the block's commands are not run
//	<!-- agent: claude -->        on this page the agent is the real Claude Code CLI
func TestEveryCommandOfTheDocumentationIsRun(t *testing.T) {
	if testing.Short() {
		t.Skip("runs the commands of all pages")
	}
	t.Parallel()
	for _, page := range docPages(t) {
		s := newDocSession(t, page)
		if len(s.commands) == 0 {
			continue
		}
		t.Run(page.path, func(t *testing.T) {
			t.Parallel()
			s.run(t)
		})
	}
}

// docSession is the shell session that a page describes.
type docSession struct {
	page     docPage
	claude   bool
	script   strings.Builder
	commands []docCommand
}

// docMark separates the answers of two commands, with number and exit status.
const docMark = "\x1e"

func newDocSession(t *testing.T, page docPage) *docSession {
	t.Helper()
	s := &docSession{page: page}
	s.script.WriteString(". \"$DOC_PRELUDE\"\ntrap 'ralph stop --all >/dev/null 2>&1' EXIT\n")
	for _, b := range page.blocks {
		word, rest, _ := strings.Cut(b.text, "\n")
		path, isFile := strings.CutPrefix(b.marker, "file: ")
		why, isLeft := strings.CutPrefix(b.marker, "not run: ")
		switch {
		case b.lang == "comment" && word == "setup":
			fmt.Fprintf(&s.script, "set -e; { %s\n} >>\"$DOC_SETUP\" 2>&1; set +e\n", rest)
		case b.lang == "comment" && word == "agent: claude":
			s.claude = true
		case isFile:
			fmt.Fprintf(&s.script, "mkdir -p \"$(dirname %[1]s)\" && cat >%[1]s <<'END-OF-THE-BLOCK'\n%[2]sEND-OF-THE-BLOCK\n", path, b.text)
		case b.lang == "console" && isLeft && len(strings.Fields(why)) < 3:
			t.Errorf("%s:%d: %q is no reason not to run a command", page.path, b.line, why)
		case b.lang == "console" && !isLeft:
			for _, c := range docCommands(b) {
				// The status of a command is still there for an "echo $?" after it.
				fmt.Fprintf(&s.script, "%s\ndoc_status=$?; printf '\\n%s%d %%d\\n' $doc_status; (exit $doc_status)\n", c.text, docMark, len(s.commands))
				s.commands = append(s.commands, c)
			}
		}
	}
	return s
}

// run plays the session and judges each command.
func (s *docSession) run(t *testing.T) {
	root := t.TempDir()
	home := filepath.Join(root, "home", "ada")
	for _, dir := range []string{home, filepath.Join(root, "tmp")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	script := filepath.Join(root, "session.sh")
	if err := os.WriteFile(script, []byte(s.script.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(ctx, "sh", script)
	cmd.Dir, cmd.Env = home, s.env(t, root, home)
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	cmd.Cancel = func() error { return syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL) }
	out, err := cmd.CombinedOutput()
	hidden, _ := os.ReadFile(filepath.Join(root, "setup.log"))
	text := slow.ReplaceAllString(strings.ReplaceAll(string(out), root, ""), "")

	at := 0
	for i, c := range s.commands {
		m := regexp.MustCompile(`\n` + docMark + strconv.Itoa(i) + ` (\d+)\n`).FindStringSubmatchIndex(text[at:])
		if m == nil {
			t.Fatalf("%s:%d: the session ended before\n  $ %s\n(%v)\n%s\nsetup:\n%s", s.page.path, c.line, c.text, err, text[at:], hidden)
		}
		got, status := text[at:at+m[0]], text[at+m[2]:at+m[3]]
		at += m[1]
		if testing.Verbose() {
			t.Logf("%s:%d (status %s)\n$ %s\n%s", s.page.path, c.line, status, c.text, got)
		}
		if status != "0" && !c.status {
			t.Errorf("%s:%d: exit status %s, which the page does not ask for\n  $ %s\n%s", s.page.path, c.line, status, c.text, got)
		} else if len(c.answer) > 0 && !c.matches(got) {
			t.Errorf("%s:%d: another answer to\n  $ %s\n--- the page\n%s\n--- the program\n%s", s.page.path, c.line, c.text, strings.Join(c.answer, "\n"), strings.Trim(got, "\n"))
		}
	}
}

// slow matches the lines with which ralph reports slow work: they depend on the machine.
var slow = regexp.MustCompile(`(?m)^… .*\n`)

// env returns the environment of a user who has just installed ralph. The agent is the
// built-in one, or the real Claude Code CLI with a model API on loopback.
func (s *docSession) env(t *testing.T, root, home string) []string {
	prelude, err := filepath.Abs("testdata/docs/prelude.sh")
	if err != nil {
		t.Fatal(err)
	}
	path := os.Getenv("PATH")
	var env []string
	if s.claude {
		binary, ok := fakeapi.ClaudeBinary()
		if !ok && os.Getenv("CI") != "" {
			t.Fatal("no Claude Code CLI: tests/agents/install should have put it there")
		} else if !ok {
			t.Skip("no Claude Code CLI: run tests/agents/install, or name one in " + fakeapi.ClaudeVar)
		}
		server := httptest.NewServer(fakeapi.Greeting(filepath.Join(home, "greeting")))
		t.Cleanup(server.Close)
		env, path = fakeapi.Env(server.URL, home), filepath.Dir(binary)+string(os.PathListSeparator)+path
	} else {
		env = []string{"HOME=" + home, "RALPH_HARNESS=replay", "RALPH_REPLAY_SCRIPT=" + filepath.Join(home, ".agent.yaml")}
	}
	clone, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	return append(env, "PATH="+path, "RALPH_DOCS_CLONE="+clone, "DOC_PRELUDE="+prelude, "DOC_SETUP="+filepath.Join(root, "setup.log"), "GIT_CONFIG_SYSTEM=/dev/null", "GIT_CONFIG_GLOBAL=/dev/null",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.invalid", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.invalid",
		"NO_COLOR=1", "LANG=C.UTF-8", "TZ=UTC", "GORACE=atexit_sleep_ms=0", "TMUX_TMPDIR="+root, "TMPDIR="+filepath.Join(root, "tmp"),
		"RALPH_NOTIFY_DESKTOP=false", "RALPH_KEEP_AWAKE=false", "RALPH_PAUSE_SECONDS=0")
}
