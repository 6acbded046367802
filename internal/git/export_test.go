package git

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// No program that the settings of a repository name is started, however they are written.
func TestNoProgramOfTheRepositoryRuns(t *testing.T) {
	for name, config := range map[string]string{
		"a filter":                   "[filter \"x\"]\n\tclean = touch MARK; cat\n\tsmudge = touch MARK; cat\n\trequired = true\n",
		"a process":                  "[filter \"x\"]\n\tprocess = touch MARK\n",
		"after another heading":      "[a] [filter \"x\"] clean = touch MARK; cat\n",
		"in the old form":            "[filter.x]\n\tclean = touch MARK; cat\n",
		"in capitals":                "[FILTER \"x\"]\n\tCLEAN = touch MARK; cat\n",
		"after a mark of order":      "\ufeff[filter \"x\"]\n\tclean = touch MARK; cat\n",
		"behind a line that goes on": "[filter \"x\"]\n\tfoo = \"a\\\n[core]\\\n\"\n\tclean = touch MARK; cat\n",
		"in a file that it includes": "[include]\n\tpath = ../included\n",
		"fsmonitor":                  "[core]\n\tfsmonitor = touch MARK\n",
		"a diff":                     "[diff]\n\texternal = touch MARK\n[diff \"x\"]\n\ttextconv = touch MARK; cat\n\tcommand = touch MARK\n",
		"a merge driver":             "[merge \"x\"]\n\tdriver = touch MARK\n",
		"a hook":                     "[core]\n\thooksPath = hooks-of-the-agent\n",
	} {
		t.Run(name, func(t *testing.T) {
			repo := newRepo(t)
			mark := filepath.Join(t.TempDir(), "mark")
			config = strings.ReplaceAll(config, "MARK", mark)
			write(t, repo.Root, ".gitattributes", "* filter=x diff=x merge=x\n")
			git(t, repo.Root, "add", "-A")
			git(t, repo.Root, "commit", "-q", "-m", "attributes")
			base := strings.TrimSpace(git(t, repo.Root, "rev-parse", "HEAD"))
			for _, hook := range []string{"post-checkout", "post-index-change", "reference-transaction"} {
				write(t, repo.Root, "hooks-of-the-agent/"+hook, "#!/bin/sh\ntouch "+mark+"\n")
				if err := os.Chmod(filepath.Join(repo.Root, "hooks-of-the-agent", hook), 0o755); err != nil {
					t.Fatal(err)
				}
			}
			included := "[filter \"x\"]\n\tclean = touch " + mark + "; cat\n"
			write(t, repo.Root, "included", included)
			old := read(t, filepath.Join(repo.CommonDir, "config"))
			write(t, repo.CommonDir, "config", config+old)
			write(t, repo.Root, "a", "changed\n")
			if _, err := repo.Status(t.Context()); err != nil {
				t.Error(err)
			}
			if _, _, err := repo.Diff(t.Context(), Diff{From: base, Limit: 1 << 20}); err != nil {
				t.Error(err)
			}
			if _, err := repo.Snapshot(t.Context(), base); err != nil {
				t.Error(err)
			}
			if err := repo.Export(t.Context(), filepath.Join(t.TempDir(), "x"), base); err != nil {
				t.Error(err)
			}
			if _, _, err := repo.MergeTree(t.Context(), base, base); err != nil {
				t.Error(err)
			}
			if _, err := os.Stat(mark); err == nil {
				t.Error("a program of the repository has run")
			}
		})
	}
}

// An export is the commit, its history and the tags, as stored: whatever the settings make of
// line ends in a worktree.
func TestExport(t *testing.T) {
	repo := newRepo(t)
	write(t, repo.Root, "script", "#!/bin/sh\ntrue\n")
	content := "a large picture\n"
	sum := sha256.Sum256([]byte(content))
	oid := hex.EncodeToString(sum[:])
	pointer := "version https://git-lfs.github.com/spec/v1\noid sha256:" + oid + "\nsize 16\n"
	write(t, repo.Root, "picture.psd", pointer)
	write(t, repo.Root, "other.psd", strings.Replace(pointer, oid, strings.Repeat("0", 64), 1))
	write(t, repo.Root, ".gitattributes", "*.psd filter=lfs diff=lfs merge=lfs -text\n")
	git(t, repo.Root, "add", "-A")
	git(t, repo.Root, "commit", "-q", "-m", "files")
	git(t, repo.Root, "tag", "v1")
	git(t, repo.Root, "branch", "elsewhere")
	write(t, repo.CommonDir, filepath.Join("lfs/objects", oid[:2], oid[2:4], oid), content)
	git(t, repo.Root, "config", "core.autocrlf", "true")
	git(t, repo.Root, "config", "core.eol", "crlf")
	git(t, repo.Root, "config", "filter.lfs.smudge", "sleep 1000")
	head := strings.TrimSpace(git(t, repo.Root, "rev-parse", "HEAD"))
	dir := filepath.Join(t.TempDir(), "out")
	if err := repo.Export(t.Context(), dir, head); err != nil {
		t.Fatal(err)
	}
	if got := read(t, filepath.Join(dir, "script")); got != "#!/bin/sh\ntrue\n" {
		t.Errorf("the script is %q", got)
	}
	if got := read(t, filepath.Join(dir, "picture.psd")); got != content {
		t.Errorf("content of git-lfs is %q", got)
	}
	for args, want := range map[string]string{
		"rev-parse HEAD":                       head,
		"describe --tags":                      "v1",
		"for-each-ref refs/heads refs/remotes": "",
		"status --porcelain --ignored":         "",
		"rev-list --count HEAD":                git(t, repo.Root, "rev-list", "--count", "HEAD"),
	} {
		if got := git(t, dir, strings.Fields(args)...); got != want {
			t.Errorf("git %s in the export: %q, want %q", args, got, want)
		}
	}
	if err := os.Remove(filepath.Join(repo.Root, "a")); err != nil {
		t.Fatal(err)
	}
	if read(t, filepath.Join(dir, "a")) == "" {
		t.Error("the export shares files with the worktree")
	}
}
