package main

import (
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
	"unicode"

	"github.com/creack/pty"

	"ralph/internal/journal"
)

const (
	token  = "tok-3f9a8b7c6d5e4f"
	hidden = "***DEPLOY_TOKEN***"
	// hostile is what a name may hold that comes from a repository.
	hostile = "$(touch${IFS}pwned)`touch${IFS}pwned`"
)

// hostileScript is an agent that fails with the token on standard error, then marks a story
// that a check rejects, with the token in its output, then is done.
const hostileScript = `
turns:
  - steps:
      - save_prompt: prompt1.txt
      - stderr: "\e[2J\e]0;owned\a the server refused tok-3f9a8b7c6d5e4f"
      - no_result: true
      - exit: 1
  - steps:
      - save_prompt: prompt2.txt
      - write: {path: one.txt, content: x}
      - git_commit: "one \e[2J"
      - tick: STORY-001
  - steps:
      - save_prompt: prompt3.txt
      - write: {path: mended.txt, content: x}
      - git_commit: two
      - tick: STORY-001
      - say: "\e[2J\e]0;owned\a done"
`

// newHostile is a scratch with a hostile folder, branch, story, check and agent.
func newHostile(t *testing.T) *scratch {
	s := newScratch(t, hostileScript)
	unit := "feature-" + hostile
	repo := filepath.Join(filepath.Dir(s.repo), "\x1b]0;owned\a\u202e"+hostile)
	if err := os.Rename(s.repo, repo); err != nil {
		t.Fatal(err)
	}
	s.repo = repo
	s.git("checkout", "-q", "-b", "feature/"+hostile)
	if err := os.Rename(filepath.Join(repo, ".ralph/feature-x"), filepath.Join(repo, ".ralph", unit)); err != nil {
		t.Fatal(err)
	}
	s.write(".ralph/"+unit+"/prd.json", `{"description": "X", "createdAt": "2026-01-02T03:04:05Z", "userStories": [{"id": "STORY-001", "passes": false,
		"title": "One \u202e\u001b[2J\u001b]0;owned\u0007 \n✓ done: all stories pass $(touch pwned)", "acceptanceCriteria": ["\u009b2J"], "priority": 1}]}`)
	s.write(".ralph/config.yaml", "quality_checks:\n  unit: \"test ! -e one.txt || { printf '\\\\033[2J\\\\033]0;owned\\\\a```\\\\n%s\\\\n' \\\"$DEPLOY_TOKEN\\\"; head -c 2971 /dev/zero | tr '\\\\0' x; printf '\\\\n%s\\\\n' \\\"$DEPLOY_TOKEN\\\"; test -e mended.txt; }\"\n")
	s.write(".claude/ralph-loop.log", "of an earlier version, for all to read\n")
	s.write("../.home/config.yaml", "notify:\n  command: [sh, -c, 'cat >>../notices']\n")
	s.env = append(s.env, "DEPLOY_TOKEN="+token, "NO_COLOR=1", "LANG=C.UTF-8")
	s.git("add", "-A")
	s.git("commit", "-q", "-m", "another plan")
	return s
}

// TestSecretsAndHostileNames lets a run meet all of it and looks into everything
// that is left: each file, each output.
func TestSecretsAndHostileNames(t *testing.T) {
	t.Parallel()
	s := newHostile(t)
	outputs := map[string]string{}
	call := func(want int, args ...string) {
		t.Helper()
		cmd := s.command(s.bin, args...)
		out, _ := cmd.CombinedOutput()
		if code := cmd.ProcessState.ExitCode(); code != want {
			t.Errorf("ralph %s: exit status %d\n%q", strings.Join(args, " "), code, out)
		}
		outputs["ralph "+strings.Join(args, " ")] = string(out)
	}
	call(0, "run", "--harness", "replay", "--dry-run", "--skip-preflight")
	call(1, "validate")
	call(0, "run", "--harness", "replay", "--pause", "0", "--skip-preflight", "--no-archive")
	for _, args := range [][]string{{"status"}, {"status", "--json"}, {"history"}, {"history", "--json"}, {"list"}, {"list", "--json"},
		{"config", "show"}, {"context", "show"}, {"stop"}, {"archive", "--list"}, {"archive"}, {"status"}, {"archive", "--list"}} {
		call(0, args...)
	}
	for name, out := range outputs {
		if strings.Contains(name, "--json") { // programs want names as they are
			out = strings.ReplaceAll(out, "\u202e", "")
		}
		harmless(t, name, strings.ReplaceAll(out, "\n", ""))
		if strings.Contains(out, "\n✓ done: all stories pass") && !strings.Contains(name, "--dry-run") {
			t.Errorf("%s: a title became a line of its own\n%s", name, out)
		}
	}
	for n, want := range map[string]bool{"prompt1.txt": false, "prompt2.txt": true, "prompt3.txt": true} {
		prompt := readFile(t, filepath.Join(s.repo, n))
		harmless(t, n, strings.NewReplacer("\n", "", "\t", "").Replace(prompt))
		if strings.Contains(prompt, token[10:]) { // the check prints it where its output is cut for the prompt
			t.Errorf("%s has the end of the token:\n%s", n, prompt)
		}
		if strings.Contains(prompt, hidden) != want {
			t.Errorf("%s does not tell what was hidden, or tells what was not:\n%s", n, prompt)
		}
	}
	if notices := readFile(t, filepath.Join(s.repo, "../notices")); !strings.HasPrefix(notices, `{"event":"done"`) {
		t.Errorf("notices: %s", notices)
	}
	s.searchFiles()
}

