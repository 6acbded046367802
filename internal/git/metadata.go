package git

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io/fs"
	"path/filepath"
)

// Metadata holds fingerprints of a repository apart from its files: what a check must not
// change. The index is kept as it is.
type Metadata struct {
	head, refs, hooks, config string
	index                     []byte
}

// ReadMetadata reads HEAD, the index, all refs, the hooks and the settings. It starts no process.
func (r *Repo) ReadMetadata() Metadata {
	index, _ := readFile(filepath.Join(r.GitDir, "index")) // there may be none yet
	return Metadata{
		head:   string(readBounded(filepath.Join(r.GitDir, "HEAD"))),
		index:  index,
		refs:   folderHash(filepath.Join(r.CommonDir, "refs")) + hashed(readBounded(filepath.Join(r.CommonDir, "packed-refs"))),
		hooks:  folderHash(filepath.Join(r.CommonDir, "hooks")),
		config: hashed(readBounded(filepath.Join(r.CommonDir, "config"))) + hashed(readBounded(filepath.Join(r.GitDir, "config.worktree"))),
	}
}

// ChangedSince returns the names of the parts that differ from before. Of the index only the
// entries count: git refreshes its times by itself.
func (r *Repo) ChangedSince(ctx context.Context, before Metadata) ([]string, error) {
	now := r.ReadMetadata()
	var list []string
	for _, part := range []struct{ name, before, now string }{
		{"HEAD", before.head, now.head}, {"branches, tags or notes", before.refs, now.refs},
		{"the hooks", before.hooks, now.hooks}, {"git's settings", before.config, now.config},
	} {
		if part.before != part.now {
			list = append(list, part.name)
		}
	}
	if !bytes.Equal(before.index, now.index) {
		same, err := r.sameEntries(ctx, before.index, now.index)
		if err != nil {
			return nil, err
		}
		if !same {
			list = append(list, "the index")
		}
	}
	return list, nil
}

// sameEntries reports whether two indexes hold the same files.
func (r *Repo) sameEntries(ctx context.Context, one, other []byte) (bool, error) {
	var entries []string
	for _, index := range [][]byte{one, other} {
		err := r.inIndex(ctx, index, func(git gitFunc) error {
			list, err := git(nil, "ls-files", "--stage", "-z")
			entries = append(entries, list)
			return err
		})
		if err != nil {
			return false, err
		}
	}
	return entries[0] == entries[1], nil
}

func hashed(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:12])
}

// folderHash identifies the files below a folder.
func folderHash(dir string) string {
	sum := sha256.New()
	_ = filepath.WalkDir(dir, func(path string, e fs.DirEntry, err error) error {
		if err == nil && !e.IsDir() {
			info, _ := e.Info()
			mode := fs.FileMode(0)
			if info != nil {
				mode = info.Mode()
			}
			fmt.Fprintf(sum, "%s\x00%v\x00%s\x00", path, mode, readBounded(path))
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)[:12])
}
