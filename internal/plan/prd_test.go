package plan_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/google/go-cmp/cmp"

	"ralph/internal/plan"
	"ralph/internal/prd"
)

const stories = `{
  "description": "A greeting",
  "createdAt": "2026-01-02T03:04:05Z",
  "userStories": [
    {"id": "STORY-001", "title": "Hello", "acceptanceCriteria": ["Unit tests pass"], "priority": 2, "passes": true, "notes": ""},
    {"id": "STORY-002", "title": "Names", "acceptanceCriteria": ["Unit tests pass"], "priority": 1, "passes": false, "notes": ""}
  ]
}
`

const folder = ".ralph/feature-x"

func feature(t *testing.T) (*plan.PRD, string) {
	t.Helper()
	root := write(t, map[string]string{
		folder + "/prd.json":      stories,
		folder + "/spec.md":       "# Greeting\n",
		folder + "/progress.txt":  "# Progress Log: x\n\n---\nIteration: 1\nStory: STORY-001 - Hello\n",
		folder + "/specs/wire.md": "the wire format\n",
		".ralph/config.yaml":      "harness: claude\n",
	})
	p := &plan.PRD{Root: root, Folder: folder}
	if err := p.Snapshot(root); err != nil {
		t.Fatal(err)
	}
	return p, root
}

func TestContextShowsTheOpenStoryWithTheHighestPriority(t *testing.T) {
	p, _ := feature(t)
	s, err := p.Read()
	if err != nil {
		t.Fatal(err)
	}
	text := p.Context(s, s.Item("STORY-002"))
	for _, want := range []string{"STORY-002: Names", "1 of 2 stories pass", folder + "/progress.txt", folder + "/specs"} {
		if !strings.Contains(text, want) {
			t.Errorf("the context lacks %q:\n%s", want, text)
		}
	}
	if strings.Contains(text, "prompt.md") {
		t.Error("the context names a file that is not there")
	}
}

// TestContextBoundsNotes: an agent that writes a book into the notes does not fill the
// context of the next one.
func TestContextBoundsNotes(t *testing.T) {
	p, root := feature(t)
	long := strings.Replace(stories, `"passes": false, "notes": ""`, `"passes": false, "notes": "begin `+strings.Repeat("é", 100_000)+`"`, 1)
	if err := os.WriteFile(filepath.Join(root, folder, "prd.json"), []byte(long), 0o644); err != nil {
		t.Fatal(err)
	}
	s, err := p.Read()
	if err != nil {
		t.Fatal(err)
	}
	if text := p.Context(s, s.Item("STORY-002")); len(text) > 10<<10 || !strings.Contains(text, "Notes: begin é") || !strings.Contains(text, "the rest is in `"+folder+"/prd.json`") {
		t.Errorf("a context of %d bytes: %.300s", len(text), text)
	}
}