// harmless fails if a text has control sequences or the token.
func harmless(t *testing.T, name, text string) {
	t.Helper()
	if strings.ContainsFunc(text, unicode.IsControl) || strings.ContainsRune(text, '\u202e') {
		t.Errorf("%s steers the terminal: %q", name, text)
	}
	if strings.Contains(text, token) {
		t.Errorf("%s tells the token: %q", name, text)
	}
}

// searchFiles looks for the token in every file, and for what a shell would have
// left that took a name for a command.
func (s *scratch) searchFiles() {
	s.t.Helper()
	said := 0 // places where the agent's own words are kept
	err := filepath.WalkDir(filepath.Dir(s.repo), func(path string, d fs.DirEntry, err error) error {
		if err != nil || !d.Type().IsRegular() || d.Name() == "replay.yaml" || path == s.bin {
			return err
		}
		if d.Name() == "pwned" {
			s.t.Errorf("a shell has run a name: %q", path)
		}
		info, err := d.Info()
		if err != nil {
			return err
		}
		words := strings.HasPrefix(d.Name(), "iteration-") && !strings.Contains(path, "/refs/") || d.Name() == "ralph-loop.log"
		if (words || d.Name() == journal.FileName) && info.Mode().Perm() != 0o600 {
			s.t.Errorf("%q is %v", path, info.Mode())
		}
		if strings.Contains(readFile(s.t, path), token) {
			if said++; !words {
				s.t.Errorf("%q tells the token", path)
			}
		}
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	if said == 0 {
		s.t.Error("the agent's log lacks what the agent said: is the search still right?")
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// TestHostileNamesOnATerminal: the title is the one sequence that a run sends for
// its names, and it is whole.
func TestHostileNamesOnATerminal(t *testing.T) {
	t.Parallel()
	s := newHostile(t)
	cmd := s.command(s.bin, "run", "--harness", "replay", "--pause", "0", "--skip-preflight")
	cmd.Env = append(cmd.Env, "TERM=xterm")
	tty, err := pty.Start(cmd)
	if err != nil {
		t.Fatal(err)
	}
	defer tty.Close()
	timer := time.AfterFunc(patience, func() { _ = cmd.Process.Kill() })
	defer timer.Stop()
	sent, _ := io.ReadAll(tty) // Linux says EIO at the end
	_ = cmd.Wait()
	if code := cmd.ProcessState.ExitCode(); code != 0 {
		t.Errorf("exit status %d\n%q", code, sent)
	}
	title := regexp.MustCompile("\x1b]2;Ralph: " + regexp.QuoteMeta("$(touch${IFS}pwned)`touch${IFS}pwned`") + ` \[[a-z0-9/]+\]` + "\a")
	if n := len(title.FindAll(sent, -1)); n != 4 { // three iterations and the end
		t.Errorf("the title was set %d times: %q", n, sent)
	}
	rest := strings.NewReplacer("\r\x1b[K", "", "\r\n", "").Replace(string(title.ReplaceAll(sent, nil)))
	if strings.ContainsFunc(rest, unicode.IsControl) || strings.Contains(rest, "\u202e") {
		t.Errorf("the terminal was sent %q", rest)
	}
}
