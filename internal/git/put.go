package git

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"strings"
	"syscall"
	"time"
)

// errNotFolder is what the system says of a path below something that is no folder.
const errNotFolder = syscall.ENOTDIR

// PutFiles writes the new entry of each change into the worktree. It replaces a file as a
// whole, and a folder only if it is empty. It never writes through a symbolic link. It does
// not touch submodules: their commits are in other repositories.
func (r *Repo) PutFiles(ctx context.Context, changes []PathChange) error {
	root, err := os.OpenRoot(r.Root)
	if err != nil {
		return err
	}
	defer root.Close()
	var write []PathChange
	for _, c := range changes {
		switch {
		case c.New.IsSubmodule() || c.Old.IsSubmodule():
		case c.New.Mode == "":
			if err := removeFile(root, c.Path); err != nil {
				return err
			}
		default:
			write = append(write, c)
		}
	}
	const batch = 64 // contents are held in memory
	for len(write) > 0 {
		some := write[:min(batch, len(write))]
		write = write[len(some):]
		hashes := make([]string, 0, batch)
		for _, c := range some {
			hashes = append(hashes, c.New.Hash)
		}
		texts, err := r.Contents(ctx, hashes...)
		if err != nil {
			return err
		}
		for i, c := range some {
			if err := replaceFile(root, c.Path, c.New.Mode, texts[i]); err != nil {
				return err
			}
		}
	}
	return nil
}

// removeFile removes a file, and the folders above it that are empty then.
func removeFile(root *os.Root, name string) error {
	err := root.Remove(name)
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, errNotFolder) {
		return fmt.Errorf("%s cannot be removed: %w", name, err)
	}
	for dir := path.Dir(name); dir != "."; dir = path.Dir(dir) {
		if info, err := root.Lstat(dir); err != nil || !info.IsDir() || root.Remove(dir) != nil {
			break
		}
	}
	return nil
}

// replaceFile replaces whatever is at a path by a file or a link, as a whole.
func replaceFile(root *os.Root, name, mode, content string) error {
	dir := path.Dir(name)
	if err := root.MkdirAll(dir, 0o755); err != nil {
		return fmt.Errorf("the folder of %s cannot be made: %w", name, err)
	}
	perm := fs.FileMode(0o666)
	if info, err := root.Lstat(name); err == nil && info.Mode().IsRegular() {
		perm = info.Mode().Perm() &^ 0o111
	}
	if mode == "100755" {
		perm |= 0o111
	}
	temp := path.Join(dir, fmt.Sprintf(".ralph-%d", time.Now().UnixNano()))
	if err := writeEntry(root, temp, mode, perm, content); err != nil {
		_ = root.Remove(temp)
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	if info, err := root.Lstat(name); err == nil && info.IsDir() {
		if err := root.Remove(name); err != nil { // what git ignores may be in it
			_ = root.Remove(temp)
			return fmt.Errorf("%s cannot be written: a folder with other files is in its place: %w", name, err)
		}
	}
	if err := root.Rename(temp, name); err != nil {
		_ = root.Remove(temp)
		return fmt.Errorf("%s cannot be written: %w", name, err)
	}
	return nil
}

func writeEntry(root *os.Root, name, mode string, perm fs.FileMode, content string) error {
	if mode == "120000" {
		return root.Symlink(content, name)
	}
	file, err := root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, perm)
	if err != nil {
		return err
	}
	_, err = file.WriteString(content)
	return errors.Join(err, file.Sync(), file.Close())
}

// Unstage resets the index entries of some paths to those of a commit. An empty commit
// removes them.
func (r *Repo) Unstage(ctx context.Context, commit string, paths []string) error {
	if len(paths) == 0 {
		return nil
	}
	entries, err := r.Entries(ctx, commit)
	if err != nil {
		return err
	}
	none := strings.Repeat("00", r.store().newHash().Size())
	var gone, set strings.Builder // a file that is gone may be in the way of a folder
	for _, p := range paths {
		if e := entries[p]; e.Mode == "" {
			fmt.Fprintf(&gone, "0 %s\t%s\x00", none, p)
		} else {
			fmt.Fprintf(&set, "%s %s\t%s\x00", e.Mode, e.Hash, p)
		}
	}
	if _, err := r.gitWith(ctx, []byte(gone.String()+set.String()), "update-index", "-z", "--index-info"); err != nil {
		return err
	}
	// Without this the next status reads every one of these files. It fails where some differ.
	_, err = r.git(ctx, "update-index", "-q", "--refresh")
	var differ *Error
	if errors.As(err, &differ) {
		return nil
	}
	return err
}
