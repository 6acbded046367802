package preflight_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/git"
	"ralph/internal/prd"
	"ralph/internal/preflight"
)

// wrong returns the checks that are not ok, a line for each and for each of
// their details.
func wrong(r preflight.Report) []string {
	var lines []string
	for _, c := range r.Checks {
		if c.Severity == preflight.OK {
			continue
		}
		lines = append(lines, string(c.Severity)+" "+c.ID+": "+c.Message)
		for _, d := range c.Details {
			lines = append(lines, "  "+d.String())
		}
	}
	for _, note := range r.Notes {
		lines = append(lines, "note "+note)
	}
	return lines
}

func TestChecks(t *testing.T) {
	tests := map[string]struct {
		change func(t *testing.T, in *preflight.Input) error
		want   []string
	}{
		"detached HEAD": {
			func(_ *testing.T, in *preflight.Input) error { in.Branch = ""; return nil },
			[]string{"error branch: Not on a branch (detached HEAD)"},
		},
		"rebase": {
			func(_ *testing.T, in *preflight.Input) error { in.Branch, in.InProgress = "", "rebase"; return nil },
			[]string{"error operation: A rebase is in progress (HEAD is detached until it ends)"},
		},
		"merge": {
			func(_ *testing.T, in *preflight.Input) error { in.InProgress = "merge"; return nil },
			[]string{"error operation: A merge is in progress"},
		},
		"a branch that cannot be a unit": {
			func(_ *testing.T, in *preflight.Input) error { in.Branch = "archive"; return nil },
			[]string{`error branch: "archive" cannot name a unit: ralph uses this name for something else; rename it (git branch -m NEW-NAME)`},
		},
		"protected branch": {
			func(_ *testing.T, in *preflight.Input) error {
				in.Branch = "main"
				return os.Rename(filepath.Join(in.Root, folder), filepath.Join(in.Root, ".ralph/main"))
			},
			[]string{"warn protected_branch: Running on protected branch 'main'"},
		},
		"no folder": {
			func(_ *testing.T, in *preflight.Input) error { return os.RemoveAll(filepath.Join(in.Root, folder)) },
			[]string{"error folder: Folder missing: .ralph/feature-user-auth/"},
		},
		"a file for the folder": {
			func(_ *testing.T, in *preflight.Input) error {
				dir := filepath.Join(in.Root, folder)
				return errors.Join(os.RemoveAll(dir), os.WriteFile(strings.TrimSuffix(dir, "/"), nil, 0o644))
			},
			[]string{"error folder: Not a folder: .ralph/feature-user-auth"},
		},
		"another branch's folder": {
			func(t *testing.T, in *preflight.Input) error {
				in.OwnerFile = filepath.Join(t.TempDir(), "owner")
				return preflight.NoteOwner(in.OwnerFile, "feature-user-auth")
			},
			[]string{"error owner: Folder .ralph/feature-user-auth/ belongs to branch 'feature-user-auth'"},
		},
		"its own folder": {
			func(t *testing.T, in *preflight.Input) error {
				in.OwnerFile = filepath.Join(t.TempDir(), "owner")
				return preflight.NoteOwner(in.OwnerFile, in.Branch)
			},
			nil,
		},
		"a folder that is a link to nowhere": {
			func(_ *testing.T, in *preflight.Input) error {
				path := filepath.Join(in.Root, folder)
				return errors.Join(os.RemoveAll(path), os.Symlink("nowhere", filepath.Clean(path)))
			},
			[]string{"error folder: Folder is a link to nowhere, which does not exist"},
		},
		"a folder that is a link to itself": {
			func(_ *testing.T, in *preflight.Input) error {
				path := filepath.Join(in.Root, folder)
				return errors.Join(os.RemoveAll(path), os.Symlink(filepath.Base(path), filepath.Clean(path)))
			},
			[]string{"error folder: Folder cannot be read: too many levels of symbolic links"},
		},
		"files missing": {
			func(_ *testing.T, in *preflight.Input) error {
				return errors.Join(os.Remove(inFolder(*in, "progress.txt")), os.Remove(inFolder(*in, "prd.json")))
			},
			[]string{"error files: Required files missing", "  prd.json", "  progress.txt"},
		},
		"progress.txt is a FIFO": {
			func(_ *testing.T, in *preflight.Input) error {
				return errors.Join(os.Remove(inFolder(*in, "progress.txt")), syscall.Mkfifo(inFolder(*in, "progress.txt"), 0o644))
			},
			[]string{"error files: Required files missing", "  progress.txt is not a regular file"},
		},
		"prd.json is a directory": {
			func(_ *testing.T, in *preflight.Input) error {
				return errors.Join(os.Remove(inFolder(*in, "prd.json")), os.Mkdir(inFolder(*in, "prd.json"), 0o755))
			},
			[]string{"error prd_schema: prd.json schema invalid", "  .ralph/feature-user-auth/prd.json is a directory, not a file"},
		},
		"prd.json is a FIFO": {
			func(_ *testing.T, in *preflight.Input) error {
				return errors.Join(os.Remove(inFolder(*in, "prd.json")), syscall.Mkfifo(inFolder(*in, "prd.json"), 0o644))
			},
			[]string{"error prd_schema: prd.json schema invalid", "  .ralph/feature-user-auth/prd.json is not a regular file"},
		},
		"prd.json is a symlink loop": {
			func(_ *testing.T, in *preflight.Input) error {
				return errors.Join(os.Remove(inFolder(*in, "prd.json")), os.Symlink("prd.json", inFolder(*in, "prd.json")))
			},
			[]string{"error prd_schema: prd.json schema invalid", "  .ralph/feature-user-auth/prd.json cannot be read: too many levels of symbolic links"},
		},
		"prd.json breaks the schema": {
			func(t *testing.T, in *preflight.Input) error {
				edit(t, *in, "prd.json", `"priority": 2`, `"priority": "2"`)
				return nil
			},
			[]string{
				"error prd_schema: prd.json schema invalid",
				"  .ralph/feature-user-auth/prd.json:26:19: userStories[1].priority: expected number, but got string",
			},
		},
		"misspelt key": {
			func(t *testing.T, in *preflight.Input) error {
				edit(t, *in, "prd.json", `"priority": 2`, `"priority": 2, "note": ""`)
				return nil
			},
			[]string{
				"warn prd_keys: prd.json has unknown keys",
				`  .ralph/feature-user-auth/prd.json:26:22: userStories[1].note: unknown key "note", kept as it is. Did you mean "notes"?`,
			},
		},
		"spec.md is too large": {
			func(_ *testing.T, in *preflight.Input) error { return os.Truncate(inFolder(*in, "spec.md"), 50<<20) },
			[]string{"error spec: spec.md cannot be read", "  .ralph/feature-user-auth/spec.md is larger than 16 MB"},
		},
		"sections missing": {
			func(t *testing.T, in *preflight.Input) error {
				edit(t, *in, "spec.md", "## Problem Statement", "## Why", "## Success Criteria", "## When", "## User Stories", "## What")
				return nil
			},
			[]string{
				`warn spec_sections: spec.md missing "Problem Statement" section`,
				`warn spec_sections: spec.md missing "Success Criteria" section`,
				`warn spec_sections: spec.md missing "User Stories" section`,
			},
		},
		"no time of creation": {
			func(t *testing.T, in *preflight.Input) error {
				edit(t, *in, "spec.md", "created: 2026-01-15T10:30:00Z", "author: x")
				return nil
			},
			[]string{
				"warn spec: spec.md has something odd",
				`  .ralph/feature-user-auth/spec.md:1: the front matter has no "created". Begin the file with three lines: ---, created: 2026-01-15T10:30:00Z, ---.`,
			},
		},
		"a story that cannot be read": {
			func(t *testing.T, in *preflight.Input) error {
				edit(t, *in, "spec.md", "### STORY-002: Sign out", "### STORY-002 Sign out")
				return nil
			},
			[]string{
				"error spec: spec.md has stories that cannot be read",
				`  .ralph/feature-user-auth/spec.md:29: "STORY-002 Sign out" looks like a story, but no colon or dash follows the id. Write it as a heading "### STORY-001: Title", with level 2 to 4.`,
				"warn quality: Plan quality",
				"  .ralph/feature-user-auth/spec.md:36: there is no STORY-002 between STORY-001 and STORY-003",
			},
		},
		"title differs": {
			func(t *testing.T, in *preflight.Input) error {
				edit(t, *in, "spec.md", "STORY-002: Sign out", "STORY-002: Leave")
				return nil
			},
			[]string{"error sync: Sync check failed", "  .ralph/feature-user-auth/spec.md:29: STORY-002 title differs"},
		},
		"priority and description differ": {
			func(t *testing.T, in *preflight.Input) error {
				edit(t, *in, "prd.json", `"priority": 2`, `"priority": 1.5`, "As a visitor,", "As a guest,")
				return nil
			},
			nil,
		},
		"prd.json is empty": {
			func(t *testing.T, in *preflight.Input) error { write(t, *in, "prd.json", "\n"); return nil },
			[]string{
				"error prd_schema: prd.json schema invalid",
				"  .ralph/feature-user-auth/prd.json: the file is empty. Run 'ralph prd' to make it from spec.md.",
			},
		},
		"progress.txt is a directory": {
			func(_ *testing.T, in *preflight.Input) error {
				return errors.Join(os.Remove(inFolder(*in, "progress.txt")), os.Mkdir(inFolder(*in, "progress.txt"), 0o755))
			},
			[]string{"error files: Required files missing", "  progress.txt is not a regular file"},
		},
		"progress.txt is empty": {
			func(t *testing.T, in *preflight.Input) error { write(t, *in, "progress.txt", ""); return nil },
			[]string{"warn progress: progress.txt is empty"},
		},
		"uncommitted changes": {
			func(_ *testing.T, in *preflight.Input) error { in.Dirty = []string{"main.go"}; return nil },
			[]string{"warn working_tree: Uncommitted changes outside .ralph/", "  main.go"},
		},
		"derived files that were committed": {
			func(_ *testing.T, in *preflight.Input) error {
				in.Followed = []string{".claude/loop-state.json"}
				return nil
			},
			[]string{"warn derived: git tracks files that ralph writes, so agents commit them", "  .claude/loop-state.json"},
		},
		"no agent": {
			func(_ *testing.T, in *preflight.Input) error { in.Agent.Path = ""; return nil },
			[]string{"error agent: Agent 'claude' not found"},
		},
		"root approves everything": {
			func(_ *testing.T, in *preflight.Input) error { in.Agent.RootAndApproveAll = true; return nil },
			[]string{"error agent: Agent 'claude' must not approve everything as root"},
		},
		"no login": {
			func(_ *testing.T, in *preflight.Input) error { in.Agent.LoginSign = false; return nil },
			[]string{"warn agent: No sign of a login for agent 'claude'"},
		},
		"an agent by another name": {
			func(_ *testing.T, in *preflight.Input) error {
				in.Agent.Path, in.Agent.Command = "", "my-claude"
				return nil
			},
			[]string{"error agent: Agent 'claude' not found", "  command not found: my-claude"},
		},
		"an agent that may not be run": {
			func(_ *testing.T, in *preflight.Input) error {
				in.Agent.Path, in.Agent.Command, in.Agent.Blocked = "", "./agent.sh", true
				return nil
			},
			[]string{"error agent: Agent 'claude' may not be run: ./agent.sh is not executable"},
		},
		"a spare agent and a reviewer that cannot be called": {
			func(_ *testing.T, in *preflight.Input) error {
				in.Fallback = []preflight.Agent{{Name: "codex", Path: "/bin/codex"}, {Name: "mine", Command: "./mine", Blocked: true}}
				in.Reviewer = &preflight.Agent{Name: "gemini"}
				return nil
			},
			[]string{
				"warn fallback: No sign of a login for agent 'codex': it may not be able to take over",
				"warn fallback: Agent 'mine' may not be run: ./mine is not executable: it cannot take over",
				"warn review: Agent 'gemini' not found: it cannot review stories",
			},
		},
		"no quality checks": {
			func(t *testing.T, in *preflight.Input) error {
				in.Checked = false
				return os.WriteFile(filepath.Join(in.Root, "go.mod"), nil, 0o644)
			},
			[]string{"note no quality checks are configured: nothing proves that work is done; add to .ralph/config.yaml, for example: quality_checks: {test: \"go test ./...\"}"},
		},
		"archived": {
			func(_ *testing.T, in *preflight.Input) error {
				in.Archived = ".ralph/archive/20260115-103000-feature-user-auth"
				return os.RemoveAll(filepath.Join(in.Root, folder))
			},
			[]string{"error folder: Folder missing: the feature is done and archived in .ralph/archive/20260115-103000-feature-user-auth"},
		},
		"no criteria": {
			func(t *testing.T, in *preflight.Input) error {
				in.Checked = false
				withoutCriteria(t, *in)
				return nil
			},
			[]string{"error prd_schema: prd.json schema invalid",
				"  .ralph/feature-user-auth/prd.json:22:29: userStories[1].acceptanceCriteria: a story needs at least one acceptance criterion",
				"error criteria: Stories without acceptance criteria", "  .ralph/feature-user-auth/spec.md:29: STORY-002 has none",
				"note no quality checks are configured: nothing proves that work is done; add to .ralph/config.yaml, for example: quality_checks: {test: \"npm test\"}"},
		},
		"no criteria, but checks": {
			func(t *testing.T, in *preflight.Input) error { withoutCriteria(t, *in); return nil },
			[]string{"warn criteria: Stories without acceptance criteria: only the quality checks decide when they are done", "  .ralph/feature-user-auth/spec.md:29: STORY-002 has none"},
		},
		"dependencies": {
			func(t *testing.T, in *preflight.Input) error {
				edit(t, *in, "prd.json", `"priority": 1`, `"priority": 1, "dependsOn": ["STORY-002"]`,
					`"priority": 2`, `"priority": 2, "dependsOn": ["STORY-003", "STORY-009"]`, `"priority": 3`, `"priority": 3, "dependsOn": ["STORY-002"]`)
				return nil
			},
			[]string{"error dependencies: Dependencies cannot be met",
				"  .ralph/feature-user-auth/prd.json:18: STORY-002 depends on STORY-009, which is not in the plan",
				"  .ralph/feature-user-auth/prd.json:18: STORY-002 waits for itself: STORY-002 → STORY-003 → STORY-002"},
		},
		"agent not asked about": {
			func(_ *testing.T, in *preflight.Input) error { in.Agent = preflight.Agent{}; return nil },
			nil,
		},
	}
	for name, tt := range tests {
		t.Run(name, func(t *testing.T) {
			in := worktree(t, good)
			if err := tt.change(t, &in); err != nil {
				t.Fatal(err)
			}
			r := preflight.Run(in)
			if diff := cmp.Diff(tt.want, wrong(r)); diff != "" {
				t.Error(diff)
			}
			failed := strings.HasPrefix(strings.Join(tt.want, "\n"), "error") || strings.Contains(strings.Join(tt.want, "\n"), "\nerror")
			if r.OK == failed {
				t.Errorf("OK = %t", r.OK)
			}
			for _, c := range r.Checks {
				if c.Severity != preflight.OK && c.Hint == "" {
					t.Errorf("check %s does not say what to do", c.ID)
				}
			}
		})
	}
}

