package prd

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/google/renameio/v2"

	"ralph/internal/regular"
)

// MaxSize is the largest prd.json, in bytes, that is read.
const MaxSize = 64 << 20

// Load reads and checks the file. The findings are warnings, such as unknown
// keys; they come with an error too. The error is an *InvalidError where the
// content is at fault; it wraps fs.ErrNotExist where there is no file.
func Load(path string) (*PRD, []Finding, error) {
	data, err := regular.Read(path, MaxSize)
	if err != nil {
		return nil, nil, err
	}
	return Parse(path, data)
}

// Save replaces the file by rename, after fsync. A file with the same content is not
// touched. The mode of an existing file is kept. If path is a symbolic link, its target
// is replaced.
func (p *PRD) Save(path string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	data := p.Bytes()
	old, err := regular.Read(path, MaxSize)
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
