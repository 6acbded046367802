package checklist_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"
	"golang.org/x/sys/unix"

	"ralph/internal/checklist"
)

const ito = `# Tasks for: 002-01_add-x

- **Status legend**: ` + "`[ ] pending` · `[x] complete`" + `
- [ ] a box is a note here

## Wave 1

### Task 1.1: First
- **Action**: do it
- **Status**: [x] complete

### Task 1.2: Second
- **Status**: \[ \] pending

### Task 1.3: Third
- **Status**: [>] in-progress

### Task 1.4: Fourth
- **Status**: [-] shelved

### Checkpoint: Review
- **Type**: checkpoint (requires human approval)
- **Status**: [ ] pending
`

func TestParse(t *testing.T) {
	open, done, asked, shelved := checklist.Open, checklist.Done, checklist.Asked, checklist.Shelved
	type task = checklist.Task
	one := func(title string, s checklist.TaskState) task { return task{ID: title, Title: title, State: s} }
	for _, c := range []struct {
		name, text string
		want       []task
	}{
		{"all kinds of box", "- [ ] a\n* [x] b\n+ [X] c\n1. [ ] d\n2) [?] e\n    - [ ] nested\n\t* [~] begun\n- [>] begun too\n- [-] dropped\n",
			[]task{one("a", open), one("b", done), one("c", done), one("d", open), one("e", asked), one("nested", open), one("begun", open), one("begun too", open), one("dropped", open)}},
		{"what is no box", "- [] a\n- [1] b\n- [xx] b\n-[ ] c\n[ ] d\n- [ ]\n- [x](link)\n", nil},
		{"marks of other programs", "- [/] a\n- [!] b\n- [y] c\n- [✓] d\n- [?] e\n", []task{one("a", open), one("b", open), one("c", open), one("d", open), one("e", asked)}},
		{"CRLF and a byte order mark", "\ufeff- [ ] a\r\n- [x] b\r\n", []task{one("a", open), one("b", done)}},
		{"equal titles", "- [ ] a\n- [x] a\n", []task{one("a", open), {ID: "a (2)", Title: "a", State: done}}},
		{"a code fence", "```md\n- [ ] no\n```\n- [ ] a\n", []task{one("a", open)}},
		{"a fence within a fence", "~~~~\n- [ ] no\n~~~\n- [ ] no\n~~~~\n- [ ] a\n", []task{one("a", open)}},
		{"a fence in a list", "- [ ] a\n  ```\n  - [ ] no\n  ```\n- [ ] b\n", []task{one("a", open), one("b", open)}},
		{"code within a line is no fence", "```make test``` must pass\n- [ ] a\n", []task{one("a", open)}},
		{"a fence that nobody closes", "- [ ] a\n```\n- [ ] no\n", []task{one("a", open)}},
		{"a comment", "<!-- - [ ] no -->\n- [ ] a <!-- soon -->\n  <!--\n- [ ] no\n```\n--> - [ ] no\n- [ ] b\n", []task{one("a <!-- soon -->", open), one("b", open)}},
		{"a comment in a fence", "```\n<!--\n```\n- [ ] a\n", []task{one("a", open)}},
		{"a comment that nobody closes", "- [ ] a\n<!--\n- [ ] no\n", []task{one("a", open)}},
		{"Ito's form", ito, []task{{ID: "1.1", Title: "First", State: done}, {ID: "1.2", Title: "Second"}, {ID: "1.3", Title: "Third"},
			{ID: "1.4", Title: "Fourth", State: shelved}, {ID: "Checkpoint", Title: "Review", State: asked}}},
		{"a status line without a heading", "- **Status**: [ ] pending\n- [ ] a\n", []task{one("a", open)}},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := checklist.Parse([]byte(c.text))
			if diff := cmp.Diff(c.want, got, cmpopts.IgnoreUnexported(task{})); diff != "" {
				t.Errorf("tasks (-want +got):\n%s", diff)
			}
		})
	}
}

func TestUntick(t *testing.T) {
	for _, c := range []struct{ text, id, want string }{
		{"- [x] a\r\n  * [X] b\r\n", "b", "- [x] a\r\n  * [ ] b\r\n"},
		{"- [x] [x] a\n", "[x] a", "- [ ] [x] a\n"},
		{"- [x] a\n- [x] a", "a (2)", "- [x] a\n- [ ] a"},
		{"### Task 1.1: A\n- **Status**: [x] complete\n", "1.1", "### Task 1.1: A\n- **Status**: [ ] pending\n"},
		{"- [ ] a\n", "a", "- [ ] a\n"},
	} {
		if got := string(checklist.Mark([]byte(c.text), []string{c.id}, false)); got != c.want {
			t.Errorf("%q without %s is %q, want %q", c.text, c.id, got, c.want)
		}
	}
}

func TestTick(t *testing.T) {
	const list = "- [x] a\r\n- [ ] a\r\n- [?] b\r\n"
	if got, want := string(checklist.Mark([]byte(list), []string{"a (2)"}, true)), strings.Replace(list, "[ ]", "[x]", 1); got != want {
		t.Errorf("it is %q, want %q", got, want)
	}
	for _, id := range []string{"a", "b", "c"} {
		if got := string(checklist.Mark([]byte(list), []string{id}, true)); got != list {
			t.Errorf("%s: it is %q", id, got)
		}
	}
}

