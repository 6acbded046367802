package tmux

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"time"
	"unicode"
)

// The user options on the sessions and panes that ralph made: the word of
// anyone who made them, in ASCII, because tmux garbles everything else where the
// locale is not UTF-8. They have two names: asked for an option, a pane that
// lacks it answers with that of its session.
const (
	mark     = "@ralph"
	paneMark = "@ralph_pane"
)

// Session is a session of the tmux server.
type Session struct {
	client *Client

	ID   string // such as $1
	Name string
	Mark string // its mark, empty if it is not a session of ralph

	// Lasting reports that the server would have exited without readers, and that [Client.Open]
	// has prevented it.
	Lasting bool
}

// NewSession has the parameters of a new session or pane.
type NewSession struct {
	Name          string // as [SessionName] makes it
	Mark          string // ASCII letters and digits, at least 2
	Dir           string
	Width, Height int
	Argv          []string // at least 2 words
	Stay          bool     // a client continues to another session when this one ends, instead of leaving tmux
}

// SessionName turns a text into a valid session name. tmux replaces '.', ':' and characters
// that it cannot show, expands '#', and gives a meaning to some first characters.
func SessionName(text string) string {
	return strings.Map(func(r rune) rune {
		if r == '-' || r == '_' || r == '+' || unicode.IsLetter(r) || unicode.IsDigit(r) {
			return r
		}
		return '_'
	}, text)
}

// ErrTaken is the error of Open if a session of that name already exists.
var ErrTaken = errors.New("there is a tmux session of that name")

// Open starts a detached session with one pane, and returns the session and the pane's id. The
// session continues without a reader, whatever the user's settings are.
func (c *Client) Open(ctx context.Context, s NewSession) (Session, string, error) {
	onDestroy := "on"
	if s.Stay {
		onDestroy = "off"
	}
	// The colon makes it the name of a session, also where a pane could be meant;
	// the sign before it keeps tmux from taking a longer name that begins so.
	target := "=" + s.Name + ":"
	args := []string{"new-session", "-d", "-P", "-F", "#{session_id} #{pane_id} #{exit-unattached}", "-s", s.Name, "-n", "ralph",
		"-x", strconv.Itoa(s.Width), "-y", strconv.Itoa(s.Height), "-c", unformatted(s.Dir)}
	args = append(args, program(s.Argv)...)
	for _, set := range [][]string{
		// With the user's destroy-unattached the session would not live for a
		// moment, and with remain-on-exit its panes would never go. All commands of
		// one call are carried out before tmux looks after its sessions.
		{"destroy-unattached", "off"},
		{"detach-on-destroy", onDestroy},
		{mark, s.Mark},
		{"set-titles", "on"},
		{"set-titles-string", "#{pane_title}"},
	} {
		args = append(append(args, then, "set-option", "-t", target), set...)
	}
	// An option of the server alone; and keys for one pane are not for the other.
	args = append(args, then, "set-option", "-s", "exit-unattached", "off",
		then, "set-option", "-w", "-t", target, "synchronize-panes", "off",
		then, "set-option", "-w", "-t", target, "remain-on-exit", "off",
		then, "set-option", "-p", "-t", target, paneMark, s.Mark)
	out, err := c.run(ctx, args...)
	if err != nil {
		if strings.Contains(err.Error(), "duplicate session") {
			err = ErrTaken
		}
		return Session{}, "", err
	}
	f := strings.Split(out, " ")
	if len(f) != 3 {
		return Session{}, "", fmt.Errorf("tmux new-session answered %q", out)
	}
	return Session{client: c, ID: f[0], Name: s.Name, Mark: s.Mark, Lasting: f[2] == "1"}, f[1], nil
}

// Side is the position of a new pane.
type Side string

// The sides of a pane.
const (
	Right Side = "-h"
	Below Side = "-v"
)

// Split opens a pane next to another one and returns its id. The keyboard focus does not move.
// size is in columns or rows.
func (c *Client) Split(ctx context.Context, pane string, side Side, size int, s NewSession) (string, error) {
	args := []string{"split-window", "-d", string(side), "-l", strconv.Itoa(size), "-t", pane, "-P", "-F", "#{pane_id}", "-c", unformatted(s.Dir)}
	id, err := c.run(ctx, append(args, program(s.Argv)...)...)
	if err != nil {
		return "", err
	}
	_, err = c.run(ctx, "set-option", "-p", "-t", id, paneMark, s.Mark)
	return id, err
}

