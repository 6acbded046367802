package mcpserver

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/tidwall/gjson"

	"ralph/internal/journal"
	"ralph/internal/preflight"
	"ralph/internal/registry"
	"ralph/internal/stream"
	"ralph/internal/unit"
)

// repo is a repository with a feature, in which a run has ended if the test says so.
type repo struct {
	t          *testing.T
	home, root string
}

func newRepo(t *testing.T) *repo {
	t.Helper()
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, value := range map[string]string{"GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null",
		"GIT_AUTHOR_NAME": "tester", "GIT_AUTHOR_EMAIL": "t@example.invalid", "GIT_COMMITTER_NAME": "tester", "GIT_COMMITTER_EMAIL": "t@example.invalid"} {
		t.Setenv(name, value)
	}
	r := &repo{t: t, home: filepath.Join(dir, "home"), root: filepath.Join(dir, "repo")}
	r.write(".ralph/feature-x/spec.md", "# X\n\n### STORY-001: One\n")
	r.write(".ralph/feature-x/prd.json", `{"description": "X", "createdAt": "2026-01-02T03:04:05Z", "userStories": [{"id": "STORY-001", "title": "One",
		"acceptanceCriteria": ["Typecheck passes", "Unit tests pass"], "priority": 1, "passes": true, "notes": ""}]}`)
	r.git("init", "-q", "-b", "feature/x")
	r.git("add", "-A")
	r.git("commit", "-q", "-m", "a plan")
	t.Chdir(r.root)
	return r
}

func (r *repo) write(name, text string) {
	r.t.Helper()
	path := filepath.Join(r.root, name)
	if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
		r.t.Fatal(err)
	}
}

func (r *repo) git(args ...string) {
	r.t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = r.root
	if out, err := cmd.CombinedOutput(); err != nil {
		r.t.Fatalf("git %v: %v\n%s", args, err, out)
	}
}

func (r *repo) stateDir() string { return filepath.Join(r.root, ".git/ralph/feature-x") }

// ran records a run of one iteration of the feature, by a plan of the kind, that has ended.
func (r *repo) ran(kind journal.PlanKind, stories []journal.Story, calls ...journal.Body) {
	r.t.Helper()
	if err := os.MkdirAll(r.stateDir(), 0o755); err != nil {
		r.t.Fatal(err)
	}
	w, err := journal.OpenWriter(journal.Path(r.stateDir()))
	if err != nil {
		r.t.Fatal(err)
	}
	defer w.Close()
	events := append([]journal.Body{journal.RunStarted{Schema: journal.SchemaVersion, Unit: "feature-x", Plan: kind, Stories: stories, MaxIterations: 20, PID: 1 << 30, PIDStart: "1"}}, calls...)
	for _, b := range append(events, journal.RunEnded{Status: journal.StatusCompleted, Reason: journal.ReasonStoriesComplete}) {
		if _, err := w.Append("20260102-030405", time.Now(), b); err != nil {
			r.t.Fatal(err)
		}
	}
	if err := registry.Register(r.home, registry.Entry{Unit: "feature-x", Plan: string(kind), Worktree: r.root, Branch: "feature/x",
		StateDir: r.stateDir(), Folder: ".ralph/feature-x", Updated: time.Now()}); err != nil {
		r.t.Fatal(err)
	}
}

// ranOnce is the run of a feature with one iteration that has a log.
func (r *repo) ranOnce() {
	r.t.Helper()
	log := ".ralph/feature-x/logs/iteration-1.log"
	r.write(log, "\x1b[2J\x1b]0;owned\alooking around\nfinished\n")
	r.ran(journal.PlanPRD, nil, journal.IterationStarted{N: 1}, journal.AttemptStarted{N: 1, Attempt: 1, Harness: "replay", LogFile: log},
		journal.AttemptEnded{N: 1, Attempt: 1, Outcome: journal.OutcomeOK},
		journal.IterationEnded{N: 1, Outcome: journal.OutcomeOK, StoriesPassed: []string{"STORY-001"}})
}

// client is a client of a server in the working folder of the test.
type client struct {
	t       *testing.T
	session *mcp.ClientSession
}

