package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// unit is the unit of the scratch repositories' branch.
const unit = "feature-x"

// scratch is one feature in a repository of its own, with a user of its own. All
// that ever runs for it has its folder as working directory or in its environment.
type scratch struct {
	ralph   string
	dir     string
	repo    string
	home    string // RALPH_HOME
	env     []string
	plot    plot
	archive bool          // the finished feature is put away
	dead    time.Duration // how long something may live after kill -9 of ralph

	attacks    []string // what was done, round by round
	last       played
	refused    bool      // a system call was made to fail: a derived file may be old
	torn       bool      // confirmed lines of the journal were taken away
	left       []process // alive when the last round was over
	complaints []complaint
}

// newTemplate makes the repository that all scratch repositories are copies of.
func newTemplate(ctx context.Context, ralph, dir string) (string, error) {
	s := &scratch{ralph: ralph, dir: dir, repo: filepath.Join(dir, "repo")}
	s.env = s.environ()
	folder := filepath.Join(s.repo, ".ralph", unit)
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return "", err
	}
	var spec strings.Builder
	spec.WriteString("---\ncreated: 2026-01-02T03:04:05Z\n---\n# X\n\n## Problem Statement\n\nX.\n\n## Success Criteria\n\n- [ ] X\n\n## User Stories\n")
	for i := 1; i <= storyCount; i++ {
		fmt.Fprintf(&spec, "\n### %s: Number %d\n\n**Acceptance Criteria:**\n- [ ] Typecheck passes\n- [ ] Unit tests pass\n", storyID(i), i)
	}
	spec.WriteString("\n## Out of Scope\n\n- Y\n")
	if err := os.WriteFile(filepath.Join(folder, "spec.md"), []byte(spec.String()), 0o644); err != nil {
		return "", err
	}
	for _, argv := range [][]string{
		{"git", "init", "-q"},
		{"git", "config", "user.name", "chaos"},
		{"git", "config", "user.email", "chaos@example.invalid"},
		{"git", "config", "gc.auto", "0"},
		{"git", "config", "maintenance.auto", "false"},
		{"git", "checkout", "-q", "-b", "feature/x"},
		{ralph, "prd"},
		{"git", "add", "-A"},
		{"git", "commit", "-q", "-m", "A plan"},
	} {
		if out, err := s.command(ctx, argv...).CombinedOutput(); err != nil {
			return "", fmt.Errorf("%v: %w\n%s", argv, err, out)
		}
	}
	return s.repo, nil
}

// newScratch copies the template into dir for a plot.
func newScratch(ralph, template, dir string, p plot) (*scratch, error) {
	s := &scratch{ralph: ralph, dir: dir, repo: filepath.Join(dir, "repo"), home: filepath.Join(dir, "home"), plot: p, dead: time.Minute}
	s.env = s.environ()
	if err := os.CopyFS(s.repo, os.DirFS(template)); err != nil {
		return nil, err
	}
	if err := os.Mkdir(s.home, 0o755); err != nil {
		return nil, err
	}
	settings := "harness: replay\ndefaults: {pause_seconds: 0, transient_seconds: 0.05, rate_limit_per_hour: 100000}\n" +
		"circuit_breaker: {no_progress_threshold: 1000, same_error_threshold: 1000}\n"
	if p.check {
		settings += "quality_checks: {work: \"sleep 600 & cat STORY-001.txt\"}\n"
	}
	for path, text := range map[string]string{
		filepath.Join(s.home, "config.yaml"): settings,
		filepath.Join(dir, "replay.yaml"):    p.script(),
		filepath.Join(dir, cometFile):        cometScript,
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return nil, err
		}
	}
	return s, nil
}

// environ is a user's environment without what would steer ralph or git.
func (s *scratch) environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "RALPH_") || strings.HasPrefix(kv, "GIT_") || strings.HasPrefix(kv, "HOME=")
	})
	// The scripted agents write next to the repository, which a room does not allow.
	return append(env, "RALPH_SANDBOX=off", "HOME="+s.dir, "RALPH_HOME="+s.home, "RALPH_REPLAY_SCRIPT="+filepath.Join(s.dir, "replay.yaml"),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
}

func (s *scratch) command(ctx context.Context, argv ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir, cmd.Env = s.repo, s.env
	return cmd
}

// argv is 'ralph run'.
func (s *scratch) argv() []string {
	argv := []string{s.ralph, "run", "--no-interactive"}
	if !s.archive {
		argv = append(argv, "--no-archive")
	}
	return argv
}

func (s *scratch) complain(k kind, format string, args ...any) {
	s.complaints = append(s.complaints, complaint{k, fmt.Sprintf(format, args...)})
}

func (s *scratch) stateDir() string { return filepath.Join(s.repo, ".git", "ralph", unit) }

// folder is where the feature is: in its own place, or in the archive.
func (s *scratch) folder() string {
	if put, _ := filepath.Glob(filepath.Join(s.repo, ".ralph", "archive", "*-"+unit)); len(put) > 0 {
		return put[0]
	}
	return filepath.Join(s.repo, ".ralph", unit)
}

// archived reports whether the feature was put away, all of it.
func (s *scratch) archived() bool {
	_, err := os.Lstat(filepath.Join(s.stateDir(), "archiving.json"))
	return err != nil && strings.Contains(s.folder(), "archive")
}

// journal is the path of the unit's journal.
func (s *scratch) journal() string {
	if path := filepath.Join(s.folder(), "journal.jsonl"); exists(path) {
		return path
	}
	return filepath.Join(s.stateDir(), "journal.jsonl")
}

func exists(path string) bool { _, err := os.Lstat(path); return err == nil }
