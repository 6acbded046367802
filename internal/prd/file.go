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

// Load reads and checks the file. The findings are warnings, such as unknown keys; Load
// returns them with an error too. The error is an *InvalidError if the content is not valid.
// It wraps fs.ErrNotExist if the file does not exist.
func Load(path string) (*PRD, []Problem, error) {
	data, err := regular.Read(path, MaxSize)
	if err != nil {
		return nil, nil, err
	}
	return Parse(path, data)
}

// Save writes the file: it replaces it by rename, after fsync. It does not touch a file with
// the same content, and keeps the mode of an existing file. If path is a symbolic link, it
// replaces the target.
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