func inFolder(in preflight.Input, name string) string { return filepath.Join(in.Root, folder, name) }

// withoutCriteria removes those of STORY-002 from both files.
func withoutCriteria(t *testing.T, in preflight.Input) {
	t.Helper()
	const list = "- [ ] A click on \"Sign out\" ends the session\n- [ ] Unit tests pass\n"
	edit(t, in, "spec.md", list, "")
	p, _, err := prd.Load(inFolder(in, "prd.json"))
	if err != nil {
		t.Fatal(err)
	}
	p.Stories[1].AcceptanceCriteria = nil
	if err := p.Save(inFolder(in, "prd.json")); err != nil {
		t.Fatal(err)
	}
}

func TestJSON(t *testing.T) {
	in := worktree(t, good)
	edit(t, in, "spec.md", "### STORY-003: Sessions end", "### STORY-004: Sessions end")
	edit(t, in, "prd.json", `"passes": false`, `"passes": true`)
	got, err := json.MarshalIndent(preflight.Run(in), "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	var r struct {
		Unit, Branch, Folder string
		OK                   bool
		Checks               []struct {
			ID, Severity, Message, Hint string
			Details                     []string
		}
	}
	if err := json.Unmarshal(got, &r); err != nil {
		t.Fatal(err)
	}
	if r.Unit != "feature-user-auth" || r.Branch != "feature/user-auth" || r.Folder != folder || r.OK {
		t.Errorf("%s", got)
	}
	details := map[string][]string{}
	for _, c := range r.Checks {
		if c.Details == nil {
			t.Errorf("the details of %s are null, not a list", c.ID)
		}
		details[c.ID] = append(details[c.ID], c.Details...)
	}
	want := map[string][]string{
		"sync":    {".ralph/feature-user-auth/spec.md:36: STORY-004 in spec.md not found in prd.json"},
		"orphans": {".ralph/feature-user-auth/prd.json:30: STORY-003 in prd.json (passes: true) not found in spec.md: COMPLETED WORK WILL BE LOST"},
	}
	for id, lines := range want {
		if diff := cmp.Diff(lines, details[id]); diff != "" {
			t.Errorf("%s: %s", id, diff)
		}
	}
}

