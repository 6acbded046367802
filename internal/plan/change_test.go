package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/change"
	"ralph/internal/plan"
)

const changeFolder = ".ito/changes/002-01_add-x"

// theChange is a change with these files.
func theChange(t *testing.T, files map[string]string) *plan.Change {
	t.Helper()
	all := map[string]string{}
	for name, text := range files {
		all[changeFolder+"/"+name] = text
	}
	return &plan.Change{Root: write(t, all), Of: change.New("002-01_add-x", changeFolder)}
}

func TestChangeConclusion(t *testing.T) {
	for _, c := range []struct {
		name, tasks     string
		promised, trust bool
		want            plan.Conclusion
	}{
		{"all ticked is not done without the promise", "- [x] a\n", false, false, plan.Conclusion{Reason: "promise"}},
		{"all ticked and the promise", "- [x] a\n", true, false, plan.Conclusion{Done: true, Reason: "promise"}},
		{"a promise with an open task is a claim", "- [x] a\n- [ ] b\n", true, false, plan.Conclusion{Refused: "1 task is still open in tasks.md"}},
		{"one that was started is open", "- [~] a\n", true, false, plan.Conclusion{Refused: "1 task is still open in tasks.md"}},
		{"a trusted promise", "- [ ] a\n", true, true, plan.Conclusion{Done: true, Reason: "promise"}},
		{"no tasks at all", "", true, false, plan.Conclusion{Done: true, Reason: "promise"}},
		{"a task that was put off", "- [-] a\n", true, false, plan.Conclusion{Refused: "1 task is still open in tasks.md"}},
		{"only questions left", "- [x] a\n- [?] b\n", true, false, plan.Conclusion{Waiting: true}},
		{"boxes in a fence", "```\n- [ ] a\n```\n", true, false, plan.Conclusion{Done: true, Reason: "promise"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := theChange(t, map[string]string{"proposal.md": "# X\n", "tasks.md": c.tasks})
			s, err := p.Read()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, p.Conclusion(s, c.promised, c.trust)); diff != "" {
				t.Errorf("conclusion (-want +got):\n%s", diff)
			}
		})
	}
}

func TestChangeReadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		harm func(p *plan.Change) error
		want string
	}{
		"no proposal": {func(p *plan.Change) error { return os.Remove(filepath.Join(p.Root, changeFolder, "proposal.md")) },
			"the change 002-01_add-x has no proposal: " + changeFolder + "/proposal.md does not exist"},
		"huge tasks": {func(p *plan.Change) error {
			return os.WriteFile(filepath.Join(p.Root, changeFolder, "tasks.md"), make([]byte, 50<<20), 0o644)
		}, "tasks.md is larger than 4 MB"},
		"tasks that are a link": {func(p *plan.Change) error {
			return os.Symlink("/dev/zero", filepath.Join(p.Root, changeFolder, "tasks.md"))
		}, "tasks.md is a symbolic link"},
	} {
		t.Run(name, func(t *testing.T) {
			p := theChange(t, map[string]string{"proposal.md": "# X\n"})
			if err := c.harm(p); err != nil {
				t.Fatal(err)
			}
			if _, err := p.Read(); err == nil || !strings.Contains(err.Error(), c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

// TestChangeGuard: the agent may change the tasks of a change, but not remove them or
// change its description.
func TestChangeGuard(t *testing.T) {
	files := map[string]string{"proposal.md": "# X\n", "design.md": "D\n", "specs/a/spec.md": "S\n", "tasks.md": "- [ ] a\n- [ ] b\n"}
	put := func(name, text string) func(dir string) error {
		return func(dir string) error { return os.WriteFile(filepath.Join(dir, name), []byte(text), 0o644) }
	}
	for _, c := range []struct {
		name  string
		agent func(dir string) error
		path  string // the restored file, empty without one
		what  string
		tasks string // afterwards
	}{
		{"ticks a task", put("tasks.md", "- [x] a\n- [ ] b\n"), "", "", "- [x] a\n- [ ] b\n"},
		{"adds a task", put("tasks.md", "- [ ] a\n- [ ] b\n- [ ] c\n"), "", "", "- [ ] a\n- [ ] b\n- [ ] c\n"},
		{"removes an open task", put("tasks.md", "- [x] a\n"), "tasks.md", "open tasks removed: b", "- [x] a\n- [ ] b\n"},
		{"edits the proposal", put("proposal.md", "# Y\n"), "proposal.md", "edited", files["tasks.md"]},
		{"edits the design", put("design.md", "E\n"), "design.md", "edited", files["tasks.md"]},
		{"edits a specification", put("specs/a/spec.md", "T\n"), "specs/a/spec.md", "edited", files["tasks.md"]},
		{"adds a specification", put("specs/easy.md", "T\n"), "specs/easy.md", "added", files["tasks.md"]},
		{"removes the tasks", func(dir string) error { return os.Remove(filepath.Join(dir, "tasks.md")) }, "tasks.md", "removed", files["tasks.md"]},
		{"writes an endless list", put("tasks.md", strings.Repeat("- [x] a\n- [x] b\n", 1<<19)), "tasks.md", "left unreadable", files["tasks.md"]},
	} {
		t.Run(c.name, func(t *testing.T) {
			p := theChange(t, files)
			if err := p.Snapshot(t.TempDir()); err != nil {
				t.Fatal(err)
			}
			dir := filepath.Join(p.Root, changeFolder)
			if err := c.agent(dir); err != nil {
				t.Fatal(err)
			}
			restored, err := p.Guard("x")
			if err != nil {
				t.Fatal(err)
			}
			path, what := "", ""
			for _, r := range restored {
				path, what = r.Path, r.What
			}
			if want := c.path; len(restored) > 1 || what != c.what || want != "" && path != changeFolder+"/"+want {
				t.Errorf("put back %+v", restored)
			}
			if got := read(t, filepath.Join(dir, "tasks.md")); got != c.tasks {
				t.Errorf("tasks.md is %q, want %q", got, c.tasks)
			}
			for _, name := range []string{"proposal.md", "design.md", "specs/a/spec.md"} {
				if read(t, filepath.Join(dir, name)) != files[name] {
					t.Errorf("%s is not what it was", name)
				}
			}
		})
	}
}

// TestChangeGuardMakesTheFoldersAgain also above the change's own.
func TestChangeGuardMakesTheFoldersAgain(t *testing.T) {
	p := theChange(t, map[string]string{"proposal.md": "# X\n", "specs/a.md": "S\n"})
	if err := p.Snapshot(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(p.Root, ".ito")); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(p.Root, ".ito"), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Guard("x"); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(p.Root, changeFolder, "specs/a.md")); got != "S\n" {
		t.Errorf("the specification is %q", got)
	}
}

func TestChangeContext(t *testing.T) {
	p := theChange(t, map[string]string{"proposal.md": "# X\n", "design.md": "D\n", "specs/a/spec.md": "S\n",
		"tasks.md": "### Task 1.1: Route\n- **Status**: [x] complete\n### Task 1.2: Form\n- **Status**: [ ] pending\n"})
	p.Text = "Mind the tests."
	s, err := p.Read()
	if err != nil {
		t.Fatal(err)
	}
	rest := p.Context(s, s.Item("1.2"))
	for _, want := range []string{"@" + changeFolder + "/proposal.md", "1 of 2 finished: @" + changeFolder + "/tasks.md", "@" + changeFolder + "/design.md",
		"`" + changeFolder + "/specs/a/spec.md`", "Mind the tests.", "The next open task: 1.2: Form", "`- **Status**: [x] complete`"} {
		before, after, ok := strings.Cut(rest, want)
		if !ok {
			t.Fatalf("the context lacks %q behind what was found so far:\n%s", want, rest)
		}
		_, rest = before, after
	}
}

func TestRestoreFromAChange(t *testing.T) {
	p := theChange(t, map[string]string{"proposal.md": "# X\n", "tasks.md": "- [ ] a\n- [ ] b\n"})
	dir := t.TempDir()
	if err := p.Snapshot(dir); err != nil {
		t.Fatal(err)
	}
	for name, text := range map[string]string{"proposal.md": "# Y\n", "tasks.md": "- [x] a\n"} {
		if err := os.WriteFile(filepath.Join(p.Root, changeFolder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if restored, err := plan.RestoreFrom(dir, p.Root, "crash"); err != nil || len(restored) != 2 {
		t.Fatalf("restored %v, %v", restored, err)
	}
	if got := read(t, filepath.Join(p.Root, changeFolder, "tasks.md")); got != "- [x] a\n- [ ] b\n" {
		t.Errorf("tasks.md is %q", got)
	}
}
