package handover

import (
	"bufio"
	"bytes"
	"context"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"time"
)

// The names in the folder of a handover.
const (
	parcelName = "parcel"
	socketName = "s"
)

// maxSocketPath is what fits into a socket's address on every system, in bytes.
const maxSocketPath = 100

// ErrLost means that the receiver died before it reported the result of its command.
var ErrLost = errors.New("the process that took over has died")

// Sender is the sender's side of a handover.
type Sender struct {
	dir      string
	listener *net.UnixListener
	conn     net.Conn // nil until the parcel was taken
	in       *bufio.Reader
	peer     hello
}

// hello is the first line on the socket, from the receiver.
type hello struct {
	PID int `json:"pid"`
}

// goOn is what the sender answers.
const goOn = "go\n"

// CommandResult is the result of the receiver's command.
type CommandResult struct {
	Exit int `json:"exit"`
	// Message is the error of the command, as the user may not see the receiver's terminal. It
	// is empty if there was no error, or if the error is on record elsewhere.
	Message string `json:"message,omitempty"`
	Hint    string `json:"hint,omitempty"` // what to do about it
}

// Send writes a parcel for [Take]. [Sender.Close] deletes it if no process has taken it.
func Send(p Parcel) (*Sender, error) {
	var data bytes.Buffer // not JSON, which has no way to hold bytes that are not UTF-8
	if err := gob.NewEncoder(&data).Encode(p); err != nil {
		return nil, fmt.Errorf("the command cannot be handed over: %w", err)
	}
	dir, err := makeFolder()
	if err != nil {
		return nil, fmt.Errorf("the command cannot be handed over: %w", err)
	}
	s := &Sender{dir: dir}
	s.listener, err = net.ListenUnix("unix", &net.UnixAddr{Name: filepath.Join(dir, socketName)})
	if err == nil {
		err = os.WriteFile(s.Path(), data.Bytes(), 0o600)
	}
	if err != nil {
		s.Close()
		return nil, fmt.Errorf("the command cannot be handed over: %w", err)
	}
	return s, nil
}

// makeFolder makes a folder (0700) for a handover. The user's own runtime
// folder comes first: it is in memory, so that no key reaches a disk.
func makeFolder() (string, error) {
	var errs []error
	for _, base := range []string{os.Getenv("XDG_RUNTIME_DIR"), os.TempDir(), "/tmp"} {
		if !filepath.IsAbs(base) {
			continue
		}
		dir, err := os.MkdirTemp(base, "ralph-")
		if err != nil {
			errs = append(errs, err)
			continue
		}
		if len(dir)+len("/"+socketName) <= maxSocketPath {
			return dir, nil
		}
		os.Remove(dir)
	}
	return "", errors.Join(append(errs, errors.New("no folder for it was found"))...)
}

// Path returns the path of the parcel, which the receiver gets as its argument.
func (s *Sender) Path() string { return filepath.Join(s.dir, parcelName) }

// Taken waits until the receiver has taken the parcel, then lets the receiver continue. The
// caller first prepares the receiver's surroundings, such as its tmux session.
func (s *Sender) Taken(ctx context.Context) error {
	stop := context.AfterFunc(ctx, func() { s.listener.SetDeadline(time.Now()) })
	defer stop()
	conn, err := s.listener.Accept()
	if err != nil {
		return fmt.Errorf("no process took over: %w", firstOf(context.Cause(ctx), err))
	}
	s.conn, s.in = conn, bufio.NewReader(conn)
	if line, err := s.in.ReadBytes('\n'); err != nil || json.Unmarshal(line, &s.peer) != nil {
		return ErrLost
	}
	if _, err := conn.Write([]byte(goOn)); err != nil {
		return ErrLost
	}
	return nil
}

// PID returns the receiver's process id. Call it after [Sender.Taken].
func (s *Sender) PID() int { return s.peer.PID }

// Wait waits for the end of the receiver's command and returns its result. Call it after
// [Sender.Taken]. The error is [ErrLost] or the cause of ctx.
func (s *Sender) Wait(ctx context.Context) (CommandResult, error) {
	stop := context.AfterFunc(ctx, func() { s.conn.SetDeadline(time.Now()) })
	defer stop()
	line, err := s.in.ReadBytes('\n')
	var r CommandResult
	if err == nil && json.Unmarshal(line, &r) == nil {
		return r, nil
	}
	return CommandResult{}, firstOf(context.Cause(ctx), ErrLost)
}

// Signal sends a signal to the receiver. Call it after [Sender.Taken].
func (s *Sender) Signal(sig os.Signal) error {
	// The number cannot be another process's: the receiver lives as long as its
	// end of the socket is open, and anyone who waits here would know.
	p, err := os.FindProcess(s.peer.PID)
	if err != nil {
		return err
	}
	defer p.Release()
	return p.Signal(sig)
}

// Close disconnects from the receiver, which continues. If no process has taken the parcel,
// Close deletes it.
func (s *Sender) Close() error {
	var errs []error
	if s.conn != nil {
		errs = append(errs, s.conn.Close())
	}
	if s.listener != nil {
		errs = append(errs, s.listener.Close())
	}
	return errors.Join(append(errs, os.RemoveAll(s.dir))...)
}

func firstOf(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
