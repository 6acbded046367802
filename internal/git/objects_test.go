package git

import "testing"

func TestCompose(t *testing.T) {
	r := newRepo(t)
	write(t, r.Root, "dir/b", "two\n")
	write(t, r.Root, "link", "x")
	head := commit(t, r.Root)
	hash, err := r.WriteBlob("three\n")
	if err != nil {
		t.Fatal(err)
	}
	tree, err := r.Compose(t.Context(), head, map[string]TreeEntry{"a": {}, "dir/b": {"100755", hash}, "link": {}, "link/c": {"100644", hash}})
	if err != nil {
		t.Fatal(err)
	}
	commit, err := r.CommitTree(tree, head)
	if err != nil {
		t.Fatal(err)
	}
	if again, _ := r.CommitTree(tree, head); again != commit {
		t.Error("the same tree gave another commit")
	}
	entries, err := r.Entries(t.Context(), commit)
	if err != nil || len(entries) != 2 || entries["dir/b"] != (TreeEntry{"100755", hash}) || !entries["link/c"].IsFile() {
		t.Errorf("%v, %v", entries, err)
	}
	if out := git(t, r.Root, "status", "--porcelain"); out != "" {
		t.Errorf("the worktree has changed: %s", out)
	}
	texts, err := r.Contents(t.Context(), entries["dir/b"].Hash)
	if err != nil || texts[0] != "three\n" {
		t.Errorf("%q, %v", texts, err)
	}
}

func TestSnapshot(t *testing.T) {
	r := newRepo(t)
	write(t, r.Root, ".gitignore", "*.out\n")
	head := commit(t, r.Root)
	write(t, r.Root, "a", "changed\n")
	write(t, r.Root, "new", "new\n")
	write(t, r.Root, "built.out", "")
	tree, err := r.Snapshot(t.Context(), head)
	if err != nil {
		t.Fatal(err)
	}
	if out := git(t, r.Root, "diff", "--name-status", head, tree); out != "M\ta\nA\tnew" {
		t.Errorf("the snapshot differs in %q", out)
	}
	if out := git(t, r.Root, "diff", "--cached", "--name-only"); out != "" {
		t.Errorf("the index has changed: %s", out)
	}
}

func TestMergeTree(t *testing.T) {
	r := newRepo(t)
	git(t, r.Root, "switch", "-q", "-c", "other")
	write(t, r.Root, "b", "theirs\n")
	other := commit(t, r.Root)
	git(t, r.Root, "switch", "-q", "main")
	write(t, r.Root, "c", "ours\n")
	ours := commit(t, r.Root)
	tree, ok, err := r.MergeTree(t.Context(), ours, other)
	if err != nil || !ok {
		t.Fatal(ok, err)
	}
	if files := git(t, r.Root, "ls-tree", "--name-only", tree); files != "a\nb\nc" {
		t.Errorf("the merge has %q", files)
	}
	base, err := r.MergeBase(t.Context(), ours, other)
	if err != nil || base != git(t, r.Root, "rev-parse", "main~1") {
		t.Errorf("%s, %v", base, err)
	}
	write(t, r.Root, "b", "ours\n")
	if _, ok, err := r.MergeTree(t.Context(), commit(t, r.Root), other); ok || err != nil {
		t.Errorf("a conflict is ok: %v, %v", ok, err)
	}
}
