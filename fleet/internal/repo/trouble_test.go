package repo

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// commitIn has an agent commit a file.
func commitIn(t *testing.T, dir, name string) string {
	t.Helper()
	put(t, dir, name, name+"\n")
	git(t, dir, "add", name)
	git(t, dir, "commit", "--quiet", "-m", name)
	return git(t, dir, "rev-parse", "HEAD")
}

// A push that was given up went through after all, when the next snapshot was there.
func TestPushThatCameLate(t *testing.T) {
	bare, _ := remote(t)
	a := mustClaim(t, bare, 1, "a")
	commitIn(t, a.Dir, "one.txt")
	first := take(t, a)
	second := commitIn(t, a.Dir, "two.txt")
	next := take(t, a)
	away := bare + ".away"
	if err := os.Rename(bare, away); err != nil {
		t.Fatal(err)
	}
	var trouble *TroubleError
	if err := a.Push(t.Context(), first); !errors.As(err, &trouble) {
		t.Fatalf("Push = %v", err)
	}
	if err := os.Rename(away, bare); err != nil {
		t.Fatal(err)
	}
	git(t, a.Dir, "push", "--quiet", bare, first.commit+":"+stateRef("feature/x"), first.Record.Head+":feature/x")
	if err := a.Push(t.Context(), next); err != nil {
		t.Errorf("Push = %v", err)
	}
	if got := git(t, bare, "rev-parse", "feature/x"); got != second {
		t.Errorf("the branch is at %s, want %s", got, second)
	}
}

// hook has the remote do something when it is pushed to.
func hook(t *testing.T, bare, name, script string) {
	t.Helper()
	put(t, bare, "hooks/"+name, "#!/bin/sh\n"+script+"\n")
	if err := os.Chmod(filepath.Join(bare, "hooks", name), 0o755); err != nil {
		t.Fatal(err)
	}
}

// The host that has lost a feature pushes once more while the next one takes it.
func TestClaimDuringThePushOfTheLastHost(t *testing.T) {
	bare, _ := remote(t)
	a := mustClaim(t, bare, 1, "a")
	late := take(t, a)
	git(t, a.Dir, "push", "--quiet", bare, late.commit+":refs/test/late")
	hook(t, bare, "pre-receive", `[ -e late-is-there ] && exit
touch late-is-there
unset GIT_QUARANTINE_PATH GIT_OBJECT_DIRECTORY GIT_ALTERNATE_OBJECT_DIRECTORIES
git update-ref `+stateRef("feature/x")+" refs/test/late")
	b, err := claim(t, bare, 2, "b")
	if err != nil {
		t.Fatal(err)
	}
	if b.Record.Spent.Iterations != 1 {
		t.Errorf("%+v", b.Record)
	}
	if err := a.Push(t.Context(), take(t, a)); !errors.Is(err, ErrOusted) {
		t.Errorf("Push of the last host = %v", err)
	}
}

func TestBranchThatAPersonSetBack(t *testing.T) {
	bare, _ := remote(t)
	before := git(t, bare, "rev-parse", "feature/x")
	a := mustClaim(t, bare, 1, "a")
	commitIn(t, a.Dir, "bad.txt")
	if err := a.Push(t.Context(), take(t, a)); err != nil {
		t.Fatal(err)
	}
	git(t, bare, "update-ref", "refs/heads/feature/x", before)
	b := mustClaim(t, bare, 2, "b")
	if err := b.Push(t.Context(), take(t, b)); err != nil {
		t.Fatal(err)
	}
	if got := git(t, bare, "rev-parse", "feature/x"); got != before {
		t.Errorf("the branch is at %s, the person had put it to %s", got, before)
	}
}

func TestBranchThatAPersonRemoved(t *testing.T) {
	bare, _ := remote(t)
	a := mustClaim(t, bare, 1, "a")
	git(t, bare, "update-ref", "-d", "refs/heads/feature/x")
	commitIn(t, a.Dir, "done.txt")
	if err := a.Push(t.Context(), take(t, a)); !IsRefusal(err) || !strings.Contains(err.Error(), "someone removed feature/x") {
		t.Errorf("Push = %v", err)
	}
	if _, err := claim(t, bare, 2, "b"); !errors.Is(err, ErrBranch) {
		t.Errorf("Claim = %v", err)
	}
}

// What no one has committed yet, such as how far the plan is, is not lost when a
// person adds a commit between two turns; unless both changed the same.
func TestBranchThatAPersonAddedTo(t *testing.T) {
	for _, test := range []struct{ theirs, plan, left string }{
		{"theirs.txt", `{"passes":true}`, ""},
		{".ralph/feature-x/prd.json", "theirs\n", "does not go together"},
	} {
		bare, seed := remote(t)
		a := mustClaim(t, bare, 1, "a")
		put(t, a.Dir, ".ralph/feature-x/prd.json", `{"passes":true}`)
		if err := a.Push(t.Context(), take(t, a)); err != nil {
			t.Fatal(err)
		}
		put(t, seed, test.theirs, "theirs\n")
		git(t, seed, "add", ".")
		git(t, seed, "commit", "--quiet", "-m", "theirs")
		git(t, seed, "push", "--quiet", bare, "feature/x")
		b := mustClaim(t, bare, 2, "b")
		if got, _ := os.ReadFile(filepath.Join(b.Dir, ".ralph/feature-x/prd.json")); string(got) != test.plan {
			t.Errorf("the plan is %q, want %q", got, test.plan)
		}
		if got, _ := os.ReadFile(filepath.Join(b.Dir, test.theirs)); string(got) != "theirs\n" {
			t.Errorf("the person's file holds %q", got)
		}
		if !strings.Contains(b.Note, test.left) || (b.Note == "") != (test.left == "") {
			t.Errorf("the note is %q", b.Note)
		}
	}
}

// An agent may leave things that git cannot add: a repository without a commit.
func TestSnapshotOfWhatGitCannotAdd(t *testing.T) {
	bare, _ := remote(t)
	a := mustClaim(t, bare, 1, "a")
	git(t, a.Dir, "init", "--quiet", "nested")
	put(t, a.Dir, "half.txt", "half\n")
	if err := a.Push(t.Context(), take(t, a)); err != nil {
		t.Fatal(err)
	}
	if got := git(t, bare, "show", stateRef("feature/x")+":work/half.txt"); got != "half" {
		t.Errorf("half.txt holds %q", got)
	}
}
