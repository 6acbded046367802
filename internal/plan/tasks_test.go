package plan_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/checklist"
	"ralph/internal/plan"
)

// write makes files below a new folder and returns the folder.
func write(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, text := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestFindTasks(t *testing.T) {
	for _, c := range []struct {
		name  string
		files []string
		want  string
	}{
		{"the root's", []string{"tasks.md", "a/tasks.md"}, "tasks.md"},
		{"the first by path", []string{"b/tasks.md", "a/x/tasks.md"}, "a/x/tasks.md"},
		{"three levels down", []string{"a/b/tasks.md"}, "a/b/tasks.md"},
		{"four levels down is too deep", []string{"a/b/c/tasks.md"}, ""},
		{"not below archive", []string{"a/archive/tasks.md", "archive/tasks.md"}, ""},
		{"not below node_modules", []string{"node_modules/tasks.md"}, ""},
		{"not in a worktree of its own", []string{".worktrees/x/.git", ".worktrees/x/tasks.md"}, ""},
		{"not another name", []string{"my-tasks.md"}, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			files := map[string]string{}
			for _, f := range c.files {
				files[f] = "- [ ] x\n"
			}
			root := write(t, files)
			got := checklist.Find(root)
			if rel, err := filepath.Rel(root, got); err == nil {
				got = rel
			}
			if got != c.want {
				t.Errorf("found %q, want %q", got, c.want)
			}
		})
	}
}

const tasksText = "# Tasks\r\n\r\n- [ ] one\r\n* [x] two\n1. [X] three\n    - [?] which colour?\n- [ ] one\n" +
	"```\n- [ ] in a fence\n```\n~~~~md\n- [ ] in another\n~~~\n- [ ] still in it\n~~~~\n- [] no box\n- [1] no box\n"

func TestTasksRead(t *testing.T) {
	root := write(t, map[string]string{"tasks.md": tasksText})
	p := &plan.Tasks{Root: root, File: filepath.Join(root, "tasks.md")}
	s, err := p.Read()
	if err != nil {
		t.Fatal(err)
	}
	want := []plan.Item{
		{ID: "one", Title: "one"}, {ID: "two", Title: "two", Done: true}, {ID: "three", Title: "three", Done: true},
		{ID: "which colour?", Title: "which colour?", Question: true}, {ID: "one (2)", Title: "one"},
	}
	if diff := cmp.Diff(want, s.Items); diff != "" {
		t.Errorf("items (-want +got):\n%s", diff)
	}
	if v := p.Conclusion(s, true, false); v.Done || !strings.Contains(v.Refused, "2 tasks are still open") {
		t.Errorf("a promise with open tasks came out as %+v", v)
	}
}

func TestTasksRevokeUnticksOnlyWhatIsNamed(t *testing.T) {
	root := write(t, map[string]string{"tasks.md": tasksText})
	p := &plan.Tasks{Root: root, File: filepath.Join(root, "tasks.md")}
	if err := p.Mark([]string{"two", "one"}, false); err != nil {
		t.Fatal(err)
	}
	want := strings.Replace(tasksText, "* [x] two", "* [ ] two", 1)
	if diff := cmp.Diff(want, read(t, p.File)); diff != "" {
		t.Errorf("file (-want +got):\n%s", diff)
	}
}

func TestTasksConclusion(t *testing.T) {
	for _, c := range []struct {
		name, text string
		want       plan.Conclusion
	}{
		{"all ticked", "- [x] a\n", plan.Conclusion{Done: true, Reason: "tasks_complete"}},
		{"one open", "- [x] a\n- [ ] b\n", plan.Conclusion{}},
		{"only questions left", "- [x] a\n- [?] b\n", plan.Conclusion{Waiting: true}},
		{"another mark", "- [x] a\n- [/] b\n", plan.Conclusion{}},
	} {
		t.Run(c.name, func(t *testing.T) {
			root := write(t, map[string]string{"tasks.md": c.text})
			p := &plan.Tasks{Root: root, File: filepath.Join(root, "tasks.md")}
			s, err := p.Read()
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(c.want, p.Conclusion(s, false, false)); diff != "" {
				t.Errorf("conclusion (-want +got):\n%s", diff)
			}
		})
	}
}

func TestTasksGuardBringsTheChecklistBack(t *testing.T) {
	for name, harm := range map[string]func(path string) error{
		"removed": os.Remove,
		"emptied": func(path string) error { return os.WriteFile(path, []byte("# done\n"), 0o644) },
		"replaced by a folder": func(path string) error {
			if err := os.Remove(path); err != nil {
				return err
			}
			return os.Mkdir(path, 0o755)
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := write(t, map[string]string{"tasks.md": tasksText})
			p := &plan.Tasks{Root: root, File: filepath.Join(root, "tasks.md")}
			if err := p.Snapshot(t.TempDir()); err != nil {
				t.Fatal(err)
			}
			if err := harm(p.File); err != nil {
				t.Fatal(err)
			}
			restored, err := p.Guard("x")
			if err != nil || len(restored) != 1 {
				t.Fatalf("restored %v, %v", restored, err)
			}
			if read(t, p.File) != tasksText {
				t.Error("the tasksText is not what it was")
			}
		})
	}
}
