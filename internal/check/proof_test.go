package check

import (
	"bytes"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ralph/internal/git"
	"ralph/internal/journal"
)

// newRepo is a repository with one commit of the file a, a temporary directory for
// clean worktrees, and a state directory.
func newRepo(t *testing.T) (repo *git.Repo, commit, temp, state string) {
	t.Helper()
	for _, kv := range [][2]string{{"GIT_CONFIG_GLOBAL", os.DevNull}, {"GIT_CONFIG_SYSTEM", os.DevNull}, {"HOME", t.TempDir()}} {
		t.Setenv(kv[0], kv[1])
	}
	temp, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	root := filepath.Join(t.TempDir(), "-a project")
	write(t, filepath.Join(root, "a"), "one\n")
	write(t, filepath.Join(root, ".gitignore"), "*.out\n")
	command(t, root, "git", "init", "-q")
	command(t, root, "git", "add", "-A")
	command(t, root, "git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "x")
	repo, err = git.Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	head, err := repo.Head(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return repo, head.Commit, temp, t.TempDir()
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
}

func command(t *testing.T, dir string, argv ...string) string {
	t.Helper()
	cmd := exec.Command(argv[0], argv[1:]...)
	cmd.Dir = dir
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %v\n%s", argv, err, out)
	}
	return strings.TrimSpace(string(out))
}

// nothingLeft wants neither a folder nor a record nor a worktree.
func nothingLeft(t *testing.T, repo *git.Repo, temp, state string) {
	t.Helper()
	for _, dir := range []string{temp, state} {
		files, err := os.ReadDir(dir)
		if err != nil || len(files) > 0 {
			t.Errorf("%s holds %v, %v", dir, files, err)
		}
	}
	if list := command(t, repo.Root, "git", "worktree", "list"); strings.Contains(list, "\n") {
		t.Errorf("worktrees are left:\n%s", list)
	}
}

// TestClean runs checks in a clean worktree that do everything to stay there.
func TestClean(t *testing.T) {
	repo, commit, temp, state := newRepo(t)
	g, _ := guardian(t)
	write(t, filepath.Join(repo.Root, "untracked"), "")
	write(t, filepath.Join(repo.Root, "built.out"), "")
	write(t, filepath.Join(repo.Root, "a"), "two\n")
	hook := filepath.Join(repo.GitDir, "hooks", "post-checkout")
	write(t, hook, "#!/bin/sh\ntouch '"+repo.Root+"/hooked'\n")
	if err := os.Chmod(hook, 0o755); err != nil {
		t.Fatal(err)
	}
	index, err := os.ReadFile(filepath.Join(repo.GitDir, "index"))
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ name, command string }{
		{"is clean", `test "$(cat a)" = one && test ! -e untracked && test ! -e built.out && test -z "$(git status --porcelain --ignored)"`},
		{"has the project's name", `test "$(basename "$PWD")" = "-a project" && test "$PWD" = "$(pwd -P)" && test "$(git rev-parse HEAD)" = ` + commit},
		{"is no path that test runners skip", `case "$PWD" in */.*) exit 1;; esac`},
		{"leaves files", "touch left built.out && mkdir -p deep/er && touch deep/er/x && chmod 500 deep deep/er"},
		{"makes a repository of it", "rm -rf .git && git init -q"},
		{"removes it", `rm -rf "$PWD"`},
	} {
		t.Run(c.name, func(t *testing.T) {
			clean, err := NewCleanWorktree(t.Context(), repo, commit, state)
			if err != nil {
				t.Fatal(err)
			}
			dir, err := clean.Dir(t.Context())
			if err != nil {
				t.Fatal(err)
			}
			r, err := Run(t.Context(), g, Check{Name: "x", Command: c.command, Timeout: time.Minute}, dir, os.Environ())
			if err != nil || !r.Green() {
				t.Errorf("%v, %v: %s", r, err, r.Tail)
			}
			if err := clean.Remove(); err != nil {
				t.Error(err)
			}
			nothingLeft(t, repo, temp, state)
		})
	}
	if now, err := os.ReadFile(filepath.Join(repo.GitDir, "index")); err != nil || !bytes.Equal(now, index) {
		t.Error("the index has changed")
	}
	if _, err := os.Stat(filepath.Join(repo.Root, "hooked")); err == nil {
		t.Error("a hook has run")
	}
}

// TestCleanThatIsNotNeeded is as cheap as a folder: most results may be known.
func TestCleanThatIsNotNeeded(t *testing.T) {
	repo, commit, temp, state := newRepo(t)
	clean, err := NewCleanWorktree(t.Context(), repo, commit, state)
	if err != nil {
		t.Fatal(err)
	}
	if want := command(t, repo.Root, "git", "rev-parse", commit+"^{tree}"); clean.Tree != want {
		t.Errorf("tree %s, want %s", clean.Tree, want)
	}
	if _, err := os.Stat(filepath.Join(repo.GitDir, "worktrees")); err == nil {
		t.Error("a worktree was made")
	}
	if err := clean.Remove(); err != nil {
		t.Error(err)
	}
	nothingLeft(t, repo, temp, state)
}

