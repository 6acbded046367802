package main

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

// progressState tells what there is of a feature's progress.txt, in words for people.
type progressState string

const (
	progressMissing progressState = "missing"
	progressEmpty   progressState = "empty" // even of its head
	progressBegun   progressState = "begun"
)

func (p *place) progressPath() string {
	return filepath.Join(p.repo.Root, p.folder, "progress.txt")
}

// progress looks at progress.txt. What stands in its place and is no file is an
// error: the loop could not append to it.
func (p *place) progress() (progressState, error) {
	refused := func(what string) (progressState, error) {
		return "", hint.With(fmt.Errorf("%s/progress.txt %s", p.folder, what), "move it out of the way, then run: ralph prd")
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
	return progressBegun, nil
}

// beginProgress writes the head of progress.txt, of which there is nothing yet;
// a link is kept, and the file behind it written.
func (p *place) beginProgress() error {
	path := p.progressPath()
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	head := []byte(spec.ProgressHead(p.unit, time.Now()))
	if err := renameio.WriteFile(path, head, 0o644, renameio.WithTempDir(filepath.Dir(path))); err != nil {
		return fmt.Errorf("%s/progress.txt cannot be written: %s", p.folder, relative(p.repo.Root, err.Error()))
	}
	return nil
}
