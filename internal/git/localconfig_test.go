package git

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestLocalConfig(t *testing.T) {
	repo := newRepo(t)
	if err := repo.Exclude("status.json"); err != nil {
		t.Fatal(err)
	}
	before := repo.LocalConfig()
	if len(before.Hooks) > 0 || before.HooksPath != "" || !cmp.Equal(before.Excluded, []string{"status.json"}) || !cmp.Equal(before.Unseen, []string{"core.filemode = true"}) {
		t.Errorf("a new repository has %+v", before)
	}
	write(t, repo.CommonDir, "hooks/pre-commit", "#!/bin/sh\nmake test\n")
	write(t, repo.CommonDir, "hooks/not-executable", "x")
	write(t, repo.CommonDir, "info/exclude", read(t, filepath.Join(repo.CommonDir, "info", "exclude"))+"# remark\nsecret_test.go\n")
	git(t, repo.Root, "config", "core.hooksPath", "elsewhere")
	if err := os.Chmod(filepath.Join(repo.CommonDir, "hooks/pre-commit"), 0o755); err != nil {
		t.Fatal(err)
	}
	one := repo.LocalConfig()
	if len(one.Hooks) != 1 || one.Hooks["pre-commit"] == "" || one.HooksPath != "elsewhere" || !cmp.Equal(one.Excluded, []string{"secret_test.go", "status.json"}) {
		t.Errorf("%+v", one)
	}
	write(t, repo.CommonDir, "hooks/pre-commit", "#!/bin/sh\nexit 0\n")
	if two := repo.LocalConfig(); two.Hooks["pre-commit"] == one.Hooks["pre-commit"] {
		t.Error("another hook has the same fingerprint")
	}
}

// TestLocalConfigUnseen makes git show files differently in every known way.
func TestLocalConfigUnseen(t *testing.T) {
	repo := newRepo(t)
	for _, kv := range [][2]string{
		{"core.sparseCheckout", "true"}, {"core.excludesFile", "/tmp/all"}, {"filter.my]x.smudge", "echo exit 0"}, {"filter.a.clean", "cat"},
		{"include.path", "../more"}, {"user.name", "A"}, {"remote.origin.url", "x"},
	} {
		git(t, repo.Root, "config", kv[0], kv[1])
	}
	write(t, repo.CommonDir, "info/attributes", "# remark\n*_test.sh filter=a\n")
	write(t, repo.GitDir, "info/sparse-checkout", "/*\n!tests/\n")
	write(t, repo.CommonDir, "config", read(t, filepath.Join(repo.CommonDir, "config"))+"[Core] trustctime\n; [filter \"no\"] clean = x\n")
	around := repo.LocalConfig()
	got := around.Unseen
	slices.Sort(got)
	want := []string{
		"core.excludesfile = /tmp/all", "core.filemode = true", "core.trustctime = true",
		"filter.a.clean = cat", "filter.my]x.smudge = echo exit 0", "include.path = ../more",
		"info/attributes: *_test.sh filter=a",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff([]string{"/*", "!tests/"}, around.Sparse); diff != "" {
		t.Error(diff)
	}
	git(t, repo.Root, "config", "core.sparseCheckout", "false") // the list stays where it is
	if got := repo.LocalConfig().Sparse; got != nil {
		t.Errorf("all is checked out, and %q alone were to be", got)
	}
}

// TestReplacedObjectsAreNotBelieved has git show one file in the place of another:
// what ralph asks git for is what was committed.
func TestReplacedObjectsAreNotBelieved(t *testing.T) {
	repo := newRepo(t)
	write(t, repo.Root, "test.sh", "exit 1\n")
	write(t, repo.Root, "easy.sh", "exit 0\n")
	commit(t, repo.Root)
	git(t, repo.Root, "replace", "HEAD:test.sh", "HEAD:easy.sh")
	dir := filepath.Join(t.TempDir(), "clean")
	if err := repo.Export(t.Context(), dir, git(t, repo.Root, "rev-parse", "HEAD")); err != nil {
		t.Fatal(err)
	}
	if text := read(t, filepath.Join(dir, "test.sh")); text != "exit 1\n" {
		t.Errorf("it was checked out as %q", text)
	}
}
