package tamper

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"github.com/rogpeppe/go-internal/txtar"
)

// TestInspect goes through changes of small projects: the files below "before" are committed
// and replaced with those below "after". Each line of "want" is a path, a line and a rule;
// it is empty for honest changes.
func TestInspect(t *testing.T) {
	cases, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(cases) == 0 {
		t.Fatal("no cases", err)
	}
	for _, path := range cases {
		t.Run(strings.TrimSuffix(filepath.Base(path), ".txtar"), func(t *testing.T) {
			t.Parallel()
			a, err := txtar.ParseFile(path)
			if err != nil {
				t.Fatal(err)
			}
			in, want := change(t, a)
			var got []string
			for _, f := range Inspect(in) {
				got = append(got, fmt.Sprintf("%s:%d %s", f.Path, f.Line, f.Rule))
			}
			if diff := cmp.Diff(want, got, cmpopts.EquateEmpty()); diff != "" {
				t.Errorf("%s%s\n%s", a.Comment, diff, in.Diff)
			}
		})
	}
}

// change makes the change of an archive in a repository, and asks git for it.
func change(t *testing.T, a *txtar.Archive) (in Input, want []string) {
	t.Helper()
	in.Root = t.TempDir()
	git := func(args ...string) string {
		cmd := exec.Command("git", append([]string{"-c", "user.name=A", "-c", "user.email=a@example.org"}, args...)...)
		cmd.Dir, cmd.Env = in.Root, append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_CONFIG_SYSTEM=/dev/null")
		out, err := cmd.CombinedOutput()
		if err != nil {
			t.Fatalf("git %s: %v\n%s", args, err, out)
		}
		return string(out)
	}
	git("init", "-q")
	extract(t, a, in.Root, "before/")
	git("add", "-A")
	git("commit", "-q", "-m", "before")
	git("rm", "-q", "-r", ".")
	extract(t, a, in.Root, "after/")
	git("add", "-A")
	in.Diff = git("diff", "--unified=0", "--find-renames", "--diff-algorithm=histogram", "HEAD")
	for _, f := range a.Files {
		if f.Name == "want" {
			want = strings.FieldsFunc(string(f.Data), func(r rune) bool { return r == '\n' })
		}
	}
	return in, want
}

func extract(t *testing.T, a *txtar.Archive, root, prefix string) {
	t.Helper()
	for _, f := range a.Files {
		name, ok := strings.CutPrefix(f.Name, prefix)
		if !ok {
			continue
		}
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, f.Data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
}
