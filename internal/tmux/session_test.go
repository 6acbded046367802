package tmux

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// hostile are settings of a user that break programs which trust the defaults.
const hostile = `
set -g default-shell /bin/false
set -g default-command "exit 3"
set -g base-index 7
set -g pane-base-index 3
set -g remain-on-exit on
set -g destroy-unattached on
set -g renumber-windows on
set -g mouse on
set -g automatic-rename on
set -g synchronize-panes on
set -s exit-unattached on
`

// server is a tmux server of the test's own, which reads these settings.
func server(t *testing.T, conf string) *Client {
	t.Helper()
	// The socket's address holds about a hundred bytes: the test's own folder
	// may be too deep for it.
	dir, err := os.MkdirTemp("/tmp", "tmux-test-")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	if err := os.WriteFile(filepath.Join(dir, ".tmux.conf"), []byte(conf), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := Find(t.Context(), []string{"PATH=" + os.Getenv("PATH"), "HOME=" + dir, "TMUX_TMPDIR=" + dir, "LANG=C.UTF-8", "SECRET_KEY=hush"})
	if err != nil && os.Getenv("CI") != "" {
		t.Fatalf("no tmux to test with, where nothing may be left out: %v", err)
	}
	if err != nil {
		t.Skipf("no tmux to test with: %v", err)
	}
	t.Cleanup(func() {
		kill := Session{client: c}.Attach(nil, nil, nil)
		kill.Args = []string{"tmux", "kill-server"}
		_ = kill.Run()
	})
	return c
}

func (c *Client) must(t *testing.T, args ...string) string {
	t.Helper()
	out, err := c.run(t.Context(), args...)
	if err != nil {
		t.Fatal(err)
	}
	return out
}

// writer is a command that writes its arguments into a file, and stays.
func writer(file string, args ...string) []string {
	return append([]string{"sh", "-c", `out=$1; shift; pwd >"$out.part"; printf '<%s>' "$@" >>"$out.part"; mv "$out.part" "$out"; exec sleep 600`, "sh", file}, args...)
}

// read waits until the file is there.
func read(t *testing.T, file string) string {
	t.Helper()
	timeout := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for {
		if data, err := os.ReadFile(file); err == nil {
			return string(data)
		}
		select {
		case <-timeout:
			t.Fatalf("%s was not written", file)
		case <-tick.C:
		}
	}
}

func TestSessionUnderHostileSettings(t *testing.T) {
	for name, before := range map[string]bool{"no server yet": false, "a server with a session": true} {
		t.Run(name, func(t *testing.T) {
			c := server(t, hostile)
			if before {
				c.must(t, "new-session", "-d", "-s", "ralph-xy", "--", "sleep", "600", then, "set-option", "-t", "=ralph-xy:", "destroy-unattached", "off",
					then, "set-option", "-s", "exit-unattached", "off")
			}
			dir := filepath.Join(t.TempDir(), "a #(touch here) #S;")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			args := []string{"two words", "$HOME", "a;", ";", "#(x)", "'\"", ""}
			out := filepath.Join(t.TempDir(), "out")
			s, pane, err := c.Open(t.Context(), NewSession{Name: "ralph-x", Mark: "w1", Dir: dir, Width: 120, Height: 30, Argv: writer(out, args...)})
			if err != nil {
				t.Fatal(err)
			}
			if s.Lasting == before {
				t.Errorf("exit-unattached was on, so it is said: %t", s.Lasting)
			}
			if got, want := read(t, out), dir+"\n<"+strings.Join(args, "><")+">"; got != want {
				t.Errorf("the program got %q, want %q", got, want)
			}
			right, err := c.Split(t.Context(), pane, Right, 40, NewSession{Mark: "w1", Dir: dir, Argv: []string{"sleep", "600"}})
			if err != nil {
				t.Fatal(err)
			}
			got := c.must(t, "list-panes", "-t", s.ID, "-F", "#{pane_id} #{pane_left} #{pane_width} #{pane_active} #{pane_synchronized}")
			if want := pane + " 0 79 1 0\n" + right + " 80 40 0 0"; got != want {
				t.Errorf("the panes are %q, want %q", got, want)
			}
			if env := c.must(t, "show-environment", "-g"); strings.Contains(env, "SECRET") || strings.Contains(env, "hush") {
				t.Errorf("tmux knows a key:\n%s", env)
			}
			if _, _, err := c.Open(t.Context(), NewSession{Name: "ralph-x", Mark: "w2", Dir: dir, Width: 80, Height: 24, Argv: []string{"sleep", "600"}}); !errors.Is(err, ErrTaken) {
				t.Errorf("a second session of the name: %v, want ErrTaken", err)
			}
			if err := c.closePanes(t.Context(), pane, pane); err != nil {
				t.Error(err)
			}
			if s.Alive(t.Context()) {
				t.Errorf("something stays of the session:\n%s", c.must(t, "list-panes", "-a"))
			}
		})
	}
}

func TestPanesGoWithTheirPrograms(t *testing.T) {
	c := server(t, hostile)
	flag := filepath.Join(t.TempDir(), "go")
	s, _, err := c.Open(t.Context(), NewSession{Name: "ralph-x", Mark: "w1", Dir: "/", Width: 80, Height: 24,
		Argv: []string{"sh", "-c", `while ! test -e "$0"; do sleep 0.01; done`, flag}})
	if err != nil {
		t.Fatal(err)
	}
	if !s.Alive(t.Context()) {
		t.Fatal("the session ended before its program")
	}
	if err := os.WriteFile(flag, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	timeout := time.After(30 * time.Second)
	tick := time.NewTicker(5 * time.Millisecond)
	defer tick.Stop()
	for s.Alive(t.Context()) {
		select {
		case <-timeout:
			t.Fatal("the program has ended, and its pane stays")
		case <-tick.C:
		}
	}
}

func TestCloseLeavesWhatIsTheUsers(t *testing.T) {
	c := server(t, hostile)
	s, pane, err := c.Open(t.Context(), NewSession{Name: "ralph-x", Mark: "w1", Dir: "/", Width: 80, Height: 24, Argv: []string{"sleep", "600"}})
	if err != nil {
		t.Fatal(err)
	}
	theirs := c.must(t, "new-window", "-d", "-P", "-F", "#{pane_id}", "-t", s.ID+":", "--", "sleep", "600")
	if got := c.Sessions(t.Context()); len(got) != 1 || got[0] != (Session{client: c, ID: s.ID, Name: "ralph-x", Mark: "w1"}) {
		t.Errorf("the sessions are %+v", got)
	}
	if err := s.Close(t.Context()); err != nil {
		t.Fatal(err)
	}
	if got := c.must(t, "list-panes", "-s", "-t", s.ID, "-F", "#{pane_id}"); got != theirs {
		t.Errorf("pane %s is left, want %s only (ours was %s)", got, theirs, pane)
	}
	if s.Watched(t.Context()) {
		t.Error("nobody looks at the session")
	}
}

func TestNoServer(t *testing.T) {
	c := server(t, "")
	if got, none := c.Sessions(t.Context()), (Session{client: c, ID: "$0"}); got != nil || none.Alive(t.Context()) || none.Watched(t.Context()) {
		t.Errorf("there is no server, and yet %v", got)
	}
}
