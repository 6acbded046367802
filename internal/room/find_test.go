package room

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A machine where bubblewrap makes no room is named, with its words.
func TestNoRoom(t *testing.T) {
	program := filepath.Join(t.TempDir(), "bwrap")
	if err := os.WriteFile(program, []byte("#!/bin/sh\necho 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	var none *Unavailable
	if err := try(context.Background(), program); !errors.As(err, &none) || none.Why != "bubblewrap cannot make a room here: setting up uid map: Permission denied" || none.Hint == "" {
		t.Errorf("%v, %+v", err, none)
	}
	if err := try(context.Background(), program+"-gone"); !errors.As(err, &none) || !strings.Contains(none.Why, "cannot be started") {
		t.Errorf("%v", err)
	}
}

// The most specific path decides, and what does not exist is left out.
func TestRules(t *testing.T) {
	base := t.TempDir()
	for _, dir := range []string{"home/.ssh", "home/p/.git/hooks", "home/.cache"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	home := filepath.Join(base, "home")
	s := Site{Program: "/usr/bin/bwrap", Root: home + "/p", GitDir: home + "/p/.git", Common: home + "/p/.git", Home: home, Own: home + "/.ralph"}
	r := s.Agent(AgentRoom{Scratch: t.TempDir(), Own: []string{home + "/gone"}})
	argv, err := r.Wrap(s.Root)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(argv, " ")
	for _, want := range []string{"--bind " + home + "/p " + home + "/p ", "--ro-bind " + home + "/p/.git/hooks ", "--tmpfs " + home + "/.ssh ", "--bind " + home + "/.cache "} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in %s", want, text)
		}
	}
	if strings.Contains(text, "gone") || strings.Contains(text, "--unshare-net") {
		t.Errorf("too much in %s", text)
	}
	if profile := r.profile(); !strings.Contains(profile, `(deny file-read* file-write* (subpath "`+home+`/.ssh"))`) || strings.Contains(profile, "deny network") {
		t.Errorf("the profile is %s", profile)
	}
	s.Write = []string{home + "/.cache"}
	reviewer := s.Agent(AgentRoom{Scratch: t.TempDir(), Own: []string{home + "/.ssh"}, ReadOnly: true})
	argv, err = reviewer.Wrap(s.Root)
	text = strings.Join(argv, " ")
	if err != nil || !strings.Contains(text, "--bind "+home+"/.ssh ") {
		t.Errorf("error %v, %s", err, text)
	}
	for _, path := range []string{"/p ", "/p/.git ", "/.cache "} {
		if strings.Contains(text, "--bind "+home+path) {
			t.Errorf("a reviewer may write %s: %s", path, text)
		}
	}
	var off *Room
	if words, err := off.Wrap("/"); words != nil || err != nil {
		t.Errorf("no room is %v, %v", words, err)
	}
}

// Folders of objects may be relative, have spaces in their names, and name more folders.
func TestAlternates(t *testing.T) {
	base := t.TempDir()
	for path, text := range map[string]string{"git/objects/info/alternates": "# shared\n../../a b/objects\n/nowhere\n", "a b/objects/info/alternates": base + "/c\n"} {
		file := filepath.Join(base, path)
		if err := errors.Join(os.MkdirAll(filepath.Dir(file), 0o755), os.WriteFile(file, []byte(text), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	got := Site{Common: base + "/git"}.alternates()
	if want := []string{base + "/a b/objects", "/nowhere", base + "/c"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

// An agent's program that is a link into a temporary folder is in the agent's room, with
// what is next to it.
func TestAgentBelowATemporaryFolder(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", base)
	for _, dir := range []string{"links", "package/bin", "p"} {
		if err := os.MkdirAll(filepath.Join(base, dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	file, link := filepath.Join(base, "package/bin/agent"), filepath.Join(base, "links/agent")
	if err := errors.Join(os.WriteFile(file, nil, 0o755), os.Symlink(file, link)); err != nil {
		t.Fatal(err)
	}
	s := Site{Program: "/usr/bin/bwrap", Root: base + "/p", Env: []string{"TMPDIR=" + base}}
	argv, err := s.Agent(AgentRoom{Program: link, Scratch: t.TempDir()}).Wrap(s.Root)
	if err != nil {
		t.Fatal(err)
	}
	text := strings.Join(argv, " ")
	for _, dir := range []string{base + "/links", base + "/package"} {
		if !strings.Contains(text, "--ro-bind "+dir+" "+dir+" ") {
			t.Errorf("%s is not in %s", dir, text)
		}
	}
}

// The program is the system's own, never one that PATH leads to.
func TestFindIgnoresThePath(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "bwrap"), []byte("#!/bin/sh\nexit 0\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	t.Setenv("PATH", dir)
	if program, _ := Find(context.Background()); strings.HasPrefix(program, dir) {
		t.Errorf("found %s", program)
	}
	if _, err := exec.LookPath("bwrap"); err != nil {
		t.Fatal(err)
	}
}
