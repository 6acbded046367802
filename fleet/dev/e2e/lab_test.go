package e2e

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/server/temporal"

	"ralph/fleet/dev/server"
)

// lab is a fleet in one test: a server, a remote, workers.
type lab struct {
	t      *testing.T
	dir    string
	listen string // of the server
	server temporal.Server
	env    []string
	alone  []string // a command before each worker that keeps its processes apart
	events int      // the length of histories, where it is not the server's own
}

func newLab(t *testing.T) *lab {
	t.Helper()
	return newLabWith(t, 0)
}

// newLabWith makes a lab in which workflows continue in new histories after so many events.
func newLabWith(t *testing.T, events int) *lab {
	t.Helper()
	l := &lab{t: t, dir: t.TempDir(), listen: freeAddress(t), events: events}
	l.env = append(os.Environ(),
		"PATH="+programs+":"+os.Getenv("PATH"), "TEMPORAL_ADDRESS="+l.listen, "RALPH_HOME="+filepath.Join(l.dir, "home"),
		"CALLS="+filepath.Join(l.dir, "calls"), "GATE="+filepath.Join(l.dir, "gate"), "LAB="+l.dir,
		"GIT_CONFIG_GLOBAL="+filepath.Join(l.dir, "gitconfig"), "GIT_CONFIG_NOSYSTEM=1")
	l.write("gitconfig", "[user]\n\tname = Ada\n\temail = ada@example.com\n[init]\n\tdefaultBranch = main\n")
	l.startServer()
	t.Cleanup(func() {
		l.stopServer()
		l.noProcessLeft()
	})
	return l
}

// startServer starts the server, over the database of the one before.
func (l *lab) startServer() {
	l.t.Helper()
	s, err := server.Start(server.Options{Listen: l.listen, DB: filepath.Join(l.dir, "temporal.db"), Namespace: "default", Level: "fatal", Events: l.events})
	if err != nil {
		l.t.Fatal(err)
	}
	l.server = s
	l.until("the server answers", func() bool { _, err := l.try("list"); return err == nil })
}

func (l *lab) stopServer() {
	if err := l.server.Stop(); err != nil {
		l.t.Error(err)
	}
}

func freeAddress(t *testing.T) string {
	t.Helper()
	listener, _, err := server.FreePort("127.0.0.1")
	if err != nil {
		t.Fatal(err)
	}
	defer listener.Close()
	return listener.Addr().String()
}

func (l *lab) write(name, content string) {
	l.t.Helper()
	path := filepath.Join(l.dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		l.t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		l.t.Fatal(err)
	}
}

// until waits for something that other processes bring about.
func (l *lab) until(what string, ok func() bool) {
	l.t.Helper()
	for deadline := time.Now().Add(2 * time.Minute); !ok(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(deadline) {
			list, _ := l.try("list")
			l.t.Fatalf("it never came to this: %s\n%s", what, list)
		}
	}
}

// try runs ralph-fleet and returns all that it says.
func (l *lab) try(args ...string) (string, error) {
	cmd := exec.Command(filepath.Join(programs, "ralph-fleet"), args...)
	cmd.Env = l.env
	out, err := cmd.CombinedOutput()
	return string(out), err
}

