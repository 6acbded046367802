package prd

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"github.com/google/renameio/v2"
)

// MaxSize is the largest prd.json, in bytes, that is read.
const MaxSize = 64 << 20

// Load reads and checks the file. The findings are warnings, such as unknown
// keys; they come with an error too. The error is an *InvalidError where the
// content is at fault; it wraps fs.ErrNotExist where there is no file.
func Load(path string) (*PRD, []Finding, error) {
	data, err := ReadFile(path, MaxSize)
	if err != nil {
		return nil, nil, err
	}
	return Parse(path, data)
}

// ReadFile returns the content of a regular file of at most limit bytes. It
// refuses everything else, a FIFO or a device among them, without waiting.
func ReadFile(path string, limit int64) ([]byte, error) { return ReadAgain(path, limit, nil) }

// ReadAgain is ReadFile for a file that was read before: where known is still its
// content, known itself is returned, and no memory is needed for another copy.
func ReadAgain(path string, limit int64, known []byte) ([]byte, error) {
	// Opening a device can have effects of its own: look first.
	info, err := os.Stat(path)
	if err != nil {
		return nil, readError(path, err)
	}
	if err := refuse(path, info, limit); err != nil {
		return nil, err
	}
	// The file may have been replaced in between, and opening a FIFO waits for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return nil, readError(path, err)
	}
	defer f.Close()
	if info, err = f.Stat(); err != nil {
		return nil, readError(path, err)
	}
	if err := refuse(path, info, limit); err != nil {
		return nil, err
	}
	if Holds(f, known) {
		return known, nil
	}
	return readLimited(f, path, info.Size(), limit)
}

// Holds reports whether the content of f is known, byte for byte. It is false for
// a known of nil, and where f cannot be read: whoever reads it then gets the error.
func Holds(f *os.File, known []byte) bool {
	if info, err := f.Stat(); known == nil || err != nil || info.Size() != int64(len(known)) {
		return false
	}
	const step = 64 << 10 // stays in the processor's cache
	chunk := make([]byte, min(step, len(known)+1))
	for at := 0; ; {
		n, err := f.ReadAt(chunk, int64(at))
		if n > len(known)-at || !bytes.Equal(chunk[:n], known[at:at+n]) {
			return false
		}
		if at += n; err != nil {
			return errors.Is(err, io.EOF) && at == len(known)
		}
	}
}

// readLimited reads f, which had the size when it was opened and may grow.
func readLimited(f *os.File, path string, size, limit int64) ([]byte, error) {
	data := make([]byte, size)
	n, err := io.ReadFull(f, data)
	switch {
	case errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF):
		return data[:n], nil
	case err != nil:
		return nil, readError(path, err)
	}
	rest, err := io.ReadAll(io.LimitReader(f, limit-size+1))
	if err != nil {
		return nil, readError(path, err)
	}
	if size+int64(len(rest)) > limit {
		return nil, tooLarge(path, limit)
	}
	return append(data, rest...), nil
}

func refuse(path string, info fs.FileInfo, limit int64) error {
	switch {
	case info.IsDir():
		return fmt.Errorf("%s is a directory, not a file", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is not a regular file", path)
	case info.Size() > limit:
		return tooLarge(path, limit)
	}
	return nil
}

func tooLarge(path string, limit int64) error {
	return fmt.Errorf("%s is larger than %d MB", path, limit>>20)
}

// readError words err without the name of the system call and a second path.
func readError(path string, err error) error {
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s cannot be read: %w", path, err)
}

// Save replaces the file by rename, after fsync. A file that holds the same
// bytes already is left alone; the mode of an existing file is kept, and where
// path is a symbolic link, the file behind it is replaced.
func (p *PRD) Save(path string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	data := p.Bytes()
	old, err := ReadFile(path, MaxSize)
	switch {
	case err == nil && string(old) == string(data):
		return nil
	case err != nil && !errors.Is(err, fs.ErrNotExist):
		return err
	}
	if err := renameio.WriteFile(path, data, 0o644, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("%s cannot be written: %w", path, err)
	}
	return nil
}
