package repo

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// A host that could not push continues with what it has when it gets the feature again,
// where no one else has had it since.
func TestSnapshotThatCouldNotBePushed(t *testing.T) {
	bare, _ := remote(t)
	a := mustClaim(t, bare, 1, "a")
	done := commitIn(t, a.Dir, "done.txt")
	put(t, a.Dir, "half.txt", "half\n")
	take(t, a)
	a.Close()
	again := mustClaim(t, bare, 2, "a")
	if again.Record.Spent.Iterations != 1 {
		t.Errorf("%+v", again.Record)
	}
	if got, _ := os.ReadFile(filepath.Join(again.Dir, "half.txt")); string(got) != "half\n" {
		t.Errorf("half.txt holds %q", got)
	}
	if got := git(t, bare, "rev-parse", "feature/x"); got != done {
		t.Errorf("the branch is at %s, want %s", got, done)
	}
	if kept := git(t, bare, "for-each-ref", "refs/ralph/kept/"); kept != "" {
		t.Errorf("it is kept besides: %s", kept)
	}
}

// Where another host has had the feature since, or the user pushed, the work is kept.
func TestSnapshotThatNobodyGoesOnWith(t *testing.T) {
	for name, meanwhile := range map[string]func(bare, seed string){
		"another host": func(bare, _ string) { mustClaim(t, bare, 2, "b") },
		"a person": func(bare, seed string) {
			commitIn(t, seed, "theirs.txt")
			git(t, seed, "push", "--quiet", bare, "feature/x")
		},
	} {
		t.Run(name, func(t *testing.T) {
			bare, seed := remote(t)
			a := mustClaim(t, bare, 1, "a")
			done := commitIn(t, a.Dir, "done.txt")
			take(t, a)
			a.Close()
			meanwhile(bare, seed)
			again := mustClaim(t, bare, 3, "a")
			if _, err := os.Stat(filepath.Join(again.Dir, "done.txt")); err == nil {
				t.Error("it went on with its own work")
			}
			deliverAll(t, bare)
			wantKept(t, bare, done)
		})
	}
}

// A host that does not get the feature again delivers its work all the same.
func TestWorkIsDeliveredLater(t *testing.T) {
	bare, _ := remote(t)
	a := mustClaim(t, bare, 1, "a")
	done := commitIn(t, a.Dir, "done.txt")
	take(t, a)
	deliverAll(t, bare)
	if kept := git(t, bare, "for-each-ref", "refs/ralph/kept/"); kept != "" {
		t.Errorf("a turn is at work, and its snapshot is kept: %s", kept)
	}
	a.Close()
	deliverAll(t, bare) // it may get the feature again
	mustClaim(t, bare, 2, "b")
	deliverAll(t, bare)
	wantKept(t, bare, done)
	if left := git(t, a.mirror, "for-each-ref", "refs/ralph/local/", "refs/ralph/kept/"); left != "" {
		t.Errorf("what was delivered stays on the host: %s", left)
	}
}

// What an agent committed in the iteration in which its worker was killed is kept, and
// nothing where it had committed nothing.
func TestCommitsOfAKilledWorker(t *testing.T) {
	bare, _ := remote(t)
	a := mustClaim(t, bare, 1, "a")
	if err := a.Push(t.Context(), take(t, a)); err != nil {
		t.Fatal(err)
	}
	w := workspace(t, bare, "a") // of the worker that starts next
	put(t, a.Dir, "half.txt", "half\n")
	if err := w.Discard(t.Context(), a.Dir); err != nil {
		t.Fatal(err)
	}
	if left := git(t, a.mirror, "for-each-ref"); left != "" {
		t.Errorf("without a commit: %s", left)
	}
	a = mustClaim(t, bare, 2, "a")
	put(t, a.Dir, "half.txt", "half\n")
	pushed := commitIn(t, a.Dir, "pushed.txt")
	git(t, a.mirror, "push", "--quiet", bare, pushed+":refs/heads/feature/x") // and the worker died of it
	if err := w.Discard(t.Context(), a.Dir); err != nil {
		t.Fatal(err)
	}
	if left := git(t, a.mirror, "for-each-ref"); left != "" {
		t.Errorf("with a commit that the remote has: %s", left)
	}
	a = mustClaim(t, bare, 3, "a")
	put(t, a.Dir, "half.txt", "half\n")
	done := commitIn(t, a.Dir, "done.txt")
	if err := w.Discard(t.Context(), a.Dir); err != nil {
		t.Fatal(err)
	}
	mustClaim(t, bare, 4, "a")
	deliverAll(t, bare)
	wantKept(t, bare, done)
	if got := git(t, bare, "show", git(t, bare, "for-each-ref", "--format=%(refname)", "refs/ralph/kept/")+":work/half.txt"); got != "half" {
		t.Errorf("half.txt holds %q", got)
	}
}

// A worktree without its record does not keep the host from the feature.
func TestWorktreeWithoutRecord(t *testing.T) {
	bare, _ := remote(t)
	a := mustClaim(t, bare, 1, "a")
	done := commitIn(t, a.Dir, "done.txt")
	git(t, a.mirror, "update-ref", "-d", stateRef("feature/x"))
	a.Close()
	mustClaim(t, bare, 2, "a")
	deliverAll(t, bare)
	if git(t, bare, "for-each-ref", "--contains", done, "refs/ralph/kept/") == "" {
		t.Error("the commit is lost")
	}
}

// A mirror holds no references of features that were handed back: one named feature
// would be in the way of one named feature/x.
func TestMirrorForgets(t *testing.T) {
	bare, _ := remote(t)
	a := mustClaim(t, bare, 1, "a")
	commitIn(t, a.Dir, "done.txt")
	if err := a.Push(t.Context(), take(t, a)); err != nil {
		t.Fatal(err)
	}
	if err := a.Remove(t.Context()); err != nil {
		t.Fatal(err)
	}
	a.Close()
	if left := git(t, a.mirror, "for-each-ref"); left != "" {
		t.Errorf("the mirror has %s", left)
	}
	workspace(t, bare, "a").TidyUp(t.Context(), time.Now())
	mustClaim(t, bare, 2, "a")
}

func deliverAll(t *testing.T, bare string) {
	t.Helper()
	if err := workspace(t, bare, "a").Deliver(t.Context()); err != nil {
		t.Fatal(err)
	}
}

func wantKept(t *testing.T, bare, commit string) {
	t.Helper()
	kept := git(t, bare, "for-each-ref", "--contains", commit, "--format=%(refname)", "refs/ralph/kept/")
	if !strings.HasPrefix(kept, "refs/ralph/kept/feature/x/") || !strings.HasSuffix(kept, "-a") {
		t.Errorf("the commit is kept under %q", kept)
	}
}
