package git

import (
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

const block = excludeBegin + "\n/.claude/loop-state.json\nlogs/\n" + excludeEnd + "\n"

func TestExcludeKeepsWhatIsThere(t *testing.T) {
	tests := map[string]struct{ before, after string }{
		"empty":           {"", block},
		"own lines":       {"*.o\n# mine\n", "*.o\n# mine\n" + block},
		"no newline":      {"*.o", "*.o\n" + block},
		"windows":         {"*.o\r\n", "*.o\r\n" + block},
		"already":         {"x\n" + block + "y", "x\n" + block + "y"},
		"older block":     {"x\n" + excludeBegin + "\n/.claude/loop-state.json\n" + excludeEnd + "\ny\n", "x\n" + block + "y\n"},
		"block cut short": {excludeBegin + "\nx\n", excludeBegin + "\nx\n" + block},
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
		if diff := cmp.Diff([]Change{{"a", ".M"}}, got); err != nil || diff != "" {
			t.Error(err, diff)
		}
	}
}

// What a writer left that died is removed by the next one, and nothing else.
func TestExcludeLeavesNothingHalfWritten(t *testing.T) {
	repo := newRepo(t)
	old, young := filepath.Join(repo.CommonDir, "info/.exclude4711"), filepath.Join(repo.CommonDir, "info/.exclude4712")
	for path, age := range map[string]time.Duration{old: time.Hour, young: 0} {
		write(t, repo.CommonDir, "info/"+filepath.Base(path), "x")
		when := time.Now().Add(-age)
		if err := os.Chtimes(path, when, when); err != nil {
			t.Fatal(err)
		}
	}
	if err := repo.Exclude("/derived"); err != nil {
		t.Fatal(err)
	}
	if _, err := os.Stat(old); err == nil {
		t.Error("what a dead writer left is still there")
	}
	if _, err := os.Stat(young); err != nil {
		t.Errorf("what another loop may be writing: %v", err)
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
	if got := read(t, shared); got != "*.o\n"+excludeBegin+"\nx\n"+excludeEnd+"\n" {
		t.Errorf("the shared file holds %q", got)
	}
}