func (r *repo) client(change func(*Options)) *client {
	r.t.Helper()
	o := Options{Home: r.home, Notes: unit.Silent(),
		Formats: func(string) func(string) stream.Format {
			return func(string) stream.Format { return stream.FormatText }
		},
		Validate: func(_ context.Context, p *unit.Place, _ Task) (preflight.Report, error) {
			return preflight.Report{OK: true, Unit: p.Unit}, nil
		}}
	if change != nil {
		change(&o)
	}
	here, there := mcp.NewInMemoryTransports()
	if _, err := New(o).Connect(r.t.Context(), there, nil); err != nil {
		r.t.Fatal(err)
	}
	session, err := mcp.NewClient(&mcp.Implementation{Name: "tester", Version: "1"}, nil).Connect(r.t.Context(), here, nil)
	if err != nil {
		r.t.Fatal(err)
	}
	r.t.Cleanup(func() { session.Close() })
	return &client{r.t, session}
}

// call calls a tool and returns its answer, or its error.
func (c *client) call(name string, args map[string]any) (answer gjson.Result, refused string) {
	c.t.Helper()
	res, err := c.session.CallTool(c.t.Context(), &mcp.CallToolParams{Name: name, Arguments: args})
	if err != nil {
		c.t.Fatalf("%s: %v", name, err)
	}
	text := res.Content[0].(*mcp.TextContent).Text
	if res.IsError {
		return gjson.Result{}, text
	}
	return gjson.Parse(text), ""
}

// files is every file of the test, with its size and time.
func (r *repo) files() map[string]string {
	found := map[string]string{}
	_ = filepath.WalkDir(filepath.Dir(r.root), func(path string, d fs.DirEntry, err error) error {
		if info, e := d.Info(); err == nil && e == nil {
			found[path] = fmt.Sprint(info.Mode(), info.Size(), info.ModTime())
		}
		return nil
	})
	return found
}

// TestToolsShowARun asks for everything about a run, inside and outside of its worktree, and
// writes nothing.
func TestToolsShowARun(t *testing.T) {
	r := newRepo(t)
	r.ranOnce()
	for _, dir := range []string{r.root, t.TempDir()} {
		t.Chdir(dir)
		before, c := r.files(), r.client(nil)
		got := map[string]string{}
		for key, path := range map[string]string{
			"list_loops": "loops.#(unit==feature-x).status", "get_status": "status.reason", "get_history": "iterations.0.outcome",
			"get_plan": "items.0.criteria.1", "get_log": "log", "validate": "unit", "stop_loop": "message",
		} {
			args := map[string]any{"unit": "feature/x"}
			if key == "list_loops" {
				args = nil
			}
			answer, refused := c.call(key, args)
			got[key] = answer.Get(path).String() + refused
		}
		want := map[string]string{
			"list_loops": "completed", "get_status": "stories_complete", "get_history": "ok", "get_plan": "Unit tests pass", "validate": "feature-x",
			"get_log": "looking around\nfinished", "stop_loop": "no loop is running on feature-x: nothing to stop",
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("in %s: %s", dir, diff)
		}
		if _, refused := c.call("get_log", map[string]any{"unit": "feature/x", "iteration": 9}); refused != "the last run of feature-x has no iteration 9; get_history lists them" {
			t.Errorf("a log that does not exist: %q", refused)
		}
		if diff := cmp.Diff(before, r.files()); diff != "" {
			t.Errorf("reading has written:\n%s", diff)
		}
	}
}

// TestAUnitInTwoRepositories needs its worktree's name.
func TestAUnitInTwoRepositories(t *testing.T) {
	one, two := newRepo(t), newRepo(t)
	two.home = one.home
	one.ranOnce()
	two.ranOnce()
	for dir, n := range map[string]int{two.root: 4, t.TempDir(): 0} {
		t.Chdir(dir)
		list, err := two.client(nil).session.ListResources(t.Context(), nil)
		if err != nil || len(list.Resources) != n { // a resource has only the unit's name
			t.Errorf("in %s: %v, %v", dir, list, err)
		}
	}
	t.Chdir(t.TempDir())
	c := one.client(nil)
	_, refused := c.call("get_status", map[string]any{"unit": "feature-x"})
	if !strings.Contains(refused, "feature-x is in 2 worktrees: ") || !strings.HasSuffix(refused, "; name the one that is meant with the argument worktree") {
		t.Errorf("without a worktree: %q", refused)
	}
	for _, r := range []*repo{one, two} {
		answer, _ := c.call("get_status", map[string]any{"unit": "feature-x", "worktree": r.root})
		if got := answer.Get("worktree").String(); got != r.root || answer.Get("status.status").String() != "completed" {
			t.Errorf("with %s: %s", r.root, answer)
		}
	}
	if _, refused := c.call("get_status", nil); refused != "this server was not started inside a git worktree; name a unit; list_loops lists them" {
		t.Errorf("without a name: %q", refused)
	}
}

