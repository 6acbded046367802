package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"syscall"

	"ralph/internal/stream"
)

// Obstacle is what a person can do about an error of the file system, as a sentence
// with the command where there is one; empty where the error is none of the known.
func Obstacle(err error) string {
	var p *fs.PathError
	if !errors.As(err, &p) || p.Path == "" {
		return ""
	}
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return aside(firstFile(p.Path), "is no folder, and one is needed there")
	case errors.Is(err, syscall.EISDIR):
		return aside(p.Path, "is a folder, and a file is needed there")
	case errors.Is(err, fs.ErrPermission):
		return "see to its owner and permissions: ls -ld " + stream.ShellWord(nearest(p.Path))
	case errors.Is(err, syscall.EROFS):
		return fmt.Sprintf("the disk of %s can only be read: mount it for writing, or work on another one", nearest(p.Path))
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room on the disk: df -h " + stream.ShellWord(nearest(p.Path))
	}
	return ""
}

func aside(path, why string) string {
	return fmt.Sprintf("%s %s: mv %s %s", path, why, stream.ShellWord(path), stream.ShellWord(path+".aside"))
}

// firstFile is the part of the path, from the top, that is there and is no folder.
func firstFile(path string) string {
	for at := path; ; at = filepath.Dir(at) {
		if info, err := os.Stat(at); err == nil && !info.IsDir() || at == filepath.Dir(at) {
			return at
		}
	}
}

// nearest is the lowest part of the path that is there, as far as can be seen.
func nearest(path string) string {
	for ; path != filepath.Dir(path); path = filepath.Dir(path) {
		if _, err := os.Lstat(path); err == nil {
			break
		}
	}
	return path
}
