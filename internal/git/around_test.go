package git

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAround(t *testing.T) {
	repo := newRepo(t)
	if err := repo.Exclude("status.json"); err != nil {
		t.Fatal(err)
	}
	before := repo.Around()
	if len(before.Hooks) > 0 || before.HooksPath != "" || len(before.Excluded) > 0 {
		t.Errorf("a new repository has %+v", before)
	}
	write(t, repo.CommonDir, "hooks/pre-commit", "#!/bin/sh\nmake test\n")
	write(t, repo.CommonDir, "hooks/not-executable", "x")
	write(t, repo.CommonDir, "info/exclude", read(t, filepath.Join(repo.CommonDir, "info", "exclude"))+"# remark\nsecret_test.go\n")
	git(t, repo.Root, "config", "core.hooksPath", "elsewhere")
	if err := os.Chmod(filepath.Join(repo.CommonDir, "hooks/pre-commit"), 0o755); err != nil {
		t.Fatal(err)
	}
	one := repo.Around()
	if len(one.Hooks) != 1 || one.Hooks["pre-commit"] == "" || one.HooksPath != "elsewhere" || !cmp.Equal(one.Excluded, []string{"secret_test.go"}) {
		t.Errorf("%+v", one)
	}
	write(t, repo.CommonDir, "hooks/pre-commit", "#!/bin/sh\nexit 0\n")
	if two := repo.Around(); two.Hooks["pre-commit"] == one.Hooks["pre-commit"] {
		t.Error("another hook has the same fingerprint")
	}
}
