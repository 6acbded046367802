package handover

import (
	"bytes"
	"encoding/gob"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
)

// Line is the receiver's connection to the sender. Its methods do nothing if the sender has
// gone.
type Line struct{ conn net.Conn }

// Take reads the parcel at path and removes its folder. It waits until the sender calls
// [Sender.Taken]. If the sender has gone before that, the command is cancelled and Take fails.
// It also rejects a file that others can read, as [Send] did not write it.
func Take(path string) (Parcel, *Line, error) {
	info, err := os.Lstat(path)
	if err != nil {
		return Parcel{}, nil, fmt.Errorf("there is nothing to take over: %w", err)
	}
	if !info.Mode().IsRegular() || info.Mode().Perm()&0o077 != 0 || filepath.Base(path) != parcelName {
		return Parcel{}, nil, fmt.Errorf("%s was not handed over by ralph", path)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return Parcel{}, nil, fmt.Errorf("the command that was handed over cannot be read: %w", err)
	}
	// The process that removes the file has it. The sender learns it after that: it may clean up
	// at once.
	if err := os.Remove(path); err != nil {
		return Parcel{}, nil, fmt.Errorf("the sender cancelled the command: %w", err)
	}
	dir := filepath.Dir(path)
	conn, err := net.Dial("unix", filepath.Join(dir, socketName))
	// An open socket needs no name: even if both sides are killed nothing stays.
	_ = os.Remove(filepath.Join(dir, socketName))
	_ = os.Remove(dir)
	if err != nil {
		return Parcel{}, nil, fmt.Errorf("the sender cancelled the command: %w", err)
	}
	l := &Line{conn}
	l.tell(hello{os.Getpid()})
	if _, err := io.ReadFull(conn, make([]byte, len(goOn))); err != nil {
		l.Close()
		return Parcel{}, nil, errors.New("the sender cancelled the command")
	}
	var p Parcel
	if err := gob.NewDecoder(bytes.NewReader(data)).Decode(&p); err != nil {
		l.Close()
		return Parcel{}, nil, fmt.Errorf("%s does not contain a command: %w", path, err)
	}
	return p, l, nil
}

// Result reports the result of the command to the sender.
func (l *Line) Result(r CommandResult) { l.tell(r) }

// Close closes the connection.
func (l *Line) Close() { l.conn.Close() }

func (l *Line) tell(v any) {
	if data, err := json.Marshal(v); err == nil {
		_, _ = l.conn.Write(append(data, '\n')) // a sender that has gone does not mind
	}
}
