package git

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// Backup and Restore undo an agent's changes to the settings, the hooks, ralph's refs and other
// files.
func TestBackup(t *testing.T) {
	repo := newRepo(t)
	hooks := filepath.Join(repo.CommonDir, "hooks")
	write(t, hooks, "pre-push", "#!/bin/sh\n")
	home := t.TempDir()
	settings, absent := filepath.Join(home, "settings.json"), filepath.Join(home, "new", "settings.json")
	write(t, home, "settings.json", "{}\n")
	git(t, repo.Root, "update-ref", "refs/ralph/unit/x", "HEAD")
	git(t, repo.Root, "notes", "--ref", "ralph", "add", "-m", "receipt")
	before := func() []string {
		return []string{read(t, filepath.Join(repo.CommonDir, "config")), read(t, filepath.Join(hooks, "pre-push")), read(t, settings),
			git(t, repo.Root, "for-each-ref", "refs/ralph/unit", "refs/notes")}
	}
	was := before()
	k := repo.Backup("refs/ralph/unit/", settings, absent)
	if list, err := k.Restore(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("put back %v, %v where nothing has changed", list, err)
	}
	git(t, repo.Root, "config", "branch.main.remote", "origin")
	git(t, repo.Root, "config", "branch.main.merge", "refs/heads/main")
	was[0] = read(t, filepath.Join(repo.CommonDir, "config"))
	if list, err := k.Restore(t.Context()); err != nil || len(list) > 0 {
		t.Errorf("put back %v, %v where a branch follows another", list, err)
	}
	k = repo.Backup("refs/ralph/unit/", settings, absent)
	git(t, repo.Root, "config", "core.hooksPath", "/tmp/evil")
	write(t, hooks, "pre-commit", "#!/bin/sh\nexit 0\n")
	if err := os.Remove(filepath.Join(hooks, "pre-push")); err != nil {
		t.Fatal(err)
	}
	write(t, home, "settings.json", `{"permissions": {"allow": ["Bash"]}}`)
	write(t, home, "new/settings.json", `{}`)
	git(t, repo.Root, "update-ref", "-d", "refs/ralph/unit/x")
	git(t, repo.Root, "update-ref", "refs/ralph/unit/evil", "HEAD")
	git(t, repo.Root, "update-ref", "refs/ralph/other/kept", "HEAD") // by a loop in another worktree
	git(t, repo.Root, "notes", "--ref", "ralph", "add", "-f", "-m", "a receipt that the agent wrote")
	list, err := k.Restore(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, r := range list {
		names = append(names, filepath.Base(r.Path))
	}
	slices.Sort(names)
	if got := strings.Join(names, " "); got != "config evil pre-commit pre-push ralph settings.json settings.json x" {
		t.Errorf("put back %s", got)
	}
	if now := before(); !slices.Equal(now, was) {
		t.Errorf("now %q\nwas %q", now, was)
	}
	for _, path := range []string{absent, filepath.Join(hooks, "pre-commit")} {
		if _, err := os.Stat(path); err == nil {
			t.Errorf("%s is still there", path)
		}
	}
}

// Receipts that loops in other worktrees write while an agent runs are kept, and what the agent
// writes around them is not.
func TestBackupOfNotes(t *testing.T) {
	forge := func(repo *Repo) {
		git(t, repo.Root, "notes", "--ref", "ralph", "append", "-m", "forged", "HEAD~1")
	}
	for name, c := range map[string]struct {
		do   func(repo *Repo, receipt func())
		want string // the notes of the two commits
		said bool
	}{
		"nothing":                   {func(*Repo, func()) {}, "old", false},
		"another loop":              {func(_ *Repo, receipt func()) { receipt() }, "old+other", false},
		"an agent":                  {func(repo *Repo, _ func()) { forge(repo) }, "old", true},
		"another loop, an agent":    {func(repo *Repo, receipt func()) { receipt(); forge(repo) }, "old+other", true},
		"an agent, another loop":    {func(repo *Repo, receipt func()) { forge(repo); receipt() }, "old+other", true},
		"another loop, and deleted": {func(repo *Repo, receipt func()) { receipt(); git(t, repo.Root, "update-ref", "-d", notesRef) }, "old+other", true},
		"restored by another loop": {func(repo *Repo, receipt func()) {
			k := repo.Backup("refs/ralph/other/")
			forge(repo)
			if _, err := k.Restore(t.Context()); err != nil {
				t.Error(err)
			}
			receipt()
		}, "old+other", false},
	} {
		repo := newRepo(t)
		git(t, repo.Root, "commit", "-q", "--allow-empty", "-m", "second")
		receipt := func(text string) {
			if err := repo.Notes().Append(t.Context(), "HEAD", text+"\n"); err != nil {
				t.Error(err)
			}
		}
		receipt("old")
		k := repo.Backup("refs/ralph/unit/")
		c.do(repo, func() { receipt("other") })
		list, err := k.Restore(t.Context())
		if err != nil || (len(list) > 0) != c.said {
			t.Errorf("%s: restored %v, %v", name, list, err)
		}
		notes, err := repo.Notes().List(t.Context())
		if err != nil {
			t.Error(err)
		}
		var texts []string
		for _, n := range notes {
			texts = append(texts, strings.Join(strings.Fields(n.Text), "+"))
		}
		if got := strings.Join(texts, " "); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

// Everything of a repository but its files counts, and git's own refresh of the index does not.
func TestMetadata(t *testing.T) {
	for what, do := range map[string]func(repo *Repo){
		"":                        func(repo *Repo) { git(t, repo.Root, "status"); git(t, repo.Root, "update-index", "--refresh") },
		"HEAD":                    func(repo *Repo) { git(t, repo.Root, "checkout", "-q", "--detach") },
		"the index":               func(repo *Repo) { write(t, repo.Root, "b", ""); git(t, repo.Root, "add", "b") },
		"branches, tags or notes": func(repo *Repo) { git(t, repo.Root, "branch", "evil") },
		"the hooks":               func(repo *Repo) { write(t, repo.CommonDir, "hooks/pre-commit", "") },
		"git's settings":          func(repo *Repo) { git(t, repo.Root, "config", "a.b", "c") },
	} {
		repo := newRepo(t)
		before := repo.ReadMetadata()
		do(repo)
		changed, err := repo.ChangedSince(t.Context(), before)
		if err != nil {
			t.Fatal(err)
		}
		if got := strings.Join(changed, " + "); got != what {
			t.Errorf("changed is %q, want %q", got, what)
		}
	}
}
