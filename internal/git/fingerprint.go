package git

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
)

// maxHashed is the size in bytes up to which a changed file is read. Larger files are compared by
// size and time of change.
const maxHashed = 32 << 20

// WorktreeState describes a worktree at one moment.
type WorktreeState struct {
	Head    Head
	Changes []StatusEntry // what was not committed
	// Hash is a fingerprint of the content: of the paths, modes and contents of all files that
	// are not ignored. A commit of the same content does not change it, and neither does a change
	// that was undone.
	Hash string
}

// ReadWorktree reads the state of the worktree. It ignores the paths in exclude and all below them.
//
// It runs git twice and reads the files with uncommitted changes.
func (r *Repo) ReadWorktree(ctx context.Context, exclude ...string) (WorktreeState, error) {
	changes, err := r.Status(ctx, exclude...)
	if err != nil {
		return WorktreeState{}, err
	}
	return r.ReadWorktreeWith(ctx, changes, exclude...)
}

// ReadWorktreeWith reads the state of the worktree for a caller that already knows which
// paths have uncommitted changes. An extra path does no harm; a missing one counts as
// committed.
func (r *Repo) ReadWorktreeWith(ctx context.Context, changes []StatusEntry, exclude ...string) (WorktreeState, error) {
	head, err := r.Head(ctx)
	if err != nil {
		return WorktreeState{}, err
	}
	changes = Without(changes, exclude...)
	sum, err := r.fingerprint(ctx, head, changes, exclude)
	return WorktreeState{Head: head, Changes: changes, Hash: sum}, err
}

func (r *Repo) fingerprint(ctx context.Context, head Head, changes []StatusEntry, exclude []string) (string, error) {
	dirty := make(map[string]bool, len(changes))
	for _, change := range changes {
		dirty[change.Path] = true
	}
	entries, err := r.committed(ctx, head.Commit, dirty, exclude)
	if err != nil {
		return "", err
	}
	objects := r.store()
	for path := range dirty {
		if entry := objects.fingerprint(r.Root, path); entry != "" {
			entries = append(entries, entry)
		}
	}
	slices.Sort(entries)
	sum := sha256.New()
	for _, entry := range entries {
		io.WriteString(sum, entry)
		sum.Write([]byte{0})
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// committed lists the head's files that are unchanged in the worktree, each as
// "path NUL mode SPACE name of the content".
func (r *Repo) committed(ctx context.Context, commit string, dirty map[string]bool, exclude []string) ([]string, error) {
	list, err := r.list(ctx, commit)
	var entries []string
	for path, e := range list.all() {
		if e.Mode != folderMode && !dirty[path] && !under(path, exclude) {
			entries = append(entries, path+"\x00"+e.Mode+" "+e.Hash)
		}
	}
	return entries, err
}

// fingerprint is the entry that path would have in a commit, "" where the file is gone.
func (s store) fingerprint(root, path string) string {
	file := filepath.Join(root, path)
	info, err := os.Lstat(file)
	if err != nil {
		return ""
	}
	stamp := func() string { return fmt.Sprintf("%s\x00%d %d", path, info.Size(), info.ModTime().UnixNano()) }
	switch mode := info.Mode(); {
	case mode.IsDir():
		return path + "\x00" + directoryStamp(file)
	case mode&fs.ModeSymlink == 0 && (!mode.IsRegular() || info.Size() > maxHashed):
		return stamp()
	}
	e, err := s.entryOf(file, info, false)
	if err != nil {
		return stamp()
	}
	return path + "\x00" + e.Mode + " " + e.Hash
}

// directoryStamp returns an entry for a changed submodule or a repository inside this one: git
// reports only that something in it has changed.
func directoryStamp(dir string) string {
	sum := sha256.New()
	filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read cannot be compared
		}
		if entry.Name() == ".git" {
			if entry.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if info, err := entry.Info(); err == nil && !entry.IsDir() {
			fmt.Fprintf(sum, "%s\x00%v %d %d\x00", path, info.Mode(), info.Size(), info.ModTime().UnixNano())
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil))
}
