package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"unicode/utf8"

	"github.com/rogpeppe/go-internal/testscript"

	"ralph/internal/agent"
)

// TestMain makes the test binary be ralph for the scripts, and the guardian and
// the agent of a run inside of a test.
func TestMain(m *testing.M) {
	if len(os.Args) > 1 && (os.Args[1] == guardianWord || os.Args[1] == agent.ReplayWord) {
		os.Exit(execute(os.Args[1:]))
	}
	if strings.HasSuffix(os.Args[0], ".test") {
		hearHangups()
		forgetPreferences()
	}
	testscript.Main(m, map[string]func(){"ralph": main, "onterminal": onTerminal})
}

// hearHangups lets 'nohup make test' pass: nohup has everything below it ignore SIGHUP, but
// what a process catches itself is not ignored in its children.
func hearHangups() {
	if signal.Ignored(syscall.SIGHUP) {
		signal.Notify(make(chan os.Signal, 1), syscall.SIGHUP)
	}
}

// forgetPreferences gives the tests a terminal, a language and settings that do not depend on
// who runs them, and where: in CI, with TERM=dumb.
func forgetPreferences() {
	for _, name := range []string{"NO_COLOR", "COLUMNS", "EDITOR", "VISUAL", "PAGER", "LESS", "LANGUAGE", "LC_ALL",
		"TMUX", "TMUX_PANE", "XDG_CONFIG_HOME"} {
		os.Unsetenv(name)
	}
	for _, entry := range os.Environ() {
		name, _, _ := strings.Cut(entry, "=")
		if strings.HasPrefix(name, "RALPH_") && !strings.HasPrefix(name, "RALPH_TEST_") {
			os.Unsetenv(name)
		}
	}
	os.Setenv("TERM", "xterm-256color")
	os.Setenv("LANG", "C.UTF-8")
}