func TestResources(t *testing.T) {
	r := newRepo(t)
	r.ranOnce()
	c := r.client(nil)
	list, err := c.session.ListResources(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var uris []string
	for _, r := range list.Resources {
		uris = append(uris, r.URI)
	}
	want := []string{"ralph://units/feature-x/spec.md", "ralph://units/feature-x/prd.json", "ralph://units/feature-x/status.json", "ralph://units/feature-x/log"}
	if diff := cmp.Diff(want, uris); diff != "" {
		t.Error(diff)
	}
	p, err := unit.Worktree(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if _, err := p.Archive().Put(t.Context(), p.Unit, time.Now(), nil); err != nil {
		t.Fatal(err)
	}
	if list, err := c.session.ListResources(t.Context(), nil); err != nil || len(list.Resources) != 0 {
		t.Errorf("an archived unit is listed: %v, %v", list, err)
	}
	for uri, want := range map[string]string{
		"ralph://units/feature-x/spec.md":     "### STORY-001: One",
		"ralph://units/feature-x/prd.json":    `"passes": true`,
		"ralph://units/feature%2Fx/spec.md":   "### STORY-001: One",
		"ralph://units/feature-x/status.json": `"alive": false`,
		"ralph://units/feature-x/log":         "finished",
	} {
		res, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri})
		if err != nil || !strings.Contains(res.Contents[0].Text, want) {
			t.Errorf("%s: %v, %v", uri, res, err)
		}
	}
	for uri, want := range map[string]string{
		"ralph://units/nope/spec.md":          "Resource not found",
		"ralph://units/feature-x/passwd":      "Resource not found",
		"ralph://units/..%2F..%2Fx/spec.md":   "Resource not found",
		"ralph://units/..%2F../spec.md":       "Resource not found",
		"ralph://units/%2e%2e/spec.md":        "cannot name a unit",
		"ralph://units/archive/prd.json":      "cannot name a unit",
		"ralph://units/a%0Ab/prd.json":        "cannot name a unit",
		"file:///etc/passwd":                  "Resource not found",
		"ralph://units/feature-x/../../x/log": "Resource not found",
	} {
		if res, err := c.session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: uri}); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, %v; want %q", uri, res, err, want)
		}
	}
}

// TestAResourceWithoutText: contents without a text or a blob are no answer. The run has called
// no agent, so that its log is empty.
func TestAResourceWithoutText(t *testing.T) {
	r := newRepo(t)
	r.ran(journal.PlanTasks, nil)
	res, err := r.client(nil).session.ReadResource(t.Context(), &mcp.ReadResourceParams{URI: "ralph://units/feature-x/log"})
	if err != nil || res.Contents[0].Text != "\n" {
		t.Errorf("%+v, %v", res, err)
	}
}

// TestThePlanOfAnArchivedUnit: its tasks are those of its record. The worktree may have another
// list by now.
func TestThePlanOfAnArchivedUnit(t *testing.T) {
	for _, kind := range []journal.PlanKind{journal.PlanTasks, journal.PlanChange} {
		r := newRepo(t)
		r.ran(kind, []journal.Story{{ID: "1", Title: "one"}, {ID: "2", Title: "two"}},
			journal.IterationStarted{N: 1}, journal.IterationEnded{N: 1, StoriesPassed: []string{"1", "3"}})
		p, err := unit.Worktree(t.Context())
		if err != nil {
			t.Fatal(err)
		}
		if _, err := p.Archive().Put(t.Context(), p.Unit, time.Now(), nil); err != nil {
			t.Fatal(err)
		}
		r.write("tasks.md", "- [ ] something else\n")
		answer, refused := r.client(nil).call("get_plan", map[string]any{"unit": "feature-x", "spec": true})
		var got []string
		for _, it := range answer.Get("items").Array() {
			got = append(got, fmt.Sprint(it.Get("title"), " ", it.Get("done")))
		}
		if diff := cmp.Diff([]string{"one true", "two false", "3 true"}, got); diff != "" ||
			answer.Get("archive").String() == "" || answer.Get("kind").String() != string(kind) || answer.Get("done").Int() != 2 || answer.Get("total").Int() != 3 {
			t.Errorf("%s: %s%s%s", kind, answer, refused, diff)
		}
	}
}

