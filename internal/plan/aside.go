package plan

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
)

// setAside moves what took the place of a plan's file or folder to the folder of replaced
// content, whatever it is: it may be the user's.
func (g *guard) setAside(label, rel string) (Restored, error) {
	path, kept := filepath.Join(g.root, rel), g.keptAs(label, rel)
	r := Restored{Path: rel, What: "replaced by " + kindOf(path), Kept: kept}
	if err := os.MkdirAll(filepath.Dir(kept), 0o700); err != nil {
		return r, err
	}
	if err := os.RemoveAll(kept); err != nil { // of an earlier attempt in the same iteration
		return r, err
	}
	err := os.Rename(path, kept)
	if err == nil || errors.Is(err, fs.ErrPermission) {
		return r, err
	}
	// The git directory is on another file system: what is no plain file is not
	// worth copying.
	r.Kept = ""
	if data, readErr := readRegular(path); readErr == nil {
		if r.Kept, err = g.keep(label, rel, data); err != nil {
			return r, err
		}
	}
	return r, os.RemoveAll(path)
}

// kindOf names the kind of file at a path, for messages.
func kindOf(path string) string {
	info, err := os.Lstat(path)
	switch {
	case err != nil:
		return "something that cannot be read"
	case info.IsDir():
		return "a folder"
	case info.Mode()&fs.ModeSymlink != 0:
		to, _ := os.Readlink(path)
		return "a link to " + to
	case !info.Mode().IsRegular():
		return "something that is not a plain file"
	case info.Size() > maxPlanFile:
		return "a file that is too large for a plan"
	}
	return "a file that cannot be read"
}