// onTerminal runs a command with the terminal of "ttyin" as all its standard files; "ttyin"
// alone sets only standard input: onterminal command...
func onTerminal() {
	tty, err := os.OpenFile("/dev/tty", os.O_RDWR, 0)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
	cmd := exec.Command(os.Args[1], os.Args[2:]...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = tty, tty, tty
	var exit *exec.ExitError
	switch err := cmd.Run(); {
	case errors.As(err, &exit):
		os.Exit(exit.ExitCode())
	case err != nil:
		fmt.Fprintln(os.Stderr, err)
		os.Exit(125)
	}
}

// TestScripts runs the program as its user would. Each script is a page of the
// manual: what is typed, what is answered, with which exit status.
func TestScripts(t *testing.T) {
	if testing.Short() {
		t.Skip("plays all scripts")
	}
	testscript.Run(t, testscript.Params{
		Dir:                 "testdata/script",
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
		UpdateScripts:       os.Getenv("UPDATE_SCRIPTS") != "",
		Setup: func(env *testscript.Env) error {
			env.Setenv("HOME", env.WorkDir)
			env.Setenv("RALPH_HOME", filepath.Join(env.WorkDir, ".home"))
			env.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
			env.Setenv("GIT_CONFIG_SYSTEM", os.DevNull)
			for _, who := range []string{"AUTHOR", "COMMITTER"} {
				env.Setenv("GIT_"+who+"_NAME", "tester")
				env.Setenv("GIT_"+who+"_EMAIL", "tester@example.invalid")
			}
			env.Setenv("NO_COLOR", "1")
			env.Setenv("RALPH_NOTIFY_DESKTOP", "false") // no notices on the developer's desktop
			env.Setenv("RALPH_KEEP_AWAKE", "false")
			env.Setenv("GORACE", "atexit_sleep_ms=0") // else each ralph under -race ends a second late
			env.Setenv("LANG", "C.UTF-8")
			return nil
		},
		Condition: func(name string) (bool, error) {
			if name != "full-device" {
				return false, fmt.Errorf("there is no condition %q", name)
			}
			full, err := os.OpenFile("/dev/full", os.O_WRONLY, 0)
			if err == nil {
				_ = full.Close()
			}
			return err == nil, nil
		},
		Cmds: map[string]func(*testscript.TestScript, bool, []string){
			"exits":   exits,
			"feature": feature,
			"plain":   plain,
		},
	})
}

// exits runs a command and wants a certain exit status: exits N command...
func exits(ts *testscript.TestScript, neg bool, args []string) {
	want, err := strconv.Atoi(args[0])
	if err != nil || neg || len(args) < 2 {
		ts.Fatalf("usage: exits status command...")
	}
	err = ts.Exec(args[1], args[2:]...)
	got := 0
	var exit *exec.ExitError
	switch {
	case errors.As(err, &exit):
		got = exit.ExitCode()
	case err != nil:
		ts.Fatalf("%v", err)
	}
	if got != want {
		ts.Fatalf("exit status %d, want %d", got, want)
	}
}

// plain runs a command, however it ends, and wants nothing but ASCII of it: plain command...
func plain(ts *testscript.TestScript, neg bool, args []string) {
	_ = ts.Exec(args[0], args[1:]...)
	for _, file := range []string{"stdout", "stderr"} {
		text := ts.ReadFile(file)
		if i := strings.IndexFunc(text, func(r rune) bool { return r >= utf8.RuneSelf }); i >= 0 {
			ts.Fatalf("%s shows %q on %s", strings.Join(args, " "), text[i:min(len(text), i+20)], file)
		}
	}
}

// feature makes a repository with a feature of N stories in the folder repo, and
// goes there: feature N. What the agent does is the script's replay.yaml, if
// there is one; what the settings are its config.yaml.
func feature(ts *testscript.TestScript, neg bool, args []string) {
	n, err := strconv.Atoi(args[0])
	ts.Check(err)
	repo := ts.MkAbs("repo")
	unit := filepath.Join(repo, ".ralph", "feature-x")
	ts.Check(os.MkdirAll(unit, 0o755))
	var spec, stories []string
	for i := 1; i <= n; i++ {
		title := fmt.Sprintf("Step %d", i)
		spec = append(spec, fmt.Sprintf("### STORY-%03d: %s\n\n**Acceptance Criteria:**\n- [ ] It does %d\n- [ ] Typecheck passes\n- [ ] Unit tests pass\n", i, title, i))
		stories = append(stories, fmt.Sprintf(`    {
      "id": "STORY-%03d",
      "title": %q,
      "acceptanceCriteria": ["It does %d", "Typecheck passes", "Unit tests pass"],
      "priority": %d,
      "passes": false,
      "notes": ""
    }`, i, title, i, i))
	}
	write := func(path, text string) {
		ts.Check(os.MkdirAll(filepath.Dir(path), 0o755))
		ts.Check(os.WriteFile(path, []byte(text), 0o644))
	}
	write(filepath.Join(unit, "spec.md"), "---\ncreated: 2026-01-02T03:04:05Z\n---\n# X\n\n## Problem Statement\n\nX is missing.\n\n## Success Criteria\n\n- [ ] X is there\n\n"+
		"## User Stories\n\n"+strings.Join(spec, "\n")+"\n## Out of Scope\n\n- Y\n")
	write(filepath.Join(unit, "prd.json"), "{\n  \"description\": \"X\",\n  \"createdAt\": \"2026-01-02T03:04:05Z\",\n  \"userStories\": [\n"+strings.Join(stories, ",\n")+"\n  ]\n}\n")
	write(filepath.Join(unit, "progress.txt"), "# Progress Log: feature-x\n# Started: 2026-01-02T03:04:05Z\n\n")
	for from, to := range map[string]string{"replay.yaml": ".ralph/replay.yaml", "config.yaml": ".ralph/config.yaml"} {
		if data, err := os.ReadFile(ts.MkAbs(from)); err == nil {
			write(filepath.Join(repo, to), string(data))
		}
	}
	write(filepath.Join(repo, "README.md"), "# A project\n")
	ts.Check(ts.Chdir(repo))
	for _, git := range [][]string{{"init", "-q"}, {"checkout", "-q", "-b", "feature/x"}, {"add", "-A"}, {"commit", "-q", "-m", "a plan"}} {
		ts.Check(ts.Exec("git", git...))
	}
}
