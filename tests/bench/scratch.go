package main

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// unit is the unit of the scratch repositories' branch.
const unit = "feature-bench"

// scratch is a repository with a plan, and settings of a user of its own.
type scratch struct {
	b    *bench
	repo string
	home string // RALPH_HOME
	env  []string
}

// newScratch makes a repository with a plan of so many open stories, for a separate user.
func (b *bench) newScratch(name string, stories int) (*scratch, error) {
	return b.scratchOf(name, stories, filepath.Join(b.dir, name, "ralph-home"))
}

// scratchOf makes a repository of the user with that RALPH_HOME.
func (b *bench) scratchOf(name string, stories int, home string) (*scratch, error) {
	dir := filepath.Join(b.dir, name)
	s := &scratch{b: b, repo: filepath.Join(dir, "repo"), home: home}
	for _, d := range []string{s.folder(), s.home} {
		if err := os.MkdirAll(d, 0o755); err != nil {
			return nil, err
		}
	}
	s.env = append(cleanEnv(), "HOME="+dir, "RALPH_HOME="+s.home, "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"RALPH_SANDBOX=off", "RALPH_PROOF_MODE=off") // rooms and proofs have rows of their own
	if err := writeSpec(filepath.Join(s.folder(), "spec.md"), stories); err != nil {
		return nil, err
	}
	for _, argv := range [][]string{
		{"git", "init", "-q"},
		{"git", "config", "user.name", "bench"},
		{"git", "config", "user.email", "bench@example.invalid"},
		{"git", "checkout", "-q", "-b", "feature/bench"},
		{b.ralph, "prd"},
		{"git", "add", "-A"},
		{"git", "commit", "-q", "-m", "A plan"},
	} {
		if _, err := measure(s.command(argv[0], argv[1:]...), 0); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// cleanEnv is the environment without what would steer ralph or git.
func cleanEnv() []string {
	return slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "RALPH_") || strings.HasPrefix(kv, "GIT_")
	})
}

func (s *scratch) folder() string { return filepath.Join(s.repo, ".ralph", unit) }

func (s *scratch) state() string { return filepath.Join(s.repo, ".git", "ralph") }

func (s *scratch) command(name string, args ...string) *exec.Cmd {
	cmd := s.b.command(name, args...)
	cmd.Dir, cmd.Env = s.repo, s.env
	return cmd
}

// useSession makes a program that prints the shortest session the agent, and
// returns the file that it prints.
func (s *scratch) useSession() (string, error) {
	file := filepath.Join(s.home, "session.jsonl")
	if err := os.WriteFile(file, []byte(session), 0o644); err != nil {
		return "", err
	}
	return file, s.useAgent("/bin/cat", file)
}

// useAgent makes this program the agent; it prints a stream as Claude Code does.
func (s *scratch) useAgent(argv ...string) error {
	var text strings.Builder
	text.WriteString("harness: printer\nharnesses:\n  printer:\n    output: claude\n    command:\n")
	for _, word := range argv {
		fmt.Fprintf(&text, "      - %q\n", word)
	}
	return os.WriteFile(filepath.Join(s.home, "config.yaml"), []byte(text.String()), 0o644)
}

// run is a run of n iterations that nothing but their number ends.
func (s *scratch) run(n int) *exec.Cmd {
	return s.command(s.b.ralph, "run", "-n", fmt.Sprint(n), "--pause", "0", "--rate-limit", "0",
		"--stall-threshold", "1000", "--same-error", "1000")
}

// output runs ralph to its end and returns what it printed.
func (s *scratch) output(args ...string) ([]byte, error) {
	cmd := s.command(s.b.ralph, args...)
	var out bytes.Buffer
	cmd.Stdout = &out
	_, err := measure(cmd, 0)
	return out.Bytes(), err
}

// forget takes away what earlier runs left, so that all runs begin alike.
func (s *scratch) forget() error {
	for _, dir := range []string{s.state(), filepath.Join(s.folder(), "logs")} {
		if err := os.RemoveAll(dir); err != nil {
			return err
		}
	}
	return nil
}

// event is what the bench needs to know of an event of the journal.
type event struct {
	Time time.Time `json:"time"`
	Type string    `json:"type"`
	PID  int       `json:"pid"`
}

func (s *scratch) journal() string { return filepath.Join(s.state(), unit, "journal.jsonl") }

// events reads the events of some types from the unit's journal.
func (s *scratch) events(types ...string) ([]event, error) {
	f, err := os.Open(s.journal())
	if err != nil {
		return nil, err
	}
	defer f.Close()
	var list []event
	for dec := json.NewDecoder(bufio.NewReader(f)); dec.More(); {
		var e event
		if err := dec.Decode(&e); err != nil {
			return nil, fmt.Errorf("the journal cannot be read: %w", err)
		}
		if slices.Contains(types, e.Type) {
			list = append(list, e)
		}
	}
	return list, nil
}

// writeSpec writes a spec.md as people write them, with so many stories.
func writeSpec(path string, stories int) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f)
	fmt.Fprint(w, "---\ncreated: 2026-01-02T03:04:05Z\n---\n# A large feature\n\n## Problem Statement\n\nPeople cannot do things.\n\n",
		"## Success Criteria\n\n- [ ] They can\n\n## User Stories\n\n")
	for i := 1; i <= stories; i++ {
		fmt.Fprintf(w, `### STORY-%05d: The user can do the thing with number %d

**As a** user
**I want to** do the thing
**So that** it is done and I can go on

**Acceptance Criteria:**
- [ ] The button for the thing is on the page of number %d
- [ ] A click on the button does the thing and says so
- [ ] Typecheck passes
- [ ] Unit tests pass

`, i, i, i)
	}
	fmt.Fprint(w, "## Out of Scope\n\n- Other things\n\n## Open Questions\n\n- None\n")
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}