func TestCleanThatCannotBeCheckedOut(t *testing.T) {
	repo, _, temp, state := newRepo(t)
	write(t, filepath.Join(repo.Root, "big"), "pointer\n")
	command(t, repo.Root, "git", "add", "-A")
	command(t, repo.Root, "git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "big")
	blob := command(t, repo.Root, "git", "rev-parse", "HEAD:big")
	if err := os.Remove(filepath.Join(repo.GitDir, "objects", blob[:2], blob[2:])); err != nil {
		t.Fatal(err)
	}
	head := command(t, repo.Root, "git", "rev-parse", "HEAD")
	clean, err := NewCleanWorktree(t.Context(), repo, head, state)
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		_, err := clean.Dir(t.Context())
		var none *CheckoutError
		if !errors.As(err, &none) || !strings.HasSuffix(err.Error(), "cannot be made: error: unable to read sha1 file of big ("+blob+")") {
			t.Errorf("%v", err)
		}
	}
	if err := clean.Remove(); err != nil {
		t.Error(err)
	}
	nothingLeft(t, repo, temp, state)
}

// TestSweep removes the clean worktrees of a dead process, and nothing else.
func TestSweep(t *testing.T) {
	repo, commit, temp, state := newRepo(t)
	for range 2 {
		clean, err := NewCleanWorktree(t.Context(), repo, commit, state)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := clean.Dir(t.Context()); err != nil {
			t.Fatal(err)
		}
	}
	gone, err := NewCleanWorktree(t.Context(), repo, commit, state)
	if err != nil {
		t.Fatal(err)
	}
	dir, err := gone.Dir(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Dir(dir)); err != nil { // as a reboot does
		t.Fatal(err)
	}
	if err := Sweep(state); err != nil {
		t.Error(err)
	}
	nothingLeft(t, repo, temp, state)
	if err := Sweep(filepath.Join(state, "nowhere")); err != nil {
		t.Error(err)
	}

	// An agent can write records too.
	mine := filepath.Join(t.TempDir(), "mine")
	write(t, filepath.Join(mine, "file"), "")
	link := filepath.Join(t.TempDir(), folderPrefix+"link")
	if err := os.Symlink(mine, link); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{"1": mine, "2": link, "3": repo.Root, "4": "", "5": filepath.Base(link)} {
		write(t, filepath.Join(state, folderPrefix+name), path+"\n")
	}
	if err := Sweep(state); err != nil {
		t.Error(err)
	}
	for _, path := range []string{filepath.Join(mine, "file"), filepath.Join(repo.Root, "a")} {
		if _, err := os.Stat(path); err != nil {
			t.Error(err)
		}
	}
}

func TestRemoveAfterTheEndOfTheRun(t *testing.T) {
	repo, commit, temp, state := newRepo(t)
	ctx, cancel := context.WithCancel(t.Context())
	clean, err := NewCleanWorktree(ctx, repo, commit, state)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := clean.Dir(ctx); err != nil {
		t.Fatal(err)
	}
	cancel()
	if err := clean.Remove(); err != nil {
		t.Error(err)
	}
	nothingLeft(t, repo, temp, state)
}

func TestResults(t *testing.T) {
	var rs Results
	c := Check{Name: "unit", Command: "make test"}
	clean, dirty := On{Tree: "t1", Clean: true}, On{Tree: "t1"}
	if _, ok := rs.Find(c, clean); ok {
		t.Error("a result is known before there was any")
	}
	rs.Keep(Result{Check: c, Outcome: journal.CheckPassed, Tail: "fine"}, clean)
	rs.Keep(Result{Check: c, Outcome: journal.CheckInterrupted}, On{Tree: "t2", Clean: true})
	rs.Keep(Result{Check: c, Outcome: journal.CheckPassed}, On{})
	rs.Keep(Result{Check: c, Outcome: journal.CheckFailed}, dirty)
	other := c
	other.Command = "make"
	for _, q := range []struct {
		c    Check
		on   On
		want journal.CheckOutcome
	}{
		{c, clean, journal.CheckPassed}, {c, dirty, journal.CheckFailed}, {c, On{Tree: "t2", Clean: true}, ""}, {c, On{}, ""}, {other, clean, ""},
		{c, On{Tree: "t1", Plan: "another", Clean: true}, ""},
	} {
		r, ok := rs.Find(q.c, q.on)
		if !ok {
			r.Outcome = ""
		}
		if r.Outcome != q.want {
			t.Errorf("%v on %+v: %q, want %q", q.c, q.on, r.Outcome, q.want)
		}
	}
	rs.Forget("t1")
	if _, ok := rs.Find(c, dirty); ok {
		t.Error("a result was not forgotten")
	}
	if _, ok := rs.Find(c, clean); !ok {
		t.Error("what is clean cannot have been changed")
	}
}

// TestRunKillsItsGuardian lets a check kill the process that started it: that is a
// failure of the check, not of the run.
func TestRunKillsItsGuardian(t *testing.T) {
	g, token := lone(t)
	r, err := Run(t.Context(), g, Check{Name: "x", Command: "sleep 600 & kill -9 $PPID; sleep 600", Timeout: time.Minute}, t.TempDir(), os.Environ())
	if err != nil || r.Outcome != journal.CheckFailed || !strings.Contains(r.Tail, "was killed while this one ran") {
		t.Errorf("%v, %v: %q", r, err, r.Tail)
	}
	alone(t, token)
}