// TestAUnitThatHasNotRun is found in a worktree that is named: the server's own, or one in which
// another unit has run.
func TestAUnitThatHasNotRun(t *testing.T) {
	r := newRepo(t)
	r.write(".ito/changes/002-01_add-x/proposal.md", "# Add X\n")
	r.write(".ito/changes/002-01_add-x/tasks.md", "- [ ] one\n- [ ] two\n")
	args := map[string]any{"unit": "002-01_add-x", "worktree": r.root, "spec": true}
	inside, refused := r.client(nil).call("get_plan", args)
	if inside.Get("total").Int() != 2 || inside.Get("kind").String() != "change" || inside.Get("spec").String() != "# Add X\n" {
		t.Errorf("in the worktree: %s%s", inside, refused)
	}
	t.Chdir(t.TempDir())
	if _, refused := r.client(nil).call("get_plan", args); !strings.Contains(refused, "there is no such unit in ") {
		t.Errorf("ralph knows nothing of that worktree: %q", refused)
	}
	r.ran(journal.PlanPRD, nil)
	if outside, refused := r.client(nil).call("get_plan", args); outside.Get("total").Int() != 2 {
		t.Errorf("from elsewhere: %s%s", outside, refused)
	}
	delete(args, "spec")
	if answer, refused := r.client(nil).call("validate", args); answer.Get("unit").String() != "002-01_add-x" {
		t.Errorf("validate: %s%s", answer, refused)
	}
}

func TestBadInput(t *testing.T) {
	r := newRepo(t)
	c := r.client(func(o *Options) {
		o.Start = func(context.Context, *unit.Place, Task) (int, bool, error) {
			return 0, false, errors.New("it was started")
		}
	})
	for _, tt := range []struct {
		tool string
		args map[string]any
		want string
	}{
		{"get_status", map[string]any{"unit": "nope"}, "there is no such unit: nope, neither here nor among the loops that have run elsewhere; list_loops lists them"},
		{"get_status", map[string]any{"unit": ".."}, `".." cannot name a unit`},
		{"get_status", map[string]any{"unit": "a\x1b[2J\nb"}, "cannot name a unit"},
		{"get_status", map[string]any{"unit": strings.Repeat("x", 3000)}, "the argument unit has 3000 bytes"},
		{"get_status", map[string]any{"worktree": "/etc"}, "there is no such unit in /etc"},
		{"get_status", map[string]any{"unti": "x"}, `the arguments are wrong: there is no argument ["unti"]`},
		{"get_status", map[string]any{"unit": 7}, `the arguments are wrong: unit: type: 7 has type "integer", want "string"`},
		{"get_history", map[string]any{"last": nil}, `the arguments are wrong: last: type: `},
		{"get_history", map[string]any{"last": 0}, "the argument last must be from 1 to 500, not 0"},
		{"list_loops", map[string]any{"last": 501}, "the argument last must be from 1 to 500, not 501"},
		{"validate", map[string]any{"worktree": filepath.Dir(r.root)}, "there is no such unit in "},
		{"validate", map[string]any{"worktree": r.root, "unit": "feature-y"}, "there is no such unit in "},
		{"get_log", nil, "there is no run of feature-x yet, and no log"},
		{"get_log", map[string]any{"lines": -1}, "the argument lines is less than 0"},
		{"get_log", map[string]any{"iteration": -1}, "the argument iteration is less than 1"},
		{"start_loop", map[string]any{"maxIterations": 0}, "the argument maxIterations must be at least 1, not 0"},
		{"start_loop", map[string]any{"unit": "feature-z"}, "there is no such unit: feature-z"},
	} {
		answer, refused := c.call(tt.tool, tt.args)
		if !strings.Contains(refused, tt.want) || strings.ContainsAny(refused, "\n\x1b") || len(refused) > 8000 {
			t.Errorf("%s %v: %q %s; want %q", tt.tool, tt.args, refused, answer, tt.want)
		}
	}
	if _, err := c.session.CallTool(t.Context(), &mcp.CallToolParams{Name: "rm"}); err == nil || !strings.Contains(err.Error(), `unknown tool "rm"`) {
		t.Errorf("an unknown tool: %v", err)
	}
	if err := os.Remove(filepath.Join(r.root, ".ralph/feature-x/prd.json")); err != nil {
		t.Fatal(err)
	}
	if _, refused := c.call("get_plan", nil); !strings.HasSuffix(refused, "; the unit has no plan yet") {
		t.Errorf("without prd.json: %q", refused)
	}
	r.git("checkout", "-q", "--detach")
	if _, refused := c.call("start_loop", nil); !strings.Contains(refused, "Not on a branch") {
		t.Errorf("detached: %q", refused)
	}
}