// TestGuard lets an agent change the plan and checks the result. "kept" is text that must
// be in the kept file.
func TestGuard(t *testing.T) {
	edit := func(name, old, new string) func(string) error {
		return func(root string) error {
			path := filepath.Join(root, folder, name)
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			return os.WriteFile(path, []byte(strings.ReplaceAll(string(data), old, new)), 0o644)
		}
	}
	for _, c := range []struct {
		name string
		harm func(root string) error
		path string // the file that must be reported, empty where nothing is
		what string
		kept string
	}{
		{"a tick and a note", edit("prd.json", `"priority": 1, "passes": false, "notes": ""`, `"priority": 1, "passes": true, "notes": "hm"`), "", "", ""},
		{"a tick next to a softened criterion", edit("prd.json", `["Unit tests pass"], "priority": 1, "passes": false`, `["Looks fine"], "priority": 1, "passes": true`),
			folder + "/prd.json", "STORY-002 acceptanceCriteria changed", "Looks fine"},
		{"a story removed", func(root string) error {
			at := strings.Index(stories, ",\n    {\"id\": \"STORY-002\"")
			return os.WriteFile(filepath.Join(root, folder, "prd.json"), []byte(stories[:at]+"\n  ]\n}\n"), 0o644)
		}, folder + "/prd.json", "stories removed: STORY-002", `"STORY-001"`},
		{"half a file", func(root string) error {
			return os.WriteFile(filepath.Join(root, folder, "prd.json"), []byte(stories[:200]), 0o644)
		}, folder + "/prd.json", "left unreadable", stories[:100]},
		{"a link in its place", func(root string) error {
			path := filepath.Join(root, folder, "prd.json")
			if err := os.Rename(path, path+".real"); err != nil {
				return err
			}
			return os.Symlink(path+".real", path)
		}, folder + "/prd.json", "replaced by a link to", ""},
		{"the spec edited", edit("spec.md", "Greeting", "Nothing"), folder + "/spec.md", "edited", "# Nothing"},
		{"the specs edited", edit("specs/wire.md", "wire", "easy"), folder + "/specs/wire.md", "edited", "easy"},
		{"a specification added", func(root string) error {
			return os.WriteFile(filepath.Join(root, folder, "specs/new.md"), []byte("no tests needed"), 0o644)
		}, folder + "/specs/new.md", "added", "no tests needed"},
		{"progress appended", func(root string) error {
			f, err := os.OpenFile(filepath.Join(root, folder, "progress.txt"), os.O_APPEND|os.O_WRONLY, 0)
			if err != nil {
				return err
			}
			defer f.Close()
			_, err = f.WriteString("---\nIteration: 2\n")
			return err
		}, "", "", ""},
		{"progress cut", func(root string) error {
			return os.WriteFile(filepath.Join(root, folder, "progress.txt"), []byte("---\nIteration: 2\n"), 0o644)
		}, folder + "/progress.txt", "cut or rewritten", "Iteration: 2"},
		{"the settings edited", func(root string) error {
			return os.WriteFile(filepath.Join(root, ".ralph/config.yaml"), []byte("quality_checks: {}\n"), 0o644)
		}, ".ralph/config.yaml", "edited", "quality_checks: {}"},
		{"the folder deleted", func(root string) error { return os.RemoveAll(filepath.Join(root, ".ralph")) }, folder + "/spec.md", "removed", ""},
		{"the folder replaced by a link", func(root string) error {
			if err := os.Rename(filepath.Join(root, ".ralph"), filepath.Join(root, "elsewhere")); err != nil {
				return err
			}
			return os.Symlink("elsewhere", filepath.Join(root, ".ralph"))
		}, ".ralph", "replaced by a link to elsewhere", ""},
		{"the folder made unusable", func(root string) error { return os.Chmod(filepath.Join(root, folder), 0) }, folder, "permissions were removed (0000)", ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			p, root := feature(t)
			if err := c.harm(root); err != nil {
				t.Fatal(err)
			}
			restored, err := p.Guard("run-1")
			if err != nil {
				t.Fatal(err)
			}
			checkRestored(t, restored, c.path, c.what, c.kept)
			checkPlan(t, p, root)
		})
	}
}

// TestGuardKeepsWhateverItReplaces: a folder in the place of a file may hold a
// person's work as well.
func TestGuardKeepsWhateverItReplaces(t *testing.T) {
	p, root := feature(t)
	path := filepath.Join(root, folder, "prd.json")
	if err := errors.Join(os.Remove(path), os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, "mine.txt"), []byte("work"), 0o644)); err != nil {
		t.Fatal(err)
	}
	restored, err := p.Guard("run-1")
	if err != nil || len(restored) != 1 || restored[0].What != "replaced by a folder" {
		t.Fatalf("%+v, %v", restored, err)
	}
	if got := read(t, filepath.Join(restored[0].Kept, "mine.txt")); got != "work" {
		t.Errorf("it keeps %q", got)
	}
	checkPlan(t, p, root)
}

func checkRestored(t *testing.T, restored []plan.Restored, path, what, kept string) {
	t.Helper()
	if path == "" {
		if len(restored) > 0 {
			t.Errorf("the agent's own changes were taken back: %+v", restored)
		}
		return
	}
	for _, r := range restored {
		if r.Path != path {
			continue
		}
		if !strings.Contains(r.What, what) {
			t.Errorf("%s: said %q, want %q", path, r.What, what)
		}
		if kept != "" && !strings.Contains(read(t, r.Kept), kept) {
			t.Errorf("%s: what was replaced is not in %s", path, r.Kept)
		}
		return
	}
	t.Errorf("%s was not reported: %+v", path, restored)
}

