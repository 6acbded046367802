package window_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"ralph/internal/window"
)

// installed makes a PATH with nothing but these programs.
func installed(t *testing.T, programs ...string) {
	t.Helper()
	dir := t.TempDir()
	for _, name := range programs {
		if err := os.WriteFile(filepath.Join(dir, name), []byte("#!/bin/sh\n"), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("PATH", dir)
}

func TestFind(t *testing.T) {
	for _, c := range []struct {
		name, goos string
		programs   []string
		environ    []string
		want       string
		err        error
	}{
		{"what is there", "linux", []string{"xterm"}, []string{"DISPLAY=:0"}, "xterm", nil},
		{"the better one", "linux", []string{"xterm", "konsole"}, []string{"WAYLAND_DISPLAY=wayland-0"}, "konsole", nil},
		{"the one that it is called from", "linux", []string{"gnome-terminal", "kitty"}, []string{"DISPLAY=:0", "KITTY_WINDOW_ID=1"}, "kitty", nil},
		{"the one that it was called from is gone", "linux", []string{"xterm"}, []string{"DISPLAY=:0", "KITTY_WINDOW_ID=1"}, "xterm", nil},
		{"no screen", "linux", []string{"xterm"}, []string{"DISPLAY="}, "", window.ErrNoDisplay},
		{"nothing known", "linux", []string{"osascript"}, []string{"DISPLAY=:0"}, "", window.ErrNoProgram},
		{"a Mac", "darwin", []string{"osascript", "kitty"}, nil, "Terminal.app", nil},
		{"a Mac with iTerm", "darwin", []string{"osascript"}, []string{"TERM_PROGRAM=iTerm.app"}, "iTerm", nil},
		{"a Mac with kitty", "darwin", []string{"osascript", "kitty"}, []string{"KITTY_WINDOW_ID=3"}, "kitty", nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			installed(t, c.programs...)
			p, err := window.Find(c.goos, c.environ)
			if p.Name != c.want || !errors.Is(err, c.err) {
				t.Errorf("%q, %v; want %q, %v", p.Name, err, c.want, c.err)
			}
		})
	}
}

// TestArgv holds each program to the words that its manual wants.
func TestArgv(t *testing.T) {
	want := map[string][2]string{
		"gnome-terminal": {"gnome-terminal --title=T -- /r it's", "gnome-terminal --full-screen --title=T -- /r it's"},
		"konsole":        {"konsole -p tabtitle=T -e /r it's", "konsole --fullscreen -p tabtitle=T -e /r it's"},
		"kitty":          {"kitty --title T /r it's", "kitty --start-as=fullscreen --title T /r it's"},
		"alacritty":      {"alacritty --title T -e /r it's", `alacritty --option window.startup_mode="Fullscreen" --title T -e /r it's`},
		"wezterm":        {"wezterm start -- /r it's", "wezterm start -- /r it's"},
		"xterm":          {"xterm -T T -e /r it's", "xterm -fullscreen -T T -e /r it's"},
	}
	for _, p := range window.Programs() {
		for i, wide := range []bool{false, true} {
			argv := p.Argv("T", wide, []string{"/r", "it's"})
			if p.System == "darwin" {
				if diff := cmp.Diff([]string{[]string{"false", "true"}[i], "/r", "it's"}, argv[3:]); diff != "" {
					t.Errorf("%s: the script's arguments (-want +got):\n%s", p.Name, diff)
				}
				continue
			}
			if diff := cmp.Diff(want[p.Name][i], strings.Join(argv, " ")); diff != "" {
				t.Errorf("%s (-want +got):\n%s", p.Name, diff)
			}
		}
	}
}
