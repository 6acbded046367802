package check

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"ralph/internal/journal"
	"ralph/internal/room"
)

// roomsIn returns the rooms of a repository, with a nearly empty home folder.
func roomsIn(t *testing.T) (rs *Rooms, commit, home string, run func(command string, place string) Result) {
	t.Helper()
	program, err := room.Find(t.Context())
	if err != nil {
		t.Skipf("no rooms here: %v", err)
	}
	repo, _, _, state := newRepo(t)
	g, _ := guardian(t)
	home = t.TempDir()
	t.Setenv("HOME", home)
	write(t, filepath.Join(repo.Root, "package.json"), "{}\n")
	write(t, filepath.Join(repo.Root, "package-lock.json"), "{}\n")
	write(t, filepath.Join(repo.Root, "requirements.txt"), "x\n")
	write(t, filepath.Join(repo.Root, ".gitignore"), "node_modules/\n.venv/\n.env\n")
	command(t, repo.Root, "git", "add", "-A")
	command(t, repo.Root, "git", "-c", "user.name=A", "-c", "user.email=a@example.org", "commit", "-q", "-m", "npm")
	write(t, filepath.Join(repo.Root, "node_modules", "dep", "index.js"), "original\n")
	write(t, filepath.Join(repo.Root, ".venv", "tool"), "a virtual environment\n")
	write(t, filepath.Join(repo.Root, ".env"), "SECRET=1\n")
	commit = command(t, repo.Root, "git", "rev-parse", "HEAD")
	rs = &Rooms{Scratch: filepath.Join(state, "rooms"),
		Site: room.Site{Program: program, Root: repo.Root, GitDir: repo.GitDir, Common: repo.CommonDir, Home: home, Env: os.Environ()},
		Deps: &Deps{Repo: repo, Store: filepath.Join(state, "prepared"), Limit: time.Minute}}
	run = func(line, place string) Result {
		t.Helper()
		dir := repo.Root
		if place == "clean" {
			clean, err := NewCleanWorktree(t.Context(), repo, commit, "")
			if err != nil {
				t.Fatal(err)
			}
			defer clean.Remove()
			if dir, err = clean.Dir(t.Context()); err != nil {
				t.Fatal(err)
			}
		}
		r, err := Run(t.Context(), g, Check{Name: line, Command: line, Timeout: time.Minute, Rooms: rs}, dir, os.Environ())
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	return rs, commit, home, run
}

// What a check in a clean room has and has not: the path of the worktree, borrowed
// dependencies, no files that git ignores.
func TestRoomsBorrow(t *testing.T) {
	rs, _, home, run := roomsIn(t)
	write(t, filepath.Join(home, "file"), "")
	for _, line := range []string{
		"test \"$PWD\" = '" + rs.Site.Root + "'", "test -z \"$(git status --porcelain --ignored | grep -v 'node_modules\\|.venv')\"",
		"test \"$(cat node_modules/dep/index.js)\" = original", "! echo x >node_modules/dep/index.js", "grep -q virtual .venv/tool", "test ! -e .env", "test ! -e ~/file && echo x >~/own",
		"echo x >a && echo x >new",
	} {
		if r := run(line, "clean"); !r.Green() || r.Unsealed != "" {
			t.Errorf("%s: %v, unsealed %q\n%s", line, r, r.Unsealed, r.Tail)
		}
	}
	if got, _ := os.ReadFile(filepath.Join(rs.Site.Root, "a")); string(got) != "one\n" {
		t.Errorf("the worktree has changed: %q", got)
	}
	if left, _ := os.ReadDir(rs.Scratch); len(left) > 0 {
		t.Errorf("rooms are left: %v", left)
	}
}

// What tools write into their caches is thrown away where they need that, and refused elsewhere.
// What npx has downloaded is not there.
func TestRoomsCaches(t *testing.T) {
	_, _, home, run := roomsIn(t)
	for _, file := range []string{".npm/_cacache/x", ".npm/_npx/1/package.json", ".m2/repository/x", ".gradle/gradle.properties", ".gradle/daemon/x",
		".gradle/caches/modules-2/modules-2.lock", ".gradle/caches/modules-2/files-2.1/x", ".gradle/caches/modules-2/metadata-2.1/x", ".gradle/wrapper/dists/gradle-8/1/gradle-8/x"} {
		write(t, filepath.Join(home, file), "original\n")
	}
	const gradle = "cd ~/.gradle && "
	for _, line := range []string{
		"test -e ~/.npm/_cacache/x && test ! -e ~/.npm/_npx/1", "test -e ~/.m2/repository/x && ! echo x >~/.m2/repository/x",
		gradle + "test -e gradle.properties && test ! -e daemon && echo x >new && echo x >caches/modules-2/modules-2.lock",
		gradle + "cd caches/modules-2 && ! echo x >files-2.1/x && cmp files-2.1/x metadata-2.1/x && echo x >metadata-2.1/x",
		gradle + "cd wrapper/dists/gradle-8/1 && echo x >gradle-8.lck && test -e gradle-8/x && ! echo x >gradle-8/x",
	} {
		if r := run(line, "clean"); !r.Green() || r.Unsealed != "" {
			t.Errorf("%s: %v, unsealed %q\n%s", line, r, r.Unsealed, r.Tail)
		}
	}
	_, err := os.Stat(filepath.Join(home, ".gradle/new"))
	if got, _ := os.ReadFile(filepath.Join(home, ".gradle/caches/modules-2/metadata-2.1/x")); string(got) != "original\n" || err == nil {
		t.Errorf("Gradle's home has changed: %q, %v", got, err)
	}
}

// What the user names is borrowed in place of what is found, files too.
func TestRoomsBorrowWhatIsNamed(t *testing.T) {
	rs, _, _, run := roomsIn(t)
	rs.Deps.Borrow = []string{".env", "nowhere", "../outside"}
	if r := run("grep -q SECRET .env && test ! -e node_modules && ! echo x >.env", "clean"); !r.Green() || r.Unsealed != "" {
		t.Errorf("%v, unsealed %q: %s", r, r.Unsealed, r.Tail)
	}
}

// The commands of proof.prepare run once for each state of the lock files.
func TestRoomsPrepare(t *testing.T) {
	rs, _, _, run := roomsIn(t)
	rs.Deps.Prepare = []string{"mkdir -p node_modules/made", "date +%s%N >node_modules/made/when"}
	first := run("cat node_modules/made/when", "clean")
	second := run("cat  node_modules/made/when", "clean")
	if !first.Green() || first.Tail == "" || first.Tail != second.Tail {
		t.Errorf("made at %q and at %q (%v)", first.Tail, second.Tail, first)
	}
	rs.Deps.Prepare = []string{"echo no such registry; exit 4"}
	if r := run("true", "clean"); r.Outcome != journal.CheckFailed || !strings.Contains(r.Tail, "proof.prepare failed (failed): no such registry") {
		// It passes outside, where nothing is prepared: then it is named as unsealed.
		if r.Unsealed == "" {
			t.Errorf("%v: %s", r, r.Tail)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(rs.Deps.Store, "*", "tree")); len(left) != 1 {
		t.Errorf("%d prepared trees, want that which was made", len(left))
	}
}

// A check that needs a port of the machine is sealed if the settings give it the network.
func TestRoomsNetwork(t *testing.T) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, port, _ := net.SplitHostPort(l.Addr().String())
	rs, _, _, run := roomsIn(t)
	connect := "bash -c ': </dev/tcp/127.0.0.1/" + port + "'"
	if r := run(connect, "in place"); !r.Green() || !strings.Contains(r.Unsealed, "proof: {network: true}") {
		t.Errorf("%v, unsealed %q: %s", r, r.Unsealed, r.Tail)
	}
	rs.unsealed, rs.Network, rs.Require = nil, true, true
	if r := run(connect, "in place"); !r.Green() || r.Unsealed != "" {
		t.Errorf("%v, unsealed %q: %s", r, r.Unsealed, r.Tail)
	}
}

// A check that passes only outside is named, and with require it has failed. Once it was
// green in its room, its failures are not tried outside any more.
func TestRoomsOutside(t *testing.T) {
	rs, _, home, run := roomsIn(t)
	write(t, filepath.Join(home, "file"), "")
	line := "test -e '" + filepath.Join(home, "file") + "' || { echo connection refused; exit 1; }"
	if r := run("true", "in place"); r.Open {
		t.Error("a check in its room is said to have run without one")
	}
	if r := run(line, "in place"); !r.Green() || !r.Open || !strings.Contains(r.Unsealed, "proof: {network: true}") {
		t.Errorf("%v, unsealed %q", r, r.Unsealed)
	}
	rs.unsealed, rs.Require = nil, true
	if r := run(line, "in place"); r.Green() || !r.Outside || !strings.Contains(r.Unsealed, "proof: {network: true}") {
		t.Errorf("%v, outside %v, unsealed %q", r, r.Outside, r.Unsealed)
	}
	rs.Require = false
	flag := filepath.Join(rs.Site.Root, "flag")
	flaky := "test ! -e flag || test -e '" + filepath.Join(home, "file") + "'"
	if r := run(flaky, "in place"); !r.Green() || r.Unsealed != "" {
		t.Errorf("%v, unsealed %q", r, r.Unsealed)
	}
	write(t, flag, "")
	if r := run(flaky, "in place"); r.Green() {
		t.Errorf("%v: it was tried outside", r)
	}
	if r := run("echo x >.git/hooks/evil || echo x >.ralph/x || cat ~/file", "in place"); r.Green() && r.Unsealed == "" {
		t.Errorf("%v: it has changed the repository", r)
	}
}