// checkPlan holds what must be true whatever the agent did.
func checkPlan(t *testing.T, p *plan.PRD, root string) {
	t.Helper()
	info, err := os.Lstat(filepath.Join(root, ".ralph"))
	if err != nil || !info.IsDir() {
		t.Fatalf(".ralph is no folder any more: %v", err)
	}
	now, _, err := prd.Load(filepath.Join(root, folder, "prd.json"))
	if err != nil {
		t.Fatal(err)
	}
	before, _, err := prd.Parse("prd.json", []byte(stories))
	if err != nil {
		t.Fatal(err)
	}
	if d := prd.Diff(before, now); len(d.Removed)+len(d.Added)+len(d.Changed)+len(d.Other) > 0 {
		t.Errorf("the plan is not what it was: %+v", d)
	}
	if read(t, filepath.Join(root, folder, "spec.md")) != "# Greeting\n" {
		t.Error("spec.md is not what it was")
	}
	if !strings.HasPrefix(read(t, filepath.Join(root, folder, "progress.txt")), "# Progress Log: x\n\n---\nIteration: 1\nStory: STORY-001 - Hello\n") {
		t.Error("progress.txt has lost its past")
	}
	if read(t, filepath.Join(root, ".ralph/config.yaml")) != "harness: claude\n" {
		t.Error("the settings are not what they were")
	}
	if _, err := os.Stat(filepath.Join(root, folder, "specs/new.md")); err == nil {
		t.Error("a specification of the agent's stayed")
	}
	if again, err := p.Guard("run-2"); err != nil || len(again) > 0 {
		t.Errorf("a second look found more to put back: %v, %v", again, err)
	}
}

