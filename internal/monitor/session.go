package monitor

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"ralph/internal/tmux"
)

// Session is a tmux session with a loop on the left and its dashboard on the right.
type Session struct {
	tmux.Session
	socket string // of the tmux server, empty for the usual one
}

// SessionOptions says what a session contains.
type SessionOptions struct {
	Unit          string
	StateDir      string // of the unit: distinguishes units with the same name
	Dir           string // where the panes begin
	Width, Height int    // of the terminal that will show it
	Loop          []string
	Dashboard     []string
	TMUX          string // that variable of the environment: set inside of tmux
}

// The least that a pane of either kind is of use with, and the most that a
// dashboard makes something of.
const (
	leastColumns = 40
	mostColumns  = 100
)

// OpenSession creates the tmux session of a unit without a running loop. It closes the
// session of an earlier loop. If another session has the name, it adds a number to the name.
// An error together with a session says why the session has no dashboard.
func OpenSession(ctx context.Context, c *tmux.Client, opts SessionOptions) (*Session, error) {
	sum := sha256.Sum256([]byte(opts.StateDir))
	first := tmux.NewSession{Mark: hex.EncodeToString(sum[:8]), Dir: opts.Dir, Width: opts.Width, Height: opts.Height, Argv: opts.Loop, Stay: opts.TMUX != ""}
	taken, err := closeOld(ctx, c, first.Mark)
	if err != nil {
		return nil, err
	}
	for n := 1; ; n++ {
		if first.Name = tmux.SessionName("ralph-" + opts.Unit); n > 1 {
			first.Name += fmt.Sprintf("-%d", n)
		}
		if slices.Contains(taken, first.Name) {
			continue
		}
		made, pane, err := c.Open(ctx, first)
		if errors.Is(err, tmux.ErrTaken) {
			continue // just now, by another loop
		}
		if err != nil {
			return nil, err
		}
		side, size := place(opts.Width, opts.Height)
		_, err = c.Split(ctx, pane, side, size, tmux.NewSession{Mark: first.Mark, Dir: opts.Dir, Argv: opts.Dashboard})
		return &Session{made, unusualSocket(opts.TMUX)}, err
	}
}

// closeOld closes what an earlier loop of the unit has left, and returns the names
// of all other sessions.
func closeOld(ctx context.Context, c *tmux.Client, mark string) (names []string, err error) {
	for _, s := range c.Sessions(ctx) {
		if s.Mark == mark {
			if err := s.Close(ctx); err != nil {
				return nil, err
			}
			if !s.Alive(ctx) {
				continue // there was nothing else in it
			}
		}
		names = append(names, s.Name)
	}
	return names, nil
}

// place returns the side of the window for the dashboard, and its size.
func place(width, height int) (tmux.Side, int) {
	if width < 2*leastColumns {
		return tmux.Below, max(height/2, 1)
	}
	return tmux.Right, min(max(width*2/5, leastColumns), mostColumns)
}

// unusualSocket is the socket of the server that the variable TMUX names, if
// it is not the one that tmux finds by itself.
func unusualSocket(variable string) string {
	socket, _, _ := strings.Cut(variable, ",")
	if socket == "" || filepath.Base(socket) == "default" {
		return ""
	}
	return socket
}

// How returns the command line with which the user shows the session. It is quoted for zsh,
// which takes a word that starts with = for a program.
func (s *Session) How() string {
	server := ""
	if s.socket != "" {
		server = " -S '" + s.socket + "'"
	}
	return "tmux" + server + " attach -t '=" + s.Name + "'"
}
