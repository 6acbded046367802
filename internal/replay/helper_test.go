package replay

import (
	"bytes"
	"context"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// The test binary is the agent too: sessions are played in processes of their
// own, as ralph plays them.
func TestMain(m *testing.M) {
	if len(os.Args) == 3 && os.Args[1] == "__replay" {
		dir, err := os.Getwd()
		if err != nil {
			panic(err)
		}
		os.Exit(Run(context.Background(), Input{Script: os.Args[2], Stdin: os.Stdin,
			Stdout: os.Stdout, Stderr: os.Stderr, Dir: dir, Env: os.Environ()}))
	}
	os.Exit(m.Run())
}

const testPlan = `{
  "description": "greeting",
  "createdAt": "2026-03-01T10:00:00Z",
  "extra":   [1, 2],
  "userStories": [
    {"id": "STORY-002", "title": "Second <b>", "acceptanceCriteria": ["b"], "priority": 2, "passes": false, "notes": "old"},
    {"id": "STORY-001", "title": "First", "acceptanceCriteria": ["a"], "priority": 1, "passes": false}
  ]
}
`

// project is a git repository with a feature folder.
type project struct {
	t   *testing.T
	dir string
	env []string
}

func newProject(t *testing.T) *project {
	t.Helper()
	p := &project{t: t, dir: t.TempDir()}
	for _, v := range os.Environ() {
		if !strings.HasPrefix(v, "GIT_") && !strings.HasPrefix(v, "RALPH_") && !strings.HasPrefix(v, "EMAIL=") {
			p.env = append(p.env, v)
		}
	}
	p.env = append(p.env, "RALPH_UNIT=feature-x", "HOME="+t.TempDir(),
		"GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null",
		"GORACE=atexit_sleep_ms=0") // the race detector would keep each session for a second
	p.git("init", "-q", "-b", "feature/x")
	p.write(".ralph/feature-x/prd.json", testPlan)
	p.write(".ralph/feature-x/progress.txt", "# Progress Log: x\n# Started: 2026-03-01T10:00:00Z\n\n")
	return p
}

func (p *project) write(path, content string) string {
	p.t.Helper()
	path = filepath.Join(p.dir, path)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		p.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		p.t.Fatal(err)
	}
	return path
}

func (p *project) read(path string) string {
	p.t.Helper()
	data, err := os.ReadFile(filepath.Join(p.dir, path))
	if err != nil {
		p.t.Fatal(err)
	}
	return string(data)
}

func (p *project) git(args ...string) string {
	p.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = p.dir, p.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		p.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

// session is what a finished session left.
type session struct {
	code           int
	stdout, stderr string
}

// result returns the terminal event, empty without one.
func (s session) result() gjson.Result {
	lines := strings.Split(strings.TrimSpace(s.stdout), "\n")
	if last := gjson.Parse(lines[len(lines)-1]); last.Get("type").String() == "result" {
		return last
	}
	return gjson.Result{}
}

// turn plays a script of one turn.
func (p *project) turn(steps string, env ...string) session {
	p.t.Helper()
	var b strings.Builder
	b.WriteString("turns:\n- steps:\n")
	for _, line := range strings.Split(strings.Trim(steps, "\n"), "\n") {
		b.WriteString("  " + line + "\n")
	}
	return p.play(b.String(), env...)
}

func (p *project) command(script string, env ...string) *exec.Cmd {
	p.t.Helper()
	path := filepath.Join(p.t.TempDir(), "replay.yaml")
	if err := os.WriteFile(path, []byte(script), 0o644); err != nil {
		p.t.Fatal(err)
	}
	cmd := exec.Command(os.Args[0], "__replay", path)
	cmd.Dir, cmd.Env = p.dir, append(append([]string{}, p.env...), env...)
	return cmd
}

func (p *project) play(script string, env ...string) session {
	p.t.Helper()
	cmd := p.command(script, env...)
	var stdout, stderr bytes.Buffer
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader("the prompt: STORY-001\n"), &stdout, &stderr
	err := cmd.Run()
	if _, ok := err.(*exec.ExitError); err != nil && !ok {
		p.t.Fatal(err)
	}
	return session{cmd.ProcessState.ExitCode(), stdout.String(), stderr.String()}
}

// live is a running session.
type live struct {
	cmd    *exec.Cmd
	stdout *bytes.Buffer
	rest   chan error
}

// start starts a session and returns when its output holds mark.
func (p *project) start(steps, mark string) *live {
	p.t.Helper()
	cmd := p.command("turns:\n- steps:\n" + steps)
	r, w, err := os.Pipe()
	if err != nil {
		p.t.Fatal(err)
	}
	cmd.Stdout, cmd.Stderr = w, os.Stderr
	if err := cmd.Start(); err != nil {
		p.t.Fatal(err)
	}
	w.Close()
	l := &live{cmd: cmd, stdout: &bytes.Buffer{}, rest: make(chan error, 1)}
	buf := make([]byte, 4096)
	for !strings.Contains(l.stdout.String(), mark) {
		n, err := r.Read(buf)
		l.stdout.Write(buf[:n])
		if err != nil {
			p.t.Fatalf("no %q in the output:\n%s", mark, l.stdout)
		}
	}
	go func() {
		_, err := io.Copy(l.stdout, r)
		r.Close()
		l.rest <- err
	}()
	return l
}

// wait returns what the session printed until its output was closed.
func (l *live) wait(t *testing.T) session {
	t.Helper()
	if err := <-l.rest; err != nil {
		t.Fatal(err)
	}
	_ = l.cmd.Wait()
	return session{l.cmd.ProcessState.ExitCode(), l.stdout.String(), ""}
}