// Pair is the layout of a window with exactly two panes, both of ralph.
type Pair struct {
	Width, Height int  // of the window
	SideBySide    bool // the panes are side by side, else one below the other
	Least         int  // columns of the narrower one
}

// Pair returns the layout of a window with two panes of ralph. It returns false if the window
// has any other panes, or shows only one of them.
func (c *Client) Pair(ctx context.Context, pane string) (Pair, bool) {
	out, err := c.run(ctx, "list-panes", "-t", pane, "-F",
		"#{window_width} #{window_height} #{pane_width} #{pane_left} #{window_zoomed_flag} #{"+paneMark+"}")
	lines := strings.Split(out, "\n")
	if err != nil || len(lines) != 2 {
		return Pair{}, false
	}
	var p Pair
	for i, line := range lines {
		var columns, left, zoomed int
		var word string
		if n, _ := fmt.Sscan(line, &p.Width, &p.Height, &columns, &left, &zoomed, &word); n != 6 || zoomed != 0 {
			return Pair{}, false
		}
		p.SideBySide = p.SideBySide || left > 0
		if i == 0 || columns < p.Least {
			p.Least = columns
		}
	}
	return p, true
}

// Arrange places a pane to the right of the other pane of its window, or below it. size is in
// columns or rows.
func (c *Client) Arrange(ctx context.Context, pane string, side Side, size int) error {
	layout, direction := "even-horizontal", "-x"
	if side == Below {
		layout, direction = "even-vertical", "-y"
	}
	_, err := c.run(ctx, "select-layout", "-t", pane, layout, then, "resize-pane", "-t", pane, direction, strconv.Itoa(size))
	return err
}

// Sessions lists the sessions of the server. The list is empty if no server runs.
func (c *Client) Sessions(ctx context.Context) []Session {
	out, err := c.run(ctx, "list-sessions", "-F", "#{session_id} #{"+mark+"} #{session_name}")
	if err != nil {
		return nil // there is no other way to see that no server runs
	}
	var list []Session
	for line := range strings.Lines(out) {
		if f := strings.SplitN(strings.TrimSuffix(line, "\n"), " ", 3); len(f) == 3 {
			list = append(list, Session{client: c, ID: f[0], Mark: f[1], Name: f[2]})
		}
	}
	return list
}

// Alive reports whether the session still exists.
func (s Session) Alive(ctx context.Context) bool {
	_, err := s.client.run(ctx, "has-session", "-t", s.ID)
	return err == nil
}

// Watched reports whether a tmux client shows the session.
func (s Session) Watched(ctx context.Context) bool {
	out, err := s.client.run(ctx, "list-clients", "-t", s.ID)
	return err == nil && out != ""
}

// Close closes ralph's panes in the session. The session ends too, unless it has other panes
// of the user.
func (s Session) Close(ctx context.Context) error { return s.client.closePanes(ctx, s.ID, "") }

// closePanes closes ralph's panes in a session. target is the session or one of its panes. The
// pane self is closed last, because the caller may run in it. self may be empty.
func (c *Client) closePanes(ctx context.Context, target, self string) error {
	out, err := c.run(ctx, "list-panes", "-s", "-t", target, "-F", "#{pane_id} #{"+paneMark+"}")
	if err != nil {
		return err
	}
	var ours []string
	for line := range strings.Lines(out) {
		if pane, word, _ := strings.Cut(strings.TrimSpace(line), " "); word != "" && pane != self {
			ours = append(ours, pane)
		}
	}
	if self != "" {
		ours = append(ours, self)
	}
	var errs []error
	for _, pane := range ours { // each by itself: one that has just ended must not keep the others
		_, err := c.run(ctx, "kill-pane", "-t", pane)
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// Switch shows another session in the user's tmux client, in place of the current one.
func (s Session) Switch(ctx context.Context) error {
	_, err := s.client.run(ctx, "switch-client", "-t", s.ID)
	return err
}

// Attach returns the command that shows the session in a terminal, until it ends or the user
// detaches. The caller starts the command.
func (s Session) Attach(in io.Reader, out, errs io.Writer) *exec.Cmd {
	cmd := exec.Command(s.client.path, "attach-session", "-t", s.ID)
	cmd.Env = s.client.env
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, errs
	return cmd
}

// CloseOwn closes all of ralph's panes in the tmux session of this process, its own pane last.
// Outside of tmux it does nothing.
func CloseOwn(environ []string) {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	pane := os.Getenv("TMUX_PANE")
	if pane == "" {
		return
	}
	if c, err := Find(ctx, environ); err == nil {
		_ = c.closePanes(ctx, pane, pane) // this process ends with its pane, in any case
	}
}