func TestGuardKeepsTheAgentsTickAndRestoresTheRest(t *testing.T) {
	p, root := feature(t)
	path := filepath.Join(root, folder, "prd.json")
	softer := strings.Replace(stories, `"title": "Names", "acceptanceCriteria": ["Unit tests pass"], "priority": 1, "passes": false, "notes": ""`,
		`"title": "Easy", "acceptanceCriteria": ["ok"], "priority": 1, "passes": true, "notes": "was simple"`, 1)
	if err := os.WriteFile(path, []byte(softer), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Guard("run-1"); err != nil {
		t.Fatal(err)
	}
	now, _, err := prd.Load(path)
	if err != nil {
		t.Fatal(err)
	}
	st := now.Story("STORY-002")
	if !st.Passes || st.Notes != "was simple" || st.Title != "Names" {
		t.Errorf("the story is %+v", st)
	}
}

// TestRestoreFrom is the guard after a crash, with nothing but the snapshot on disk.
func TestRestoreFrom(t *testing.T) {
	_, root := feature(t)
	softer := strings.Replace(stories, `"title": "Names"`, `"title": "Easy"`, 1)
	softer = strings.Replace(softer, `"priority": 1, "passes": false`, `"priority": 1, "passes": true`, 1)
	for name, text := range map[string]string{"prd.json": softer, "spec.md": "# Nothing\n", "progress.txt": "cut\n"} {
		if err := os.WriteFile(filepath.Join(root, folder, name), []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	restored, err := plan.RestoreFrom(root, root, "crash")
	if err != nil || len(restored) != 3 {
		t.Fatalf("restored %v, %v", restored, err)
	}
	now, _, err := prd.Load(filepath.Join(root, folder, "prd.json"))
	if err != nil || now.Story("STORY-002").Title != "Names" || !now.Story("STORY-002").Passes {
		t.Errorf("%+v, %v", now, err)
	}
	if read(t, filepath.Join(root, folder, "spec.md")) != "# Greeting\n" {
		t.Error("spec.md is not what it was")
	}
}

// TestRestoreLeavesNoTemporaryFile: a restored file is first written outside of the
// feature's folder, so that a process that dies leaves nothing for a commit.
func TestRestoreLeavesNoTemporaryFile(t *testing.T) {
	p, root := feature(t)
	if err := os.Remove(filepath.Join(root, folder, "spec.md")); err != nil {
		t.Fatal(err)
	}
	watcher, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer watcher.Close()
	if err := watcher.Add(filepath.Join(root, folder)); err != nil {
		t.Fatal(err)
	}
	if _, err := p.Guard("x"); err != nil {
		t.Fatal(err)
	}
	for {
		select {
		case e := <-watcher.Events:
			if name := filepath.Base(e.Name); name == "spec.md" {
				return // the last that happens
			} else if e.Has(fsnotify.Create) {
				t.Errorf("%s was made next to it", name)
			}
		case <-time.After(time.Minute):
			t.Fatal("spec.md was not put back")
		}
	}
}

// TestRestoreBroken restores only what a run needs, and nothing that may be the user's
// edit.
func TestRestoreBroken(t *testing.T) {
	for _, c := range []struct {
		name string
		do   func(folder string) error
		want []string
	}{
		{"a person's edits", func(f string) error { return os.WriteFile(filepath.Join(f, "spec.md"), []byte("# Other\n"), 0o644) }, nil},
		{"a file is gone", func(f string) error { return os.Remove(filepath.Join(f, "progress.txt")) }, []string{"progress.txt: removed"}},
		{"the plan is half there", func(f string) error { return os.Truncate(filepath.Join(f, "prd.json"), 90) }, []string{"prd.json: prd.json was left unreadable: not JSON: unexpected end of JSON input"}},
		{"the feature is gone", os.RemoveAll, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			_, root := feature(t)
			if err := c.do(filepath.Join(root, folder)); err != nil {
				t.Fatal(err)
			}
			restored, err := plan.RestoreBroken(root, root, "crash")
			var got []string
			for _, r := range restored {
				got = append(got, filepath.Base(r.Path)+": "+r.What)
			}
			if diff := cmp.Diff(c.want, got); diff != "" || err != nil {
				t.Errorf("(-want +got): %s error %v", diff, err)
			}
		})
	}
}

func TestGuardLeavesAPersonsLinksAlone(t *testing.T) {
	root := write(t, map[string]string{"shared/feature-x/prd.json": stories, "shared/feature-x/spec.md": "# X\n", "docs/a.md": "a\n"})
	for link, to := range map[string]string{".ralph": "shared", "shared/feature-x/specs": "../../docs"} {
		if err := os.Symlink(to, filepath.Join(root, link)); err != nil {
			t.Fatal(err)
		}
	}
	p := &plan.PRD{Root: root, Folder: folder}
	if err := p.Snapshot(t.TempDir()); err != nil {
		t.Fatal(err)
	}
	restored, err := p.Guard("x")
	if err != nil || len(restored) > 0 {
		t.Errorf("%v, %v", restored, err)
	}
	if to, err := os.Readlink(filepath.Join(root, ".ralph")); err != nil || to != "shared" {
		t.Errorf("the link leads to %q, %v", to, err)
	}
}

func TestGuardTakesAwayWhatIsNotTheAgentsToMake(t *testing.T) {
	for kind, p := range map[string]func(root string) plan.Plan{
		"tasks":  func(root string) plan.Plan { return &plan.Tasks{Root: root, File: filepath.Join(root, "tasks.md")} },
		"prompt": func(root string) plan.Plan { return &plan.Prompt{Root: root, Text: "x"} },
		"prd":    func(root string) plan.Plan { return &plan.PRD{Root: root, Folder: folder} },
	} {
		t.Run(kind, func(t *testing.T) {
			root := write(t, map[string]string{"tasks.md": "- [ ] a\n", folder + "/prd.json": stories, folder + "/spec.md": "# X\n"})
			plan := p(root)
			if err := plan.Snapshot(t.TempDir()); err != nil {
				t.Fatal(err)
			}
			settings := filepath.Join(root, ".ralph/config.yaml")
			if err := os.WriteFile(settings, []byte("completion: {trust_promise: true}\n"), 0o644); err != nil {
				t.Fatal(err)
			}
			restored, err := plan.Guard("x")
			if err != nil || len(restored) != 1 || restored[0].What != "added" {
				t.Errorf("%v, %v", restored, err)
			}
			if _, err := os.Stat(settings); err == nil {
				t.Error("the agent's settings stayed")
			}
		})
	}
}
