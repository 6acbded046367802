package replay

import (
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestTurnThatFinishesAStory(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	s := p.turn(`
- say: I write the test first.
- write: {path: check.sh, content: "test -f done\n", exec: true}
- run: [sh, check.sh]
  fail_ok: true
- append: {path: sub/done, content: x}
- remove: sub
- write: {path: done, content: "one two"}
- replace: {path: done, old: two, new: three}
- run: [sh, check.sh]
- git_commit: "feat: first story"
- tick: STORY-001
- progress: {story: STORY-001, files: [done], tests: [check.sh], learnings: [sh is enough]}
- tokens: {input: 10, output: 20, cache_read: 30, cache_write: 40}
- cost: 0.25
- final: First story is done.
`, "RALPH_ITERATION=3")
	if s.code != 0 || s.stderr != "" {
		t.Fatalf("exit %d, stderr %q\n%s", s.code, s.stderr, s.stdout)
	}
	if got := p.read("done"); got != "one three" {
		t.Errorf("done = %q", got)
	}
	want := strings.Replace(testPlan, `"priority": 1, "passes": false`, `"priority": 1, "passes": true`, 1)
	if diff := cmp.Diff(want, p.read(".ralph/feature-x/prd.json")); diff != "" {
		t.Errorf("prd.json (-want +got):\n%s", diff)
	}
	if got := p.git("log", "--format=%s by %ae"); got != "feat: first story by replay@localhost" {
		t.Errorf("log = %q", got)
	}
	entry := "# Started: 2026-03-01T10:00:00Z\n\n---\nIteration: 3\nDate: DATE\nStory: STORY-001 - First\n" +
		"Status: complete\nFiles Changed:\n  - done\nTests Added:\n  - check.sh\nLearnings:\n  - sh is enough\n" +
		"Commit: " + p.git("rev-parse", "--short", "HEAD") + "\n"
	got := regexp.MustCompile(`Date: \d{4}-\d\d-\d\dT\d\d:\d\d:\d\dZ`).
		ReplaceAllString(p.read(".ralph/feature-x/progress.txt"), "Date: DATE")
	if !strings.HasSuffix(got, entry) {
		t.Errorf("progress.txt = %s\nwant the end %s", got, entry)
	}
	r := s.result()
	for key, want := range map[string]string{
		"subtype": "success", "is_error": "false", "result": "First story is done.", "total_cost_usd": "0.25",
		"usage.input_tokens": "10", "usage.output_tokens": "20", "usage.cache_read_input_tokens": "30",
		"usage.cache_creation_input_tokens": "40", "terminal_reason": "completed", "permission_denials": "[]",
	} {
		if got := r.Get(key).String(); got != want {
			t.Errorf("%s = %s, want %s", key, got, want)
		}
	}
}

// The commit is the user's where git knows the user.
func TestCommitKeepsTheUsersIdentity(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.git("config", "user.name", "Ada")
	p.git("config", "user.email", "ada@example.org")
	p.turn("- git_commit: work")
	if got := p.git("log", "--format=%an <%ae>"); got != "Ada <ada@example.org>" {
		t.Errorf("author %q", got)
	}
}

func TestEndings(t *testing.T) {
	t.Parallel()
	recorded := newProject(t).write("stream.jsonl", "{\"type\":\"result\",\"is_error\":true}\nno newline")
	tests := []struct {
		name, steps string
		code        int
		result      map[string]string // nil: no terminal event
		output      string            // a regular expression for standard output
	}{
		{"nothing to do", "- sleep: 1ms", 0, map[string]string{"result": "", "is_error": "false"}, `"subtype":"init"`},
		{"last words are the final message", "- say: a\n- say: b", 0, map[string]string{"result": "b"}, ""},
		{"promise alone", "- say: a\n- promise: true", 0, map[string]string{"result": defaultPromise}, `<promise>`},
		{"promise behind a final message", "- final: Done.\n- promise: true", 0,
			map[string]string{"result": "Done.\n\n" + defaultPromise}, ""},
		{"another promise", "- promise: <p>END</p>", 0, map[string]string{"result": "<p>END</p>"}, ""},
		{"exit status", "- exit: 3\n- say: unsaid", 3, map[string]string{"result": ""}, ""},
		{"stream breaks off", "- no_result: true\n- say: a", 0, nil, `"a"`},
		{"recorded stream", "- raw_file: " + recorded + "\n- exit: 1", 1, nil, `^\{"type":"result","is_error":true\}\nno newline$`},
		{"raw bytes", `- raw: "plain\ntext"`, 0, nil, `^plain\ntext$`},
		{"usage limit", "- limit: {resets_in: 1h, window: seven_day}", 1,
			map[string]string{"is_error": "true", "api_error_status": "429", "subtype": "success"},
			`"error":"rate_limit"[^\n]*\n|"status":"rejected","resetsAt":\d+,"rateLimitType":"seven_day"`},
		{"overloaded", "- overloaded: true", 1, map[string]string{"api_error_status": "529"}, `"error_status":529`},
		{"bad key", "- auth_error: true", 1, map[string]string{"api_error_status": "401"}, `authentication_failed`},
		{"denied tools", "- deny: [Bash]", 0, map[string]string{"permission_denials.0.tool_name": "Bash"}, "granted"},
		{"failing command that may fail", "- run: [sh, -c, 'echo oops; exit 3']\n  fail_ok: true", 0,
			map[string]string{"is_error": "false"}, `Exit code 3\\noops"`},
		{"missing command that may fail", "- run: [no-such-command-here]\n  fail_ok: true", 0, map[string]string{}, `"is_error":true`},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newProject(t).turn(tt.steps)
			if s.code != tt.code || s.stderr != "" {
				t.Errorf("exit %d, want %d; stderr %q", s.code, tt.code, s.stderr)
			}
			if !regexp.MustCompile(tt.output).MatchString(s.stdout) {
				t.Errorf("stdout = %s\nwant a match of %s", s.stdout, tt.output)
			}
			if tt.result == nil {
				if s.result().Exists() && !strings.Contains(tt.name, "recorded") {
					t.Errorf("there is a terminal event: %s", s.result())
				}
				return
			}
			if !s.result().Exists() {
				t.Fatalf("no terminal event in %s", s.stdout)
			}
			for key, want := range tt.result {
				if got := s.result().Get(key).String(); got != want {
					t.Errorf("%s = %q, want %q", key, got, want)
				}
			}
		})
	}
}

