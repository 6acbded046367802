package git

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const added = excludeTitle + "\n/.claude/loop-state.json\nlogs/\n"

func TestExcludeKeepsWhatIsThere(t *testing.T) {
	tests := map[string]struct{ before, after string }{
		"empty":      {"", added},
		"own lines":  {"*.o\n# mine\n", "*.o\n# mine\n" + added},
		"no newline": {"*.o", "*.o\n" + added},
		"windows":    {"*.o\r\n", "*.o\r\n" + added},
		"already":    {"x\n" + added + "y", "x\n" + added + "y"},
		"some": {"x\n/.claude/loop-state.json\n# ralph: end\n",
			"x\n/.claude/loop-state.json\n# ralph: end\n" + excludeTitle + "\nlogs/\n"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			repo := newRepo(t)
			write(t, repo.CommonDir, "info/exclude", test.before)
			for range 2 {
				if err := repo.Exclude("/.claude/loop-state.json", "logs/"); err != nil {
					t.Fatal(err)
				}
				got := read(t, filepath.Join(repo.CommonDir, "info/exclude"))
				if diff := cmp.Diff(test.after, got); diff != "" {
					t.Error(diff)
				}
			}
		})
	}
}

func TestExcludeWorksInAllWorktrees(t *testing.T) {
	repo := newRepo(t)
	dir := filepath.Join(t.TempDir(), "linked")
	git(t, repo.Root, "worktree", "add", "--quiet", "-b", "other", dir)
	if err := os.RemoveAll(filepath.Join(repo.CommonDir, "info")); err != nil {
		t.Fatal(err)
	}
	linked := open(t, dir)
	if err := linked.Exclude("/derived", "a"); err != nil {
		t.Fatal(err)
	}
	for _, in := range []*Repo{repo, linked} {
		write(t, in.Root, "derived", "x")
		write(t, in.Root, "a", "tracked, so still seen\n")
		got, err := in.Status(t.Context())
		if diff := cmp.Diff([]StatusEntry{{"a", ".M"}}, got); err != nil || diff != "" {
			t.Error(err, diff)
		}
	}
}

func TestExcludeFollowsALink(t *testing.T) {
	repo := newRepo(t)
	shared := filepath.Join(t.TempDir(), "shared")
	write(t, filepath.Dir(shared), "shared", "*.o\n")
	file := filepath.Join(repo.CommonDir, "info/exclude")
	write(t, repo.CommonDir, "info/exclude", "")
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(shared, file); err != nil {
		t.Fatal(err)
	}
	if err := repo.Exclude("x"); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Lstat(file); err != nil || info.Mode()&os.ModeSymlink == 0 {
		t.Error("the link was replaced")
	}
	if got := read(t, shared); got != "*.o\n"+excludeTitle+"\nx\n" {
		t.Errorf("the shared file holds %q", got)
	}
}
