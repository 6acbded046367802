package git

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestOpenFindsTheWorktree(t *testing.T) {
	isolate(t)
	base := realTemp(t)
	main := filepath.Join(base, "main tree")
	write(t, main, "sub/file", "x")
	git(t, main, "init", "--quiet")
	commit(t, main)
	linked := filepath.Join(base, "linked")
	git(t, main, "worktree", "add", "--quiet", linked)
	git(t, main, "submodule", "--quiet", "add", main, "module")

	dot := filepath.Join(main, ".git")
	tests := map[string]struct {
		dir  string
		want [3]string // root, git directory and common directory
	}{
		"root":         {main, [3]string{main, dot, dot}},
		"subdirectory": {filepath.Join(main, "sub"), [3]string{main, dot, dot}},
		"linked":       {linked, [3]string{linked, filepath.Join(dot, "worktrees", "linked"), dot}},
		"submodule": {filepath.Join(main, "module"), [3]string{filepath.Join(main, "module"),
			filepath.Join(dot, "modules", "module"), filepath.Join(dot, "modules", "module")}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := open(t, test.dir)
			if diff := cmp.Diff(test.want, [3]string{r.Root, r.GitDir, r.CommonDir}); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestOpenOutsideOfAWorktree(t *testing.T) {
	isolate(t)
	base := t.TempDir()
	t.Setenv("GIT_CEILING_DIRECTORIES", filepath.Dir(base))
	git(t, base, "init", "--quiet", "--bare", "bare.git")
	git(t, base, "init", "--quiet", "tree")
	write(t, base, "plain/file", "")
	for _, dir := range []string{"plain", "bare.git", "tree/.git", "tree/.git/refs"} {
		_, err := Open(t.Context(), filepath.Join(base, dir))
		if !errors.Is(err, ErrNotWorktree) {
			t.Errorf("Open(%s) = %v, want ErrNotWorktree", dir, err)
		}
	}
	if want := "Not inside a git worktree. Run from within a worktree directory."; ErrNotWorktree.Error() != want {
		t.Errorf("ErrNotWorktree says %q", ErrNotWorktree)
	}
}

func TestOpenPassesOnWhatGitSays(t *testing.T) {
	isolate(t)
	base := t.TempDir()
	write(t, base, "moved/.git", "gitdir: /nowhere/at/all\n")
	git(t, base, "init", "--quiet", "strange")
	t.Run("repository gone", func(t *testing.T) {
		_, err := Open(t.Context(), filepath.Join(base, "moved"))
		if err == nil || !strings.Contains(err.Error(), "/nowhere/at/all") {
			t.Errorf("error %v does not name the lost repository", err)
		}
	})
	t.Run("dubious ownership", func(t *testing.T) {
		t.Setenv("GIT_TEST_ASSUME_DIFFERENT_OWNER", "1")
		_, err := Open(t.Context(), filepath.Join(base, "strange"))
		if err == nil || !strings.Contains(err.Error(), "run: git config --global --add safe.directory '/") {
			t.Errorf("error %v does not tell of the ownership", err)
		}
	})
	t.Run("no directory", func(t *testing.T) {
		if _, err := Open(t.Context(), filepath.Join(base, "none")); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("error = %v", err)
		}
	})
}

func TestEnvironmentOfAHookIsIgnored(t *testing.T) {
	repo := newRepo(t)
	t.Setenv("GIT_DIR", "/nowhere")
	t.Setenv("GIT_WORK_TREE", "/nowhere")
	t.Setenv("GIT_INDEX_FILE", "/nowhere/index")
	t.Setenv("GIT_LITERAL_PATHSPECS", "1")
	t.Setenv("LC_ALL", "de_DE.UTF-8")
	if got := open(t, repo.Root); got.Root != repo.Root || got.GitDir != repo.GitDir || got.CommonDir != repo.CommonDir {
		t.Errorf("%+v, want %+v", got, repo)
	}
	if changes, err := repo.Status(t.Context()); err != nil || len(changes) != 0 {
		t.Errorf("Status = %v, %v", changes, err)
	}
}

// A repository's own settings may name programs; no call may start one.
func TestHostileSettingsRunNothing(t *testing.T) {
	repo := newRepo(t)
	trap := filepath.Join(t.TempDir(), "trap")
	ran := trap + ".ran"
	write(t, filepath.Dir(trap), "trap", "#!/bin/sh\ntouch "+ran+"\n")
	if err := os.Chmod(trap, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, key := range []string{"core.fsmonitor", "core.pager", "pager.status", "pager.rev-list", "diff.external", "core.editor"} {
		git(t, repo.Root, "config", key, trap)
	}
	git(t, repo.Root, "config", "alias.status", "!"+trap)
	git(t, repo.Root, "config", "status.branch", "true")
	git(t, repo.Root, "config", "status.relativePaths", "true")
	git(t, repo.Root, "config", "color.ui", "always")
	write(t, repo.GitDir, "hooks/post-checkout", read(t, trap))
	if err := os.Chmod(filepath.Join(repo.GitDir, "hooks/post-checkout"), 0o755); err != nil {
		t.Fatal(err)
	}
	write(t, repo.Root, "a", "two\n")

	ctx := t.Context()
	changes, err := repo.Status(ctx)
	if diff := cmp.Diff([]StatusEntry{{"a", ".M"}}, changes); err != nil || diff != "" {
		t.Error(err, diff)
	}
	head, err := repo.Head(ctx)
	if err != nil {
		t.Fatal(err)
	}
	clean := filepath.Join(t.TempDir(), "clean")
	if err := repo.Export(ctx, clean, head.Commit); err != nil {
		t.Error(err)
	}
	if err := repo.Notes().Append(ctx, head.Commit, "text\n"); err != nil {
		t.Error(err)
	}
	if _, err := repo.ChangedPaths(ctx, "", head.Commit); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(ran); err == nil {
		t.Error("a program named in the repository's settings has run")
	}
}

func TestErrorHoldsArgumentsAndReason(t *testing.T) {
	repo := newRepo(t)
	_, err := repo.Commits(t.Context(), "", strings.Repeat("0", 40))
	var failed *Error
	if !errors.As(err, &failed) || failed.ExitCode != 128 || failed.Args[0] != "rev-list" ||
		!strings.HasPrefix(failed.Stderr, "fatal: ") {
		t.Errorf("error = %#v", err)
	}
}

func TestOptionsAreNoRevisions(t *testing.T) {
	repo := newRepo(t)
	for _, rev := range []string{"", "--all", "-x", "a..b", "^main"} {
		if _, err := repo.Commit(t.Context(), rev); err == nil {
			t.Errorf("Commit(%q) was answered", rev)
		}
		if _, err := repo.IsAncestor(t.Context(), rev, "HEAD"); err == nil {
			t.Errorf("IsAncestor(%q) was answered", rev)
		}
	}
}

func TestContextEndsGitAndItsChildren(t *testing.T) {
	repo := newRepo(t)
	fifo := filepath.Join(t.TempDir(), "started")
	mkfifo(t, fifo)
	// A content filter is a child of git; this one never comes to an end.
	git(t, repo.Root, "config", "filter.slow.clean", "echo > '"+fifo+"'; exec sleep 1000")
	write(t, repo.Root, ".gitattributes", "a filter=slow\n")
	write(t, repo.Root, "a", "two\n")
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan error, 1)
	go func() {
		_, err := call{dir: repo.Root}.run(ctx, "status") // without what keeps filters off
		done <- err
	}()
	read(t, fifo) // returns when the filter is running
	cancel()
	if err := <-done; !errors.Is(err, context.Canceled) {
		t.Errorf("Status = %v, want context.Canceled", err)
	}
}
