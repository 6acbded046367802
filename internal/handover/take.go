package handover

import (
	"encoding/json"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
)

// Line is the receiver's way to tell the sender how its command ended. Its
// methods do nothing where the sender has gone.
type Line struct{ conn net.Conn }

// Take reads the parcel at path and removes it, with the folder that it is in.
// It returns when the sender lets it go on, by [Sender.Taken] or by going away.
// A file that others can read is refused: it is not one that [Send] wrote.
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
	// Whoever removes it has it. The sender is told after that: it may clean up
	// at once.
	if err := os.Remove(path); err != nil {
		return Parcel{}, nil, fmt.Errorf("the command was taken back: %w", err)
	}
	dir, l := filepath.Dir(path), &Line{}
	if conn, err := net.Dial("unix", filepath.Join(dir, socketName)); err == nil {
		l.conn = conn
		l.tell(hello{os.Getpid()})
		// The sender says go when all round the receiver is in its place, such as
		// the size of its terminal; one that has gone says nothing.
		_, _ = io.ReadFull(conn, make([]byte, len(goOn)))
	}
	// An open socket needs no name: even if both sides are killed nothing stays.
	_ = os.Remove(filepath.Join(dir, socketName))
	_ = os.Remove(dir)
	var p Parcel
	if err := json.Unmarshal(data, &p); err != nil {
		l.Close()
		return Parcel{}, nil, fmt.Errorf("%s does not hold a command: %w", path, err)
	}
	return p, l, nil
}

// Result tells the sender how the command ended.
func (l *Line) Result(exit int) { l.tell(report{exit}) }

// Close ends the line.
func (l *Line) Close() {
	if l.conn != nil {
		l.conn.Close()
	}
}

func (l *Line) tell(v any) {
	if l.conn == nil {
		return
	}
	if data, err := json.Marshal(v); err == nil {
		_, _ = l.conn.Write(append(data, '\n')) // a sender that has gone does not mind
	}
}