func TestTextBoundsTheDetails(t *testing.T) {
	in := worktree(t, good)
	for range 50 {
		in.Dirty = append(in.Dirty, "x")
	}
	got := text(t, preflight.Run(in))
	if n := strings.Count(got, "    - x\n"); n != 20 || !strings.Contains(got, "    - and 30 more\n") {
		t.Errorf("%d details are shown:\n%s", n, got)
	}
}

func TestGather(t *testing.T) {
	root := t.TempDir()
	// The user's own settings must not get in.
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	run(t, root, "git", "init", "-q", "-b", "feature/x")
	for _, name := range []string{"a.txt", ".ralph/feature-x/spec.md"} {
		path := filepath.Join(root, name)
		if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, nil, 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	repo, err := git.Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	in, err := preflight.ReadRepository(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	want := preflight.Input{Root: repo.Root, Branch: "feature/x", Dirty: []string{"a.txt"}, Nameless: true, Changes: []git.StatusEntry{
		{Path: ".ralph/feature-x/spec.md", XY: "??"}, {Path: "a.txt", XY: "??"},
	}}
	if diff := cmp.Diff(want, in); diff != "" {
		t.Error(diff)
	}
	run(t, root, "git", "config", "user.name", "Ada")
	run(t, root, "git", "config", "user.email", "ada@example.invalid")
	if in, err = preflight.ReadRepository(t.Context(), repo); err != nil || in.Nameless {
		t.Errorf("with a name and an address of its own: %+v, %v", in, err)
	}
}

// TestGatherTellsDerivedFilesApart: a derived file that git is about to remove, and a file
// next to derived ones, are ordinary uncommitted changes.
func TestGatherTellsDerivedFilesApart(t *testing.T) {
	root := t.TempDir()
	t.Setenv("GIT_CONFIG_GLOBAL", "/dev/null")
	t.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	run(t, root, "git", "init", "-q", "-b", "feature/x")
	files := []string{".claude/loop-state.json", ".claude/ralph-loop.log", ".claude/settings.json", ".ralph/feature-x/status.json", ".ralph/feature-x/spec.md"}
	put := func(text string) {
		for _, name := range files {
			path := filepath.Join(root, name)
			if err := errors.Join(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644)); err != nil {
				t.Fatal(err)
			}
		}
	}
	put("before")
	run(t, root, "git", "add", "-A")
	run(t, root, "git", "-c", "user.name=Ada", "-c", "user.email=ada@example.invalid", "commit", "-q", "-m", "all")
	run(t, root, "git", "rm", "-q", "--cached", ".claude/ralph-loop.log")
	put("after")
	repo, err := git.Open(t.Context(), root)
	if err != nil {
		t.Fatal(err)
	}
	in, err := preflight.ReadRepository(t.Context(), repo)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{".claude/loop-state.json", ".ralph/feature-x/status.json"}
	if diff := cmp.Diff(want, in.Followed); diff != "" || slices.Contains(in.Dirty, ".claude/loop-state.json") || !slices.Contains(in.Dirty, ".claude/settings.json") {
		t.Errorf("followed (-want +got):\n%s\nothers: %v", diff, in.Dirty)
	}
}
