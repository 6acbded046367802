package journal

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// Writer appends to a journal. There is one at a time: its owner holds the
// unit's [Lock]. Its methods are safe for several goroutines.
type Writer struct {
	mu   sync.Mutex
	path string
	file *os.File
	buf  []byte
}

// OpenWriter opens the journal at path for appending and creates it (0600) with its
// directories (0700) if it is missing. It first repairs the end that a crash left: a
// complete event gets its newline, and anything else is cut off.
func OpenWriter(path string) (*Writer, error) {
	dir := filepath.Dir(path)
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("the journal's directory cannot be created: %w", err)
	}
	f, err := os.OpenFile(path, os.O_RDWR|os.O_APPEND|os.O_CREATE, 0o600)
	if err != nil {
		return nil, fmt.Errorf("the journal cannot be opened: %w", err)
	}
	if err := prepare(f, dir); err != nil {
		f.Close()
		return nil, fmt.Errorf("%s: the journal cannot be written: %w", path, err)
	}
	return &Writer{path: path, file: f}, nil
}

// prepare makes an opened journal ready for the next event.
func prepare(f *os.File, dir string) error {
	info, err := f.Stat()
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return errors.New("it is not a plain file")
	}
	if info.Mode().Perm() != 0o600 {
		if err := f.Chmod(0o600); err != nil {
			return err
		}
	}
	if info.Size() == 0 {
		return syncDir(dir) // a new file is only there for good once its directory is
	}
	return repairEnd(f, info.Size())
}

// repairEnd completes or removes a last line that has no newline.
func repairEnd(f *os.File, size int64) error {
	keep, err := lastNewline(f, size)
	if err != nil || keep == size {
		return err
	}
	if tail := size - keep; tail <= maxLine {
		line := make([]byte, tail)
		if _, err := f.ReadAt(line, keep); err != nil {
			return err
		}
		var e Event
		if err := e.UnmarshalJSON(line); err == nil || errors.Is(err, errUnknownType) {
			_, err := f.Write([]byte("\n"))
			return errors.Join(err, f.Sync())
		}
	}
	return errors.Join(f.Truncate(keep), f.Sync())
}

// lastNewline returns the offset after the last newline among the first size bytes.
func lastNewline(f *os.File, size int64) (int64, error) {
	chunk := make([]byte, 64<<10)
	for end := size; end > 0; {
		n := min(end, int64(len(chunk)))
		if _, err := f.ReadAt(chunk[:n], end-n); err != nil {
			return 0, err
		}
		if i := bytes.LastIndexByte(chunk[:n], '\n'); i >= 0 {
			return end - n + int64(i) + 1, nil
		}
		end -= n
	}
	return 0, nil
}

// Append writes one event and returns it as a reader sees it. Without an error the event
// is visible to every process and, except for those of [syncedByNext], on the disk. With
// an error the journal is as it was before.
func (w *Writer) Append(run string, now time.Time, b Body) (Event, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if err := w.inPlace(); err != nil {
		return Event{}, err
	}
	e := Event{Time: now.UTC().Truncate(time.Millisecond), Run: run, Body: b}
	line, err := e.appendTo(w.buf[:0])
	if err != nil {
		return Event{}, err
	}
	w.buf = line
	n, err := w.file.Write(line)
	if err == nil && !syncedByNext(b) {
		err = w.file.Sync()
	}
	if err != nil {
		return Event{}, errors.Join(fmt.Errorf("the journal cannot be written: %w", err), w.cutBack(int64(n)))
	}
	return e, nil
}

// syncedByNext reports whether an event is synced together with the next one. Only a loss
// of power can remove it, and it has no use then: the loop does nothing between the start
// of an iteration and the next event, and a process number means nothing after a restart.
func syncedByNext(b Body) bool {
	switch b.(type) {
	case IterationStarted, AgentStarted:
		return true
	}
	return false
}

// inPlace returns an error if the journal's name no longer leads to the open file:
// someone removed it, and appended events would be lost.
func (w *Writer) inPlace() error {
	mine, err := w.file.Stat()
	if err != nil {
		return fmt.Errorf("the journal cannot be written: %w", err)
	}
	named, err := os.Stat(w.path)
	if err != nil || !os.SameFile(mine, named) {
		return fmt.Errorf("the journal %s was removed or replaced while ralph was writing it", w.path)
	}
	return nil
}

// cutBack removes the last n bytes, so that half a line does not swallow the next one.
func (w *Writer) cutBack(n int64) error {
	if n == 0 {
		return nil
	}
	info, err := w.file.Stat()
	if err == nil {
		err = w.file.Truncate(info.Size() - n)
	}
	if err != nil && !errors.Is(err, fs.ErrClosed) {
		return fmt.Errorf("an unfinished line is left in the journal: %w", err)
	}
	return nil
}

// Close closes the journal. Every event is on the disk already.
func (w *Writer) Close() error {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.file.Close()
}

// syncDir makes the names in a directory durable. File systems that cannot sync a
// directory do not need it: their refusal is not an error.
func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	_ = d.Sync()
	return nil
}
