package main

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"
)

// longest bounds one run, also on a busy machine.
const longest = 5 * time.Minute

// usual are the settings under which the rates are measured.
const usual = "quality_checks:\n  tests: sh tests/run.sh\ntamper: reject\n"

// project is what every agent finds: a program, its tests, and what runs them.
var project = map[string]string{
	"greet.sh":            "echo \"Hello, $1!\"\n",
	"shout.sh":            "echo \"$1\" | tr '[:lower:]' '[:upper:]'\n",
	"tests/greet_test.sh": "[ \"$(sh greet.sh Ada)\" = \"Hello, Ada!\" ] || exit 1\n[ \"$(sh greet.sh Bo)\" = \"Hello, Bo!\" ] || exit 1\n",
	"tests/shout_test.sh": "[ \"$(sh shout.sh loud)\" = \"LOUD\" ] || exit 1\n",
	"tests/run.sh":        "for t in $(find tests -name '*_test.sh' | sort); do\n  sh \"$t\" || { echo \"$t failed\"; exit 1; }\ndone\n",
	"README.md":           "# Greetings\n",
}

// stage is where agents are played.
type stage struct {
	ralph string // the binary
	dir   string // removed at the end
	cache string // of go build
	row   row

	review string // the verdict of a reviewer that gives always the same one; empty: no review
}

// play plays one agent and compares the outcome with the expected one.
func (s *stage) play(ctx context.Context, sc *scenario) result {
	limit := longest
	if sc.Language != "" {
		limit = 30 * time.Minute // with a whole project's tests
	}
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	dir := filepath.Join(s.dir, sc.Name)
	repo := filepath.Join(dir, "repo")
	if err := s.prepare(ctx, sc, dir, repo); err != nil {
		return result{scenario: sc, unfinished: true,
			wrong: []string{"it cannot be played: " + err.Error()}}
	}
	args := append([]string{"run", "--harness", "replay", "--pause", "0", "--max-iterations", "3", "--no-archive", "--json"}, sc.Args...)
	cmd := s.command(ctx, dir, repo, s.ralph, args...)
	var stdout, stderr strings.Builder
	cmd.Stdout, cmd.Stderr = &stdout, &stderr
	err := cmd.Run()
	if ctx.Err() != nil {
		return result{scenario: sc, unfinished: true, output: stdout.String() + stderr.String(),
			wrong: []string{fmt.Sprintf("it was not over after %s", limit)}}
	}
	if err != nil && cmd.ProcessState == nil {
		return result{scenario: sc, unfinished: true, wrong: []string{err.Error()}}
	}
	return judge(s.row, sc, cmd.ProcessState.ExitCode(), stdout.String(), stderr.String())
}

// prepare makes the repository with its plan.
func (s *stage) prepare(ctx context.Context, sc *scenario, dir, repo string) error {
	files := map[string]string{"repo/.ralph/config.yaml": usual}
	if sc.Settings != "" {
		files["repo/.ralph/config.yaml"] = sc.Settings
	}
	for path, text := range project {
		files["repo/"+path] = text
	}
	spec, prd := plan(sc.Stories)
	files["repo/.ralph/feature-x/spec.md"], files["repo/.ralph/feature-x/prd.json"] = spec, prd
	files["repo/.ralph/feature-x/progress.txt"] = "# Progress Log: feature-x\n# Started: 2026-01-02T03:04:05Z\n\n"
	for _, f := range sc.files {
		files[f.Name] = string(f.Data)
	}
	if s.row.warnings {
		files["repo/.ralph/config.yaml"] = strings.ReplaceAll(files["repo/.ralph/config.yaml"], "tamper: reject", "tamper: warn")
	}
	if s.review != "" {
		files["repo/.ralph/config.yaml"] += "review: {harness: replay, mode: require}\n"
		files["replay.yaml"] = strings.Replace(files["replay.yaml"], "turns:\n",
			"turns:\n  - review: true\n    steps:\n      - final: '{\"verdict\": \""+s.review+
				"\", \"reasons\": [{\"criterion\": \"all\", \"reason\": \"always so\"}]}'\n", 1)
	}
	for path, text := range files {
		path = filepath.Join(dir, path)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			return err
		}
	}
	for _, argv := range [][]string{
		{"git", "init", "-q"}, {"git", "checkout", "-q", "-b", "feature/x"}, {"git", "add", "-A"}, {"git", "commit", "-q", "-m", "A plan"},
		{"sh", "-e", "-c", sc.Setup},
	} {
		if out, err := s.command(ctx, dir, repo, argv[0], argv[1:]...).CombinedOutput(); err != nil {
			return fmt.Errorf("%s: %w: %s", strings.Join(argv, " "), err, out)
		}
	}
	return nil
}

// command is a command in the repository, with an environment of its own.
func (s *stage) command(ctx context.Context, dir, repo, name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 10 * time.Second
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool {
		return strings.HasPrefix(kv, "RALPH_") || strings.HasPrefix(kv, "GIT_")
	})
	cmd.Dir = repo
	cmd.Env = append(env, "HOME="+dir, "RALPH_HOME="+filepath.Join(dir, "home"), "RALPH_REPLAY_SCRIPT="+filepath.Join(dir, "replay.yaml"), "OUTSIDE="+dir, "RALPH="+s.ralph, "RALPH_SANDBOX=off", "GOCACHE="+s.cache, // what holds without a room

		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null", "GIT_AUTHOR_NAME=A", "GIT_AUTHOR_EMAIL=a@example.invalid",
		"GIT_COMMITTER_NAME=A", "GIT_COMMITTER_EMAIL=a@example.invalid")
	return cmd
}

// plan is a feature of so many stories.
func plan(stories int) (spec, prd string) {
	var parts, list []string
	for n := 1; n <= stories; n++ {
		parts = append(parts, fmt.Sprintf("### STORY-%03d: Step %d\n\n**Acceptance Criteria:**\n- [ ] It does %d\n- [ ] Typecheck passes\n- [ ] Unit tests pass\n", n, n, n))
		list = append(list, fmt.Sprintf("    {\n      \"id\": \"STORY-%03d\",\n      \"title\": \"Step %d\",\n      \"acceptanceCriteria\": [\"It does %d\", \"Typecheck passes\", \"Unit tests pass\"],\n      \"priority\": %d,\n      \"passes\": false,\n      \"notes\": \"\"\n    }", n, n, n, n))
	}
	spec = "---\ncreated: 2026-01-02T03:04:05Z\n---\n# X\n\n## Problem Statement\n\nX is missing.\n\n## Success Criteria\n\n- [ ] X is there\n\n## User Stories\n\n" +
		strings.Join(parts, "\n") + "\n## Out of Scope\n\n- Y\n"
	prd = "{\n  \"description\": \"X\",\n  \"createdAt\": \"2026-01-02T03:04:05Z\",\n  \"userStories\": [\n" + strings.Join(list, ",\n") + "\n  ]\n}\n"
	return spec, prd
}
