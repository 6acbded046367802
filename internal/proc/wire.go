package proc

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"runtime"
	"sync"
	"syscall"
	"time"
)

// kind says what a message is for.
type kind string

// The messages on the control socket. ralph sends the first four, the guardian
// the others; only a start has an answer.
const (
	kindStart   kind = "start"   // Path, Argv, Env, Dir, Room, Files and the files themselves
	kindEnd     kind = "end"     // ID, Signals, Grace
	kindClose   kind = "close"   // end what is left, and exit
	kindReady   kind = "ready"   // ID of the guardian
	kindStarted kind = "started" // ID, or Errno
	kindExited  kind = "exited"  // ID, Exit: the leader has exited
	kindSwept   kind = "swept"   // ID, Swept, Survivors: nothing of the tree is left
)

// message is one message of either direction. Strings of the system are bytes:
// JSON text would replace what is not UTF-8.
type message struct {
	Kind      kind
	ID        ID               `json:",omitzero"`
	Path      []byte           `json:",omitempty"`
	Dir       []byte           `json:",omitempty"`
	Argv      [][]byte         `json:",omitempty"`
	Env       [][]byte         `json:",omitempty"`
	Room      bool             `json:",omitempty"` // Path makes a room for what follows it
	Files     [3]bool          `json:",omitzero"`  // which standard files come along
	Signals   []syscall.Signal `json:",omitempty"`
	Grace     time.Duration    `json:",omitzero"`
	Errno     syscall.Errno    `json:",omitzero"`
	Exit      Exit             `json:",omitzero"`
	Swept     Swept            `json:",omitzero"`
	Survivors string           `json:",omitempty"` // what outlived SIGKILL

	process *Process // set by the receiver of kindStarted
}

const (
	// maxMessage bounds a message; the kernel's own limit on argv and
	// environment together is far below it.
	maxMessage = 64 << 20
	// sendLimit is when a peer that does not read counts as gone.
	sendLimit = 10 * time.Second
)

// conn is one end of the control socket: messages as JSON after their length in four bytes, with
// files attached to the length.
type conn struct {
	*net.UnixConn
	sending sync.Mutex
}

// newConn takes f over.
func newConn(f *os.File) (*conn, error) {
	defer f.Close()
	c, err := net.FileConn(f)
	if err != nil {
		return nil, err
	}
	u, ok := c.(*net.UnixConn)
	if !ok {
		c.Close()
		return nil, errors.New("the control socket is not a unix socket")
	}
	return &conn{UnixConn: u}, nil
}

// socketPair makes both ends of a control socket, closed on exec.
func socketPair() (ours *conn, theirs *os.File, err error) {
	syscall.ForkLock.RLock() // no fork between making and marking them
	fds, err := syscall.Socketpair(syscall.AF_UNIX, syscall.SOCK_STREAM, 0)
	if err == nil {
		syscall.CloseOnExec(fds[0])
		syscall.CloseOnExec(fds[1])
	}
	syscall.ForkLock.RUnlock()
	if err != nil {
		return nil, nil, os.NewSyscallError("socketpair", err)
	}
	theirs = os.NewFile(uintptr(fds[1]), "control socket")
	if ours, err = newConn(os.NewFile(uintptr(fds[0]), "control socket")); err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

// send writes one message, and passes the files that are not nil.
func (c *conn) send(m message, files ...*os.File) error {
	body, err := json.Marshal(m)
	if err != nil {
		return err
	}
	if len(body) > maxMessage {
		return fmt.Errorf("a message of %d bytes to the guardian is too long: %w", len(body), syscall.E2BIG)
	}
	var fds []int
	for _, f := range files {
		if f != nil {
			fds = append(fds, int(f.Fd())) // also makes it blocking, as a child expects
		}
	}
	var rights []byte
	if len(fds) > 0 {
		rights = syscall.UnixRights(fds...)
	}
	c.sending.Lock()
	defer c.sending.Unlock()
	_ = c.SetWriteDeadline(time.Now().Add(sendLimit))
	_, _, err = c.WriteMsgUnix(binary.BigEndian.AppendUint32(nil, uint32(len(body))), rights, nil)
	runtime.KeepAlive(files)
	if err == nil {
		_, err = c.Write(body)
	}
	return err
}

// receive reads one message and the files that came with it, closed on exec. The
// files are the caller's to close.
func (c *conn) receive() (m message, fds []int, err error) {
	defer func() {
		if err != nil {
			closeAll(fds)
			fds = nil
		}
	}()
	var length [4]byte
	oob := make([]byte, syscall.CmsgSpace(3*4))
	n, oobn, _, _, err := c.ReadMsgUnix(length[:], oob)
	if err != nil {
		return m, nil, err
	}
	if fds, err = passed(oob[:oobn]); err != nil {
		return m, fds, err
	}
	if _, err = io.ReadFull(c, length[n:]); err != nil {
		return m, fds, err
	}
	size := binary.BigEndian.Uint32(length[:])
	if size > maxMessage {
		return m, fds, fmt.Errorf("a message of %d bytes on the control socket is too long", size)
	}
	body := make([]byte, size)
	if _, err = io.ReadFull(c, body); err != nil {
		return m, fds, err
	}
	return m, fds, json.Unmarshal(body, &m)
}

// passed are the descriptors in a control message.
func passed(oob []byte) ([]int, error) {
	var fds []int
	msgs, err := syscall.ParseSocketControlMessage(oob)
	for i := range msgs {
		if f, err := syscall.ParseUnixRights(&msgs[i]); err == nil {
			fds = append(fds, f...)
		}
	}
	return fds, err
}

func closeAll(fds []int) {
	for _, fd := range fds {
		_ = syscall.Close(fd)
	}
}

func toBytes(ss []string) [][]byte {
	bs := make([][]byte, len(ss))
	for i, s := range ss {
		bs[i] = []byte(s)
	}
	return bs
}

func toStrings(bs [][]byte) []string {
	ss := make([]string, len(bs))
	for i, b := range bs {
		ss[i] = string(b)
	}
	return ss
}
