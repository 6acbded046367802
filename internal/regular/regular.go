// Package regular reads regular files and nothing else: a FIFO or a device in the
// place of a file must not hang or flood the program. It writes new files without a risk for
// what exists.
package regular

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"
	"unicode/utf8"
)

// Read returns the content of a regular file of at most limit bytes. It follows symbolic
// links. The error names the path, and wraps fs.ErrNotExist if the file does not exist.
func Read(path string, limit int64) ([]byte, error) {
	// Opening a device can have effects of its own: check before.
	info, err := os.Stat(path)
	if err != nil {
		return nil, unread(path, err)
	}
	if err := refuse(path, info, limit); err != nil {
		return nil, err
	}
	return read(path, limit, 0)
}

// ReadNoLink reads a file as Read does, but rejects a symbolic link.
func ReadNoLink(path string, limit int64) ([]byte, error) {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return nil, unread(path, err)
	case info.Mode()&fs.ModeSymlink != 0:
		return nil, fmt.Errorf("%s is a symbolic link: put the file itself in its place", path)
	}
	if err := refuse(path, info, limit); err != nil {
		return nil, err
	}
	return read(path, limit, syscall.O_NOFOLLOW)
}

// ReadText reads a file as Read does, but rejects content that is not UTF-8.
func ReadText(path string, limit int64) (string, error) {
	data, err := Read(path, limit)
	if err != nil {
		return "", err
	}
	line := 1
	for rest := data; len(rest) > 0; {
		r, size := utf8.DecodeRune(rest)
		if r == utf8.RuneError && size == 1 {
			return "", fmt.Errorf("%s:%d: the file is not valid UTF-8: save it as UTF-8", path, line)
		}
		if r == '\n' {
			line++
		}
		rest = rest[size:]
	}
	return string(data), nil
}

func read(path string, limit int64, flags int) ([]byte, error) {
	// The file may have been replaced since, and opening a FIFO waits for a writer.
	f, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK|flags, 0)
	if err != nil {
		return nil, unread(path, err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		return nil, unread(path, err)
	}
	if err := refuse(path, info, limit); err != nil {
		return nil, err
	}
	data := make([]byte, info.Size(), info.Size()+1)
	n, err := io.ReadFull(f, data)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return nil, unread(path, err)
	}
	rest, err := io.ReadAll(io.LimitReader(f, limit-int64(n)+1)) // it may grow
	switch {
	case err != nil:
		return nil, unread(path, err)
	case int64(n+len(rest)) > limit:
		return nil, tooLarge(path, limit)
	}
	return append(data[:n], rest...), nil
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

// unread says the cause without the name of the system call.
func unread(path string, err error) error {
	if to, failed := os.Readlink(path); failed == nil && errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("%s is a link to %s, which does not exist: %w", path, to, fs.ErrNotExist)
	}
	if pe := (*fs.PathError)(nil); errors.As(err, &pe) {
		err = pe.Err
	}
	return fmt.Errorf("%s cannot be read: %w", path, err)
}

// WriteNew writes a file that does not exist yet, with its folders.
func WriteNew(path string, data []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o644)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err = errors.Join(err, f.Close()); err != nil {
		return errors.Join(err, os.Remove(path))
	}
	return nil
}
