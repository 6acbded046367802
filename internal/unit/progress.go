package unit

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"time"

	"github.com/google/renameio/v2"

	"ralph/internal/hint"
	"ralph/internal/spec"
)

// ProgressState describes how complete a feature's progress.txt is.
type ProgressState string

const (
	progressMissing ProgressState = "missing"
	progressEmpty   ProgressState = "empty" // even of its head
	ProgressStarted ProgressState = "started"
)

func (p *Place) progressPath() string {
	return p.File("progress.txt")
}

// Progress inspects progress.txt. Anything but a file is an error: the loop could not append to
// it.
func (p *Place) Progress() (ProgressState, error) {
	refused := func(what string) (ProgressState, error) {
		return "", hint.With(fmt.Errorf("%s/progress.txt %s", p.Folder, what), "move it out of the way, then run: ralph prd")
	}
	info, err := os.Stat(p.progressPath())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		if _, err := os.Lstat(p.progressPath()); err == nil {
			return refused("is a symbolic link that leads nowhere")
		}
		return progressMissing, nil
	case err != nil:
		var cause *fs.PathError
		if errors.As(err, &cause) {
			err = cause.Err
		}
		return refused("cannot be read: " + err.Error())
	case info.IsDir():
		return refused("is a directory, not a file")
	case !info.Mode().IsRegular():
		return refused("is not a regular file")
	case info.Size() == 0:
		return progressEmpty, nil
	}
	return ProgressStarted, nil
}

// BeginProgress writes a progress.txt with only its heading. It follows a symbolic link.
func (p *Place) BeginProgress() error {
	path := p.progressPath()
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	head := []byte(spec.ProgressHead(p.Unit, time.Now()))
	if err := renameio.WriteFile(path, head, 0o644, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("%s/progress.txt cannot be written: %s", p.Folder, Relative(p.Repo.Root, err.Error()))
	}
	return nil
}
