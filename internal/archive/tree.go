package archive

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"
)

// copyTree copies a file, a symbolic link or a folder with all that is in it.
// Links are copied as links and never followed. Modes and times of files are
// kept.
func copyTree(ctx context.Context, from, to string) error {
	return filepath.WalkDir(from, func(path string, d fs.DirEntry, err error) error {
		if err := errors.Join(err, ctx.Err()); err != nil {
			return err
		}
		rel, err := filepath.Rel(from, path)
		if err != nil {
			return err
		}
		target := filepath.Join(to, rel)
		switch d.Type() {
		case fs.ModeDir:
			return os.MkdirAll(target, 0o700)
		case fs.ModeSymlink:
			link, err := os.Readlink(path)
			if err != nil {
				return err
			}
			return os.Symlink(link, target)
		case 0:
			return copyFile(path, target)
		}
		return fmt.Errorf("%s is neither a file nor a folder; move it out of the way", path)
	})
}

func copyFile(from, to string) (err error) {
	source, err := os.Open(from)
	if err != nil {
		return err
	}
	defer source.Close()
	info, err := source.Stat()
	if err != nil {
		return err
	}
	target, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, info.Mode().Perm())
	if err != nil {
		return err
	}
	_, err = io.Copy(target, source)
	if err == nil {
		err = target.Chmod(info.Mode().Perm()) // whatever the umask
	}
	if err == nil {
		err = target.Sync()
	}
	if err := errors.Join(err, target.Close()); err != nil {
		return err
	}
	return os.Chtimes(to, info.ModTime(), info.ModTime())
}

// sameTree reports whether two trees have the same names, kinds and contents. If one does
// not exist, the error is fs.ErrNotExist.
func sameTree(a, b string) (bool, error) {
	infoA, err := os.Lstat(a)
	if err != nil {
		return false, err
	}
	infoB, err := os.Lstat(b)
	if err != nil {
		return false, err
	}
	switch {
	case os.SameFile(infoA, infoB):
		return true, nil
	case infoA.Mode().Type() != infoB.Mode().Type():
		return false, nil
	case infoA.IsDir():
		return sameFolder(a, b)
	case infoA.Mode().Type() == fs.ModeSymlink:
		linkA, err := os.Readlink(a)
		linkB, err2 := os.Readlink(b)
		return linkA == linkB, errors.Join(err, err2)
	case infoA.Size() != infoB.Size():
		return false, nil
	}
	return sameContent(a, b)
}

func sameFolder(a, b string) (bool, error) {
	inA, err := os.ReadDir(a)
	if err != nil {
		return false, err
	}
	inB, err := os.ReadDir(b)
	if err != nil || len(inA) != len(inB) {
		return false, err
	}
	for i := range inA { // both are sorted
		name := inA[i].Name()
		if name != inB[i].Name() {
			return false, nil
		}
		if same, err := sameTree(filepath.Join(a, name), filepath.Join(b, name)); !same || err != nil {
			return false, err
		}
	}
	return true, nil
}

func sameContent(a, b string) (bool, error) {
	fileA, err := os.Open(a)
	if err != nil {
		return false, err
	}
	defer fileA.Close()
	fileB, err := os.Open(b)
	if err != nil {
		return false, err
	}
	defer fileB.Close()
	left, right := bufio.NewReader(fileA), bufio.NewReader(fileB)
	bufA, bufB := make([]byte, 32<<10), make([]byte, 32<<10)
	for {
		n, errA := io.ReadFull(left, bufA)
		m, errB := io.ReadFull(right, bufB)
		if !bytes.Equal(bufA[:n], bufB[:m]) {
			return false, nil
		}
		if errA != nil || errB != nil {
			ended := func(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }
			if ended(errA) && ended(errB) {
				return true, nil
			}
			return false, errors.Join(errA, errB)
		}
	}
}

// sweepTemporary removes what a write of the file left that was cut off by force:
// it would go into the archive, and come back with it.
func sweepTemporary(path string) error {
	dir, name := filepath.Split(path)
	entries, err := os.ReadDir(dir)
	if err != nil {
		return err
	}
	for _, e := range entries {
		digits, ok := strings.CutPrefix(e.Name(), "."+name)
		if _, err := strconv.ParseUint(digits, 10, 64); !ok || err != nil || !e.Type().IsRegular() {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil {
			return err
		}
	}
	return nil
}
