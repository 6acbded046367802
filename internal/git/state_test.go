package git

import (
	"os/exec"
	"path/filepath"
	"testing"
)

// conflict makes operation stop half-way, over two edits of the file a.
func conflict(t *testing.T, repo *Repo, operation string) {
	t.Helper()
	git(t, repo.Root, "switch", "--quiet", "--create", "theirs")
	write(t, repo.Root, "a", "theirs\n")
	theirs := commit(t, repo.Root)
	git(t, repo.Root, "switch", "--quiet", "main")
	write(t, repo.Root, "a", "ours\n")
	commit(t, repo.Root)
	args := map[string][]string{
		"merge": {"merge", theirs}, "rebase": {"rebase", theirs}, "cherry-pick": {"cherry-pick", theirs},
		"revert": {"revert", "--no-edit", "HEAD~1"},
	}[operation]
	cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
	cmd.Dir = repo.Root
	if out, err := cmd.CombinedOutput(); err == nil {
		t.Fatalf("git %v found no conflict: %s", args, out)
	}
}

func TestInProgress(t *testing.T) {
	for _, operation := range []string{"merge", "rebase", "cherry-pick"} {
		t.Run(operation, func(t *testing.T) {
			repo := newRepo(t)
			if got := repo.InProgress(); got != "" {
				t.Errorf("InProgress = %q in a fresh repository", got)
			}
			conflict(t, repo, operation)
			if got := repo.InProgress(); got != operation {
				t.Errorf("InProgress = %q, want %q", got, operation)
			}
			git(t, repo.Root, operation, "--abort")
			if got := repo.InProgress(); got != "" {
				t.Errorf("InProgress = %q after --abort", got)
			}
		})
	}
	t.Run("bisect", func(t *testing.T) {
		repo := newRepo(t)
		git(t, repo.Root, "bisect", "start")
		if got := repo.InProgress(); got != "bisect" {
			t.Errorf("InProgress = %q", got)
		}
	})
	t.Run("in another worktree", func(t *testing.T) {
		repo := newRepo(t)
		dir := filepath.Join(t.TempDir(), "other")
		git(t, repo.Root, "worktree", "add", "--quiet", "-b", "other", dir)
		conflict(t, repo, "merge")
		if got := open(t, dir).InProgress(); got != "" {
			t.Errorf("InProgress = %q, but it is the main worktree's", got)
		}
	})
}