func TestMerge(t *testing.T) {
	const list = "# T\n\n- [ ] 1.1 route\n- [x] 1.2 form\n- [?] colour\n- [ ] tests\n"
	edit := func(old, new string) string { return strings.Replace(list, old, new, 1) }
	for _, c := range []struct{ name, before, after, want, what string }{
		{"ticked", list, edit("[ ] tests", "[x] tests"), edit("[ ] tests", "[x] tests"), ""},
		{"made a question", list, edit("[ ] tests", "[?] tests"), edit("[ ] tests", "[?] tests"), ""},
		{"begun", list, edit("[ ] tests", "[~] tests"), edit("[ ] tests", "[~] tests"), ""},
		{"added to", list, list + "- [ ] more\n", list + "- [ ] more\n", ""},
		{"annotated", list, edit("[ ] tests", "[x] **tests** (in abc)"), edit("[ ] tests", "[x] **tests** (in abc)"), ""},
		{"reworded behind its number", list, edit("[ ] 1.1 route", "[x] 1.1 add the route"), edit("[ ] 1.1 route", "[x] 1.1 add the route"), ""},
		{"a finished one removed", list, edit("- [x] 1.2 form\n", ""), edit("- [x] 1.2 form\n", ""), ""},
		{"an open one removed", list, edit("- [ ] tests\n", ""), list, "open tasks removed: tests"},
		{"a question removed", list, edit("- [?] colour\n", ""), list, "open tasks removed: colour"},
		{"one replaced by an easier one", list, edit("tests", "a test"), list + "- [ ] a test\n", "open tasks removed: tests"},
		{"put off, which leaves it open", list, edit("[ ] tests", "[-] tests"), edit("[ ] tests", "[-] tests"), ""},
		{"a task that was put off, taken away", edit("[ ] tests", "[-] tests"), strings.Replace(list, "- [ ] tests\n", "", 1), edit("[ ] tests", "[-] tests"), "open tasks removed: tests"},
		{"hidden in a fence", list, edit("- [ ] tests", "```\n- [ ] tests\n```"), list, "open tasks removed: tests"},
		{"hidden in a comment", list, edit("- [ ] tests", "<!--\n- [ ] tests\n-->"), list, "open tasks removed: tests"},
		{"one ticked, one removed", list, strings.Replace(edit("- [ ] tests\n", ""), "[ ] 1.1", "[x] 1.1", 1), edit("[ ] 1.1", "[x] 1.1"), "open tasks removed: tests"},
		{"opened again, with a remark", list, edit("[x] 1.2 form", "[ ] 1.2 form") + "\nremark\n", list + "\nremark\n", "finished tasks opened again: 1.2 form"},
		{"emptied", list, "# all done\n", list, "emptied"},
		{"turned into Ito's form with less in it", list, "### Task 1: x\n- **Status**: [x] complete\n", list, "open tasks removed: 1.1 route, colour, tests"},
		{"Ito's: a task removed", ito, ito[:strings.Index(ito, "### Task 1.3")], ito, "open tasks removed: 1.3, Checkpoint"},
		{"Ito's: completed", ito, strings.Replace(ito, `\[ \] pending`, "[x] complete", 1), strings.Replace(ito, `\[ \] pending`, "[x] complete", 1), ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			merged, what := checklist.Merge([]byte(c.before), []byte(c.after))
			if what != c.what {
				t.Errorf("it says %q, want %q", what, c.what)
			}
			if diff := cmp.Diff(c.want, string(merged)); diff != "" {
				t.Errorf("list (-want +got):\n%s", diff)
			}
		})
	}
}

// TestMergeOfALongList would take minutes with a comparison of each with each.
func TestMergeOfALongList(t *testing.T) {
	const n = 10_000
	before := strings.Repeat("- [ ] something that is to be done\n", n)
	after := strings.Repeat("- [x] another thing\n", n)
	merged, what := checklist.Merge([]byte(before), []byte(after))
	if !strings.HasSuffix(what, "and 9997 more") || len(checklist.Parse(merged)) != 2*n {
		t.Errorf("%s; %d tasks", what, len(checklist.Parse(merged)))
	}
}

func TestReadRefuses(t *testing.T) {
	for name, c := range map[string]struct {
		make func(path string) error
		want string
	}{
		"50 MB":    {func(p string) error { return os.WriteFile(p, make([]byte, 50<<20), 0o644) }, "is larger than 4 MB"},
		"a link":   {func(p string) error { return os.Symlink("/dev/zero", p) }, "is a symbolic link"},
		"a folder": {func(p string) error { return os.Mkdir(p, 0o755) }, "is a directory"},
		"a FIFO":   {func(p string) error { return unix.Mkfifo(p, 0o644) }, "is not a regular file"},
		"no text":  {func(p string) error { return os.WriteFile(p, []byte("PK\x03\x04\x00\x00"), 0o644) }, "is not a text file"},
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "tasks.md")
			if err := c.make(path); err != nil {
				t.Fatal(err)
			}
			if _, err := checklist.Read(path); err == nil || !strings.Contains(err.Error(), path+" "+c.want) {
				t.Errorf("got %v, want %q", err, c.want)
			}
		})
	}
}

func FuzzMerge(f *testing.F) {
	f.Add("- [ ] a\n- [x] b\n", "- [x] a\n")
	f.Add(ito, "### Task 1.1: First\n- **Status**: [ ] pending\n")
	f.Fuzz(func(t *testing.T, before, after string) {
		merged, what := checklist.Merge([]byte(before), []byte(after))
		if what == "" && string(merged) != after {
			t.Fatalf("nothing was wrong, and %q became %q", after, merged)
		}
		left := map[string]int{}
		for _, task := range checklist.Parse(merged) {
			left[task.Title]++
		}
		if what == "" {
			return // titles may have been added to
		}
		for _, task := range checklist.Parse([]byte(before)) {
			if task.State != checklist.Done && task.State != checklist.Shelved && strings.Contains(what, "removed") && left[task.Title] == 0 {
				t.Fatalf("%q is gone: %q", task.Title, merged)
			}
		}
	})
}
