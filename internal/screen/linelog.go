package screen

import (
	"bufio"
	"os"
	"path/filepath"
	"sync"

	"golang.org/x/sys/unix"
)

// lineLog keeps what the terminal showed. It is derived: once it cannot be
// written it says nothing more.
type lineLog struct {
	mu   sync.Mutex
	file *os.File
	buf  *bufio.Writer
}

// openLineLog starts an empty log.
func openLineLog(path string) (*lineLog, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	// Does not wait for a reader if the path is a FIFO.
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_TRUNC|unix.O_NONBLOCK, 0o600)
	if err != nil {
		return nil, err
	}
	if err := f.Chmod(0o600); err != nil { // it may be an old one
		f.Close()
		return nil, err
	}
	return &lineLog{file: f, buf: bufio.NewWriterSize(f, 64<<10)}, nil
}

// Write implements io.Writer. It never fails, so that the terminal output continues.
func (l *lineLog) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	_, _ = l.buf.Write(p)
	return len(p), nil
}

func (l *lineLog) flush() {
	l.mu.Lock()
	defer l.mu.Unlock()
	_ = l.buf.Flush()
}

func (l *lineLog) close() {
	l.flush()
	_ = l.file.Close()
}
