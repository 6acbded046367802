package repo

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"ralph/fleet/internal/feature"
)

// git runs git for a test.
func git(t *testing.T, dir string, args ...string) string {
	t.Helper()
	cmd := exec.Command("git", args...)
	cmd.Dir = dir
	cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=a@example.com", "GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=a@example.com")
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

func put(t *testing.T, dir, name, content string) {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// remote is a bare repository with a branch that has a plan and one that has none.
func remote(t *testing.T) (bare, seed string) {
	t.Helper()
	dir := t.TempDir()
	bare, seed = filepath.Join(dir, "shop.git"), filepath.Join(dir, "seed")
	git(t, dir, "init", "--quiet", "--bare", bare)
	git(t, dir, "init", "--quiet", "--initial-branch=main", seed)
	put(t, seed, "a.txt", "a\n")
	git(t, seed, "add", ".")
	git(t, seed, "commit", "--quiet", "-m", "init")
	git(t, seed, "switch", "--quiet", "-c", "feature/x")
	put(t, seed, ".ralph/feature-x/prd.json", "{}\n")
	git(t, seed, "add", ".")
	git(t, seed, "commit", "--quiet", "-m", "plan")
	git(t, seed, "push", "--quiet", bare, "--all")
	return bare, seed
}

// workspaces are those of the hosts of a test, by their folders.
var workspaces sync.Map

func workspace(t *testing.T, bare, host string) *Workspace {
	t.Helper()
	dir := filepath.Join(filepath.Dir(bare), "ws-"+host)
	w, err := OpenWorkspace(dir)
	if err != nil {
		t.Fatal(err)
	}
	known, _ := workspaces.LoadOrStore(dir, w)
	return known.(*Workspace)
}

func claim(t *testing.T, bare string, turn int, host string) (*Tree, error) {
	t.Helper()
	return workspace(t, bare, host).Claim(t.Context(), feature.Turn{Submission: feature.Submission{Repo: bare, Branch: "feature/x"}, Ordinal: feature.Ordinal{Epoch: 1, Turn: turn}}, host)
}

func mustClaim(t *testing.T, bare string, turn int, host string) *Tree {
	t.Helper()
	tree, err := claim(t, bare, turn, host)
	if err != nil {
		t.Fatal(err)
	}
	return tree
}

func take(t *testing.T, tree *Tree) Snapshot {
	t.Helper()
	r := tree.Record
	r.Unit, r.Spent.Iterations = "feature-x", r.Spent.Iterations+1
	s, err := tree.Take(t.Context(), r)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestTheNextHostGoesOn(t *testing.T) {
	bare, _ := remote(t)
	a := mustClaim(t, bare, 1, "a")
	put(t, a.Dir, "done.txt", "committed\n")
	git(t, a.Dir, "add", ".")
	git(t, a.Dir, "commit", "--quiet", "-m", "feat: done")
	put(t, a.Dir, ".ralph/feature-x/prd.json", `{"passes":true}`)
	put(t, a.Dir, "half.txt", "not committed\n")
	if err := os.Remove(filepath.Join(a.Dir, "a.txt")); err != nil {
		t.Fatal(err)
	}
	put(t, filepath.Dir(a.JournalFile("feature-x")), "journal.jsonl", "{\"type\":\"run_started\"}\n")
	before := git(t, a.Dir, "status", "--porcelain")
	if err := a.Push(t.Context(), take(t, a)); err != nil {
		t.Fatal(err)
	}
	if after := git(t, a.Dir, "status", "--porcelain"); after != before {
		t.Errorf("a snapshot changes the index: %q, before %q", after, before)
	}
	b := mustClaim(t, bare, 2, "b")
	if b.Record.Spent.Iterations != 1 || b.Record.Host != "b" {
		t.Errorf("%+v", b.Record)
	}
	for name, want := range map[string]string{"done.txt": "committed\n", "half.txt": "not committed\n", ".ralph/feature-x/prd.json": `{"passes":true}`} {
		if got, _ := os.ReadFile(filepath.Join(b.Dir, name)); string(got) != want {
			t.Errorf("%s holds %q", name, got)
		}
	}
	if _, err := os.Stat(filepath.Join(b.Dir, "a.txt")); err == nil {
		t.Error("a file that was removed is back")
	}
	if got, _ := os.ReadFile(b.JournalFile("feature-x")); string(got) != "{\"type\":\"run_started\"}\n" {
		t.Errorf("the journal holds %q", got)
	}
	if err := b.CommitPlan(t.Context(), "feature-x", ""); err != nil {
		t.Fatal(err)
	}
	if got := git(t, b.Dir, "show", "--name-only", "--format=%an %s", "HEAD"); got != "ralph-fleet ralph: the plan of feature-x\n\n.ralph/feature-x/prd.json" {
		t.Errorf("the plan's commit is %q", got)
	}
	r, journal, err := Look(t.Context(), bare, "feature/x")
	if err != nil || r.Host != "b" || len(journal) == 0 {
		t.Errorf("Look = %+v, %q, %v", r, journal, err)
	}
}

func TestLateHostIsRefused(t *testing.T) {
	bare, _ := remote(t)
	a := mustClaim(t, bare, 1, "a")
	b := mustClaim(t, bare, 2, "b")
	put(t, a.Dir, "late.txt", "late\n")
	git(t, a.Dir, "add", ".")
	git(t, a.Dir, "commit", "--quiet", "-m", "late")
	late := take(t, a)
	if err := a.Push(t.Context(), late); !errors.Is(err, ErrOusted) || !IsRefusal(err) {
		t.Errorf("Push = %v", err)
	}
	ref, err := a.Keep(t.Context(), late)
	if err != nil || git(t, bare, "show", ref+":work/late.txt") != "late" {
		t.Errorf("Keep = %q, %v", ref, err)
	}
	if log := git(t, bare, "log", "--format=%s", "feature/x"); strings.Contains(log, "late") {
		t.Errorf("the branch has the late commit:\n%s", log)
	}
	// A turn that was delivered late does not take the feature back.
	if _, err := claim(t, bare, 1, "c"); !errors.Is(err, ErrOusted) {
		t.Errorf("Claim = %v", err)
	}
	if err := b.Push(t.Context(), take(t, b)); err != nil {
		t.Error(err)
	}
}

func TestBranchThatAPersonMoved(t *testing.T) {
	bare, seed := remote(t)
	a := mustClaim(t, bare, 1, "a")
	put(t, a.Dir, "mine.txt", "mine\n")
	git(t, a.Dir, "add", ".")
	git(t, a.Dir, "commit", "--quiet", "-m", "mine")
	put(t, seed, "theirs.txt", "theirs\n")
	git(t, seed, "add", ".")
	git(t, seed, "commit", "--quiet", "-m", "theirs")
	git(t, seed, "push", "--quiet", bare, "feature/x")
	var moved *MovedError
	if err := a.Push(t.Context(), take(t, a)); !errors.As(err, &moved) || !IsRefusal(err) {
		t.Errorf("Push = %v", err)
	}
	if log := git(t, bare, "log", "--format=%s", "feature/x"); !strings.Contains(log, "theirs") {
		t.Errorf("the person's commit is gone:\n%s", log)
	}
	b := mustClaim(t, bare, 2, "b")
	if _, err := os.Stat(filepath.Join(b.Dir, "theirs.txt")); err != nil {
		t.Error(err)
	}
}

func TestPushWhoseAnswerWasLost(t *testing.T) {
	bare, _ := remote(t)
	a := mustClaim(t, bare, 1, "a")
	s := take(t, a)
	git(t, a.Dir, "push", "--quiet", bare, s.commit+":"+stateRef("feature/x")) // it went through, and no one knows
	if err := a.Push(t.Context(), s); err != nil {
		t.Errorf("Push = %v", err)
	}
}

func TestBranches(t *testing.T) {
	bare, _ := remote(t)
	if got, err := Branches(t.Context(), bare, nil, true); err != nil || strings.Join(got, " ") != "feature/x" {
		t.Errorf("all with a plan: %q, %v", got, err)
	}
	for want, names := range map[string][]string{"has no plan": {"main"}, "has no branch other": {"feature/x", "other"}} {
		if _, err := Branches(t.Context(), bare, names, true); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", names, err, want)
		}
	}
	if got, err := Branches(t.Context(), bare, []string{"main"}, false); err != nil || len(got) != 1 {
		t.Errorf("without a plan: %q, %v", got, err)
	}
	var trouble *TroubleError
	if _, err := Branches(t.Context(), filepath.Join(bare, "none"), nil, true); !errors.As(err, &trouble) {
		t.Errorf("no repository: %v", err)
	}
}

// Hosts write receipts next to each other, and on the same commit too.
func TestReceiptsOfAllHosts(t *testing.T) {
	bare, seed := remote(t)
	a, b := mustClaim(t, bare, 1, "a"), mustClaim(t, bare, 2, "b")
	if err := a.PushReceipts(t.Context()); err != nil || git(t, bare, "for-each-ref", receiptsRef) != "" {
		t.Errorf("without any: %v", err)
	}
	tip := git(t, seed, "rev-parse", "feature/x")
	note := func(tree *Tree, commit, text string) {
		git(t, tree.Dir, "notes", "--ref=ralph", "append", "-m", text, commit)
		if err := tree.PushReceipts(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	note(a, tip, `{"story":"1"}`)
	note(b, tip, `{"story":"2"}`)
	note(b, tip+"~1", `{"story":"3"}`)
	note(a, tip, `{"story":"4"}`)
	git(t, seed, "fetch", "--quiet", bare, receiptsRef+":"+receiptsRef)
	want := "{\"story\":\"1\"}\n{\"story\":\"2\"}\n{\"story\":\"4\"}"
	if got := git(t, seed, "notes", "--ref=ralph", "show", tip); got != want {
		t.Errorf("the commit of both has %q", got)
	}
	if got := git(t, seed, "notes", "--ref=ralph", "show", tip+"~1"); got != `{"story":"3"}` {
		t.Errorf("the commit of one has %q", got)
	}
	if got := git(t, a.Dir, "notes", "--ref=ralph", "show", tip); strings.Contains(got, `"2"`) {
		t.Errorf("the notes that ralph writes to are changed too: %q", got)
	}
}