func TestPrompt(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	s := p.turn("- save_prompt: seen\n- expect_prompt: STORY-001")
	if s.code != 0 || p.read("seen") != "the prompt: STORY-001\n" {
		t.Errorf("exit %d, prompt %q", s.code, p.read("seen"))
	}
	s = p.turn("- expect_prompt: STORY-009")
	if s.code != ExitScript || !strings.Contains(s.stderr, `replay.yaml:3: expect_prompt: the prompt (22 bytes) does not hold "STORY-009"`) {
		t.Errorf("exit %d, stderr %q", s.code, s.stderr)
	}
}

// Steps that cannot be done fail the session and name their line.
func TestFailingSteps(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, step, want string }{
		{"command", "- run: [sh, -c, 'echo bad luck; exit 2']", "run: sh -c 'echo bad luck; exit 2': exit status 2: bad luck"},
		{"text not there", "- replace: {path: .ralph/feature-x/prd.json, old: nothing, new: x}", "holds the old text 0 times, not once"},
		{"story not there", "- tick: STORY-9", `prd.json has no story "STORY-9"`},
		{"nothing to commit", "- run: [git, add, -A]\n- git_commit: a\n- git_commit: b", "nothing to commit"},
		{"file not there", "- remove: nowhere", "remove: lstat"},
		{"no tasks", "- tick_task: 1", "no tasks.md"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			s := newProject(t).turn(tt.step)
			if s.code != ExitScript || !strings.Contains(s.stderr, tt.want) || s.result().Exists() {
				t.Errorf("exit %d, stderr %q, want %q", s.code, s.stderr, tt.want)
			}
		})
	}
}

func TestTickTask(t *testing.T) {
	t.Parallel()
	tests := []struct{ name, task, want string }{
		{"by text", "second", "- [x] first\n- [x] second one\n  1. [ ] second two\n"},
		{"by number", "3", "- [x] first\n- [ ] second one\n  1. [x] second two\n"},
		{"path given", "{task: two, path: docs/tasks.md}", "- [x] first\n- [ ] second one\n  1. [x] second two\n"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			p := newProject(t)
			p.write("archive/tasks.md", "- [ ] second\n")
			p.write("docs/tasks.md", "- [x] first\n- [ ] second one\n  1. [ ] second two\n")
			if s := p.turn("- tick_task: " + tt.task); s.code != 0 {
				t.Fatalf("exit %d: %s", s.code, s.stderr)
			}
			if diff := cmp.Diff(tt.want, p.read("docs/tasks.md")); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestTickWithMissingKeys(t *testing.T) {
	t.Parallel()
	p := newProject(t)
	p.write(".ralph/feature-x/prd.json", `{"userStories":[{"id":"A"},{"id":"B","passes":false}]}`)
	if s := p.turn("- tick: A\n- tick: B"); s.code != 0 {
		t.Fatalf("exit %d: %s", s.code, s.stderr)
	}
	want := `{"userStories":[{"passes": true,"id":"A"},{"id":"B","passes":true}]}`
	if got := p.read(".ralph/feature-x/prd.json"); got != want {
		t.Errorf("prd.json = %s", got)
	}
}
