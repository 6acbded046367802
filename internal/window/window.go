// Package window finds a terminal program and makes the command that opens a window with it.
// The window runs a list of arguments, without a shell. Every user of the machine can see the
// list, so it must have no secrets.
package window

import (
	"errors"
	"os/exec"
	"slices"
	"strings"
)

// Program is a terminal program and its command line options.
type Program struct {
	Name    string // as people know it
	Command string // the program, found on the PATH
	System  string // the only GOOS that has it; empty if any GOOS may have it
	Inside  string // a variable in its windows, as NAME or as NAME=value
	Only    bool   // chosen only if this process runs in it

	// Before are the arguments in front of the program to run; "{title}" is
	// for the window's title. Fullscreen is put in front of them.
	Before     []string
	Fullscreen []string // nil if it is unknown
}

// Programs lists the known terminal programs in order of preference. xterm is last: a user who
// has another one too prefers the other one.
func Programs() []Program {
	return []Program{
		{Name: "iTerm", Command: "osascript", System: "darwin", Inside: "TERM_PROGRAM=iTerm.app", Only: true,
			Before: appleScript(iTerm, "false"), Fullscreen: appleScript(iTerm, "true")},
		{Name: "Terminal.app", Command: "osascript", System: "darwin", Inside: "TERM_PROGRAM=Apple_Terminal",
			Before: appleScript(terminalApp, "false"), Fullscreen: appleScript(terminalApp, "true")},
		{Name: "gnome-terminal", Command: "gnome-terminal", Inside: "GNOME_TERMINAL_SCREEN",
			Before: []string{"--title={title}", "--"}, Fullscreen: []string{"--full-screen"}},
		{Name: "konsole", Command: "konsole", Inside: "KONSOLE_VERSION",
			Before: []string{"-p", "tabtitle={title}", "-e"}, Fullscreen: []string{"--fullscreen"}},
		{Name: "kitty", Command: "kitty", Inside: "KITTY_WINDOW_ID",
			Before: []string{"--title", "{title}"}, Fullscreen: []string{"--start-as=fullscreen"}},
		{Name: "alacritty", Command: "alacritty", Inside: "ALACRITTY_WINDOW_ID",
			Before: []string{"--title", "{title}", "-e"}, Fullscreen: []string{"--option", `window.startup_mode="Fullscreen"`}},
		{Name: "wezterm", Command: "wezterm", Inside: "WEZTERM_PANE", Before: []string{"start", "--"}},
		{Name: "xterm", Command: "xterm", Inside: "XTERM_VERSION",
			Before: []string{"-T", "{title}", "-e"}, Fullscreen: []string{"-fullscreen"}},
	}
}

// The errors of [Find].
var (
	ErrNoDisplay = errors.New("there is no screen for a window: neither DISPLAY nor WAYLAND_DISPLAY is set")
	ErrNoProgram = errors.New("no terminal program is installed that ralph knows")
)

// Find returns the terminal program for a new window. It prefers the program that this process
// runs in, then the order of Programs. goos is the operating system.
func Find(goos string, environ []string) (Program, error) {
	if goos != "darwin" && !has(environ, "DISPLAY") && !has(environ, "WAYLAND_DISPLAY") {
		return Program{}, ErrNoDisplay
	}
	found := slices.DeleteFunc(Programs(), func(p Program) bool {
		if p.System != "" && p.System != goos || p.Only && !has(environ, p.Inside) {
			return true
		}
		_, err := exec.LookPath(p.Command)
		return err != nil
	})
	if i := slices.IndexFunc(found, func(p Program) bool { return has(environ, p.Inside) }); i >= 0 {
		return found[i], nil
	}
	if len(found) == 0 {
		return Program{}, ErrNoProgram
	}
	return found[0], nil
}

// has reports whether a variable is there and not empty, or has the value that
// the name brings along.
func has(environ []string, name string) bool {
	return slices.ContainsFunc(environ, func(e string) bool {
		return e == name || strings.HasPrefix(e, name+"=") && len(e) > len(name)+1
	})
}

// Argv returns the command that opens a window and runs argv in it.
func (p Program) Argv(title string, fullscreen bool, argv []string) []string {
	words := []string{p.Command}
	switch {
	case p.System == "darwin" && fullscreen:
		words = append(words, p.Fullscreen...) // another script altogether
	case fullscreen:
		words = append(append(words, p.Fullscreen...), p.Before...)
	default:
		words = append(words, p.Before...)
	}
	for i, w := range words {
		words[i] = strings.ReplaceAll(w, "{title}", title)
	}
	return append(words, argv...)
}