// TestStatusBeforeTheFirstRun: the plan is known, and no run.
func TestStatusBeforeTheFirstRun(t *testing.T) {
	c := newRepo(t).client(nil)
	answer, refused := c.call("get_status", nil)
	status := answer.Get("status")
	if status.Get("plan").String() != "prd" || status.Get("storiesTotal").Int() != 1 ||
		status.Get("status").Type != gjson.Null || status.Get("alive").Bool() {
		t.Errorf("%s%s", answer, refused)
	}
}

// TestNothingStartsAgainstPreflight names each error that validate would show.
func TestNothingStartsAgainstPreflight(t *testing.T) {
	c := newRepo(t).client(func(o *Options) {
		o.Validate = func(context.Context, *unit.Place, Task) (preflight.Report, error) {
			return preflight.Report{Checks: []preflight.Condition{
				{Severity: preflight.Warn, Message: "a warning"},
				{Severity: preflight.Error, Message: "Files are missing:", Details: []preflight.Detail{{Text: "spec.md"}}},
				{Severity: preflight.Error, Message: "No agent"}}}, nil
		}
		o.Start = func(context.Context, *unit.Place, Task) (int, bool, error) {
			return 0, false, errors.New("it was started")
		}
	})
	if _, refused := c.call("start_loop", nil); refused != "the run cannot start: Files are missing, spec.md; No agent; the tool validate shows the details" {
		t.Error(refused)
	}
}

// TestALogIsBounded asks for a log that is ten times too long for a model.
func TestALogIsBounded(t *testing.T) {
	r := newRepo(t)
	r.ranOnce()
	c := r.client(nil)
	name := ".ralph/feature-x/logs/iteration-1.log"
	r.write(name, strings.Repeat("a line\n", 3<<20/2)+"the end\n")
	for _, tt := range []struct {
		args  map[string]any
		lines int
	}{{nil, 200}, {map[string]any{"lines": 7}, 7}, {map[string]any{"lines": 1 << 30}, maxText / len("a line\n")}} {
		answer, _ := c.call("get_log", tt.args)
		log := answer.Get("log").String()
		if n := strings.Count(log, "\n") + 1; n != tt.lines || !strings.HasSuffix(log, "the end") || answer.Get("all").Bool() {
			t.Errorf("%v: %d lines, ending with %q, all: %v", tt.args, n, log[max(0, len(log)-20):], answer.Get("all"))
		}
	}
	path := filepath.Join(r.root, name)
	if err := errors.Join(os.Remove(path), syscall.Mkfifo(path, 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, refused := c.call("get_log", nil); refused != "the log of iteration 1 cannot be read: it is not a plain file" {
		t.Errorf("a FIFO: %q", refused)
	}
}

// TestStartingIsNotOfferedByItself, and every tool is described.
func TestStartingIsNotOfferedByItself(t *testing.T) {
	tools, err := newRepo(t).client(nil).session.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, tool := range tools.Tools {
		names = append(names, tool.Name)
		if in, err := json.Marshal(tool.InputSchema); err != nil || strings.Contains(string(in), `"null"`) {
			t.Errorf("%s takes null: %s, %v", tool.Name, in, err)
		}
		if tool.InputSchema == nil || tool.OutputSchema == nil || tool.Description == "" {
			t.Errorf("%s is not described", tool.Name)
		}
	}
	slices.Sort(names)
	want := []string{"get_history", "get_log", "get_plan", "get_status", "list_loops", "stop_loop", "validate"}
	if diff := cmp.Diff(want, names); diff != "" {
		t.Error(diff)
	}
}