func (l *lab) fleet(args ...string) string {
	l.t.Helper()
	out, err := l.try(args...)
	if err != nil {
		l.t.Fatalf("ralph-fleet %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

func (l *lab) git(dir string, args ...string) string {
	l.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, l.env
	out, err := cmd.CombinedOutput()
	if err != nil {
		l.t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// worker is a worker process.
type worker struct {
	*lab
	name string
	cmd  *exec.Cmd
	log  *bytes.Buffer
	gone chan struct{}
}

func (l *lab) worker(name string, slots string, more ...string) *worker {
	l.t.Helper()
	w := &worker{lab: l, name: name, log: &bytes.Buffer{}, gone: make(chan struct{})}
	args := []string{"worker", "--name", name, "--slots", slots, "--workspace", filepath.Join(l.dir, "ws-"+name)}
	var env []string
	for _, m := range more {
		if strings.HasPrefix(m, "--") {
			args = append(args, m)
		} else {
			env = append(env, m)
		}
	}
	argv := append(append(append([]string{}, l.alone...), filepath.Join(programs, "ralph-fleet")), args...)
	w.cmd = exec.Command(argv[0], argv[1:]...)
	w.cmd.Env = append(append([]string{}, l.env...), env...)
	log, err := os.Create(filepath.Join(l.dir, name+".log"))
	if err != nil {
		l.t.Fatal(err)
	}
	w.cmd.Stderr = log
	if err := w.cmd.Start(); err != nil {
		l.t.Fatal(err)
	}
	go func() { _ = w.cmd.Wait(); log.Close(); close(w.gone) }()
	l.t.Cleanup(func() {
		w.end(syscall.SIGTERM)
		if l.t.Failed() {
			text, _ := os.ReadFile(log.Name())
			l.t.Logf("log of %s:\n%s", name, text)
		}
	})
	return w
}

// end ends the worker and waits until it is gone.
func (w *worker) end(s syscall.Signal) {
	pid := w.cmd.Process.Pid
	if len(w.alone) > 0 { // which hears no signal: the worker is its child
		text, _ := os.ReadFile(fmt.Sprintf("/proc/%d/task/%d/children", pid, pid))
		if child, err := strconv.Atoi(strings.TrimSpace(string(text))); err == nil {
			pid = child
		}
	}
	_ = syscall.Kill(pid, s)
	select {
	case <-w.gone:
	case <-time.After(time.Minute):
		w.t.Errorf("%s does not end", w.name)
		_ = w.cmd.Process.Kill()
	}
}

// feature is what "status --json" says, as far as it matters here.
type feature struct {
	ID       string `json:"id"`
	State    string `json:"state"`
	Standing struct {
		Turn    int    `json:"turn"`
		Lost    int    `json:"lost"`
		Reason  string `json:"reason"`
		Message string `json:"message"`
		Last    struct {
			Host     string   `json:"host"`
			Progress progress `json:"progress"`
		} `json:"last"`
	} `json:"standing"`
	Live      progress  `json:"live"`
	StartedAt time.Time `json:"startedAt"`
}

type progress struct {
	Host      string `json:"host"`
	Iteration int    `json:"iteration"`
	Status    string `json:"status"`
	Trouble   string `json:"trouble"`
	Spent     struct {
		Runs       int `json:"runs"`
		Iterations int `json:"iterations"`
		Calls      int `json:"calls"`
	} `json:"spent"`
}

func (l *lab) status(branch string) feature {
	l.t.Helper()
	var f feature
	if err := json.Unmarshal([]byte(l.fleet("status", "--json", branch)), &f); err != nil {
		l.t.Fatal(err)
	}
	return f
}

// ledger is the count of calls of the account, and until when it is limited.
func (l *lab) ledger() (total int, limited time.Time) {
	l.t.Helper()
	var all struct {
		Accounts []struct {
			Total   int       `json:"total"`
			Limited time.Time `json:"limited"`
		} `json:"accounts"`
	}
	if err := json.Unmarshal([]byte(l.fleet("list", "--json")), &all); err != nil {
		l.t.Fatal(err)
	}
	if len(all.Accounts) != 1 {
		l.t.Fatalf("%d accounts are known, want 1", len(all.Accounts))
	}
	return all.Accounts[0].Total, all.Accounts[0].Limited
}

// calls are the calls that agents noted themselves, one line each.
func (l *lab) calls() []string {
	content, err := os.ReadFile(filepath.Join(l.dir, "calls"))
	if err != nil {
		return nil
	}
	return strings.Split(strings.TrimSpace(string(content)), "\n")
}

// noProcessLeft wants nothing alive that was started in the lab.
func (l *lab) noProcessLeft() {
	l.t.Helper()
	if _, err := os.Stat("/proc/self/environ"); err != nil {
		return
	}
	l.until("no process is left", func() bool { return len(l.processes()) == 0 })
}

// processes are those that were started in the lab, by the environment they have.
func (l *lab) processes() []string {
	var found []string
	environs, _ := filepath.Glob("/proc/[0-9]*/environ")
	for _, file := range environs {
		env, err := os.ReadFile(file)
		if err == nil && bytes.Contains(env, []byte("LAB="+l.dir+"\x00")) {
			found = append(found, filepath.Base(filepath.Dir(file)))
		}
	}
	return found
}
