// Package tmux makes the few calls to tmux that ralph needs. Each call is a list of arguments
// with the ids of tmux ($1 is a session, %1 a pane). Names and indexes would depend on the
// user's settings. Comments in the code explain each pitfall of tmux.
package tmux

import (
	"context"
	"errors"
	"fmt"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Oldest is the oldest supported version: ralph needs options of a pane.
var Oldest = Version{3, 0}

// Version is a version of tmux, without the letter after it.
type Version struct{ Major, Minor int }

// String returns the version as tmux prints it.
func (v Version) String() string { return fmt.Sprintf("%d.%d", v.Major, v.Minor) }

// MissingError is the error if tmux is not installed.
type MissingError struct{ Err error }

// Error implements error.
func (e *MissingError) Error() string { return "tmux is not installed" }

// Unwrap returns the cause.
func (e *MissingError) Unwrap() error { return e.Err }

// TooOldError is the error if tmux is older than Oldest.
type TooOldError struct{ Have Version }

// Error implements error.
func (e *TooOldError) Error() string {
	return fmt.Sprintf("tmux %s is too old: ralph needs %s or newer", e.Have, Oldest)
}

// Client runs tmux commands.
type Client struct {
	path string
	env  []string
}

// Find returns a client for the installed tmux. environ is the user's environment; tmux gets
// the variables that [Environ] allows. The error is a [*MissingError], a [*TooOldError], or
// the reason why tmux did not answer.
func Find(ctx context.Context, environ []string) (*Client, error) {
	path, err := exec.LookPath("tmux")
	if err != nil {
		return nil, &MissingError{err}
	}
	c := &Client{path: path, env: Environ(environ)}
	out, err := c.run(ctx, "-V")
	if err != nil {
		return nil, err
	}
	if v, ok := parseVersion(out); ok && (v.Major < Oldest.Major || v.Major == Oldest.Major && v.Minor < Oldest.Minor) {
		return nil, &TooOldError{v}
	}
	return c, nil
}

// parseVersion reads what tmux -V prints: "tmux 3.3a", "tmux next-3.5". A
// build that has no number ("tmux master", "tmux openbsd-7.4") is a new one.
func parseVersion(s string) (Version, bool) {
	m := regexp.MustCompile(`^tmux (?:next-)?(\d+)\.(\d+)`).FindStringSubmatch(s)
	if m == nil {
		return Version{}, false
	}
	major, err := strconv.Atoi(m[1])
	minor, err2 := strconv.Atoi(m[2])
	return Version{major, minor}, err == nil && err2 == nil
}

// known are the variables that tmux itself, or a shell in it, has a use for.
var known = []string{
	"PATH", "HOME", "USER", "LOGNAME", "SHELL", "TERM", "COLORTERM", "TERM_PROGRAM", "LANG", "LANGUAGE", "TZ", "TMPDIR",
	"TMUX", "TMUX_PANE", "TMUX_TMPDIR", "EDITOR", "VISUAL", "DISPLAY", "WAYLAND_DISPLAY", "XAUTHORITY", "WINDOWID",
	"SSH_AUTH_SOCK", "SSH_AGENT_PID", "SSH_CONNECTION", "SSH_TTY", "DBUS_SESSION_BUS_ADDRESS",
}

// Environ returns the variables that tmux may get. A new tmux server keeps its environment and
// shows it to anyone, so the result has no keys of the user.
func Environ(environ []string) []string {
	return slices.DeleteFunc(slices.Clone(environ), func(e string) bool {
		name, _, _ := strings.Cut(e, "=")
		return !slices.Contains(known, name) && !strings.HasPrefix(name, "LC_") && !strings.HasPrefix(name, "XDG_")
	})
}

// run calls tmux and returns what it printed.
func (c *Client) run(ctx context.Context, args ...string) (string, error) {
	cmd := exec.CommandContext(ctx, c.path, args...)
	cmd.Env = c.env
	out, err := cmd.Output()
	if err != nil {
		said := err.Error()
		var exit *exec.ExitError
		if errors.As(err, &exit) && len(exit.Stderr) > 0 {
			said = strings.TrimSpace(string(exit.Stderr))
		}
		return "", fmt.Errorf("tmux %s: %s", args[0], said)
	}
	return strings.TrimSuffix(string(out), "\n"), nil
}

// then separates the commands of one call.
const then = ";"

// literal keeps an argument whole: tmux ends a command at an argument that ends
// in a semicolon, wherever it is.
func literal(arg string) string {
	if strings.HasSuffix(arg, ";") {
		return arg[:len(arg)-1] + `\;`
	}
	return arg
}

// unformatted keeps tmux from expanding an argument in which it looks for
// formats, such as a directory: #( runs a command.
func unformatted(arg string) string { return literal(strings.ReplaceAll(arg, "#", "##")) }

// program are the arguments that start a program in a pane. One argument alone
// would be given to the user's shell; several are run as they are.
func program(argv []string) []string {
	args := []string{"--"}
	for _, a := range argv {
		args = append(args, literal(a))
	}
	return args
}
