package e2e

import (
	"net"
	"path/filepath"
	"strings"
	"testing"

	"ralph/fleet/dev/server"
)

// What the user does wrong is said in a sentence.
func TestBadInput(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"feature/x": script(atGate)})
	l.git(filepath.Join(l.dir, "seed"), "switch", "--quiet", "-c", "feature/bare", "main")
	l.git(filepath.Join(l.dir, "seed"), "push", "--quiet", bare, "feature/bare")
	l.submit(bare, "feature/x")
	for _, test := range []struct {
		want string
		args []string
	}{
		{"has no branch nothing; push it first", []string{"submit", bare, "nothing"}},
		{"branch feature/bare of " + bare + " has no plan", []string{"submit", bare, "feature/bare"}},
		{"cannot be read", []string{"submit", filepath.Join(l.dir, "nowhere.git"), "x"}},
		{"is submitted already", []string{"submit", bare, "feature/x"}},
		{"no Temporal server answers at 127.0.0.1:1", []string{"--address", "127.0.0.1:1", "list"}},
		{`has no namespace "other"`, []string{"--namespace", "other", "list"}},
		{`"nobody" is not known here`, []string{"status", "nobody"}},
		{"name the branches, or all of them with --all", []string{"submit", bare}},
		{"--max-iterations must be more than 0", []string{"submit", bare, "feature/x", "--max-iterations=-1"}},
		{`--timeout: "soon" is no duration`, []string{"submit", bare, "feature/x", "-t", "soon"}},
		{"there is no ralph to run", []string{"worker", "--ralph", "no-such-ralph", "--workspace", filepath.Join(l.dir, "w")}},
	} {
		out, err := l.try(test.args...)
		if err == nil || !strings.Contains(out, test.want) {
			t.Errorf("%s: %v\n%s\nwant: %s", strings.Join(test.args, " "), err, out, test.want)
		}
	}
	l.worker("a", "1")
	l.until("the worker has its workspace", func() bool { return len(l.calls()) == 1 })
	if out, err := l.try("worker", "--workspace", filepath.Join(l.dir, "ws-a")); err == nil || !strings.Contains(out, "another worker uses the workspace") {
		t.Errorf("a second worker: %v\n%s", err, out)
	}
	l.fleet("stop", "--all")
}

// The server is not started twice on one address.
func TestServerWhoseAddressIsTaken(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	if _, err := server.Start(server.Options{Listen: listener.Addr().String(), Namespace: "default", Level: "fatal"}); err == nil || !strings.Contains(err.Error(), "name another address with --listen") {
		t.Errorf("Start = %v", err)
	}
}

// The list shows what only a host can find out.
func TestFeaturesThatCannotBeWorkedOn(t *testing.T) {
	l := newLab(t)
	bare := l.remote(map[string]string{"feature/x": script(), "feature/y": script()})
	l.worker("a", "1")
	if out, err := l.try("submit", bare, "feature/x", "--harness", "claude", "--wait", "--skip-preflight"); err == nil || !strings.Contains(out, "failed") {
		t.Errorf("without the agent: %v\n%s", err, out)
	}
	if f := l.status("feature/x"); f.Standing.Reason != "agent_missing" || !strings.Contains(f.Standing.Message, "claude") {
		t.Errorf("%+v", f)
	}
	out, err := l.try("submit", bare, "gone", "--no-check", "--wait")
	if err == nil || !strings.Contains(out, "has no branch gone") {
		t.Errorf("without the branch: %v\n%s", err, out)
	}
	out, err = l.try("submit", filepath.Join(l.dir, "nowhere.git"), "x", "--no-check", "--wait", "--patience", "0")
	if err == nil || !strings.Contains(out, "cannot be read") {
		t.Errorf("without the repository: %v\n%s", err, out)
	}
}
