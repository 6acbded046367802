// Package change finds the changes of Ito and OpenSpec in a worktree, and derives the names of
// units. A change is a folder with a proposal. Users may shorten its id.
package change

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"

	"golang.org/x/sys/unix"
)

// The folders of changes, from the worktree's root.
const (
	itoFolder      = ".ito/changes"
	openSpecFolder = "openspec/changes"
)

// Change is one change that is not archived.
type Change struct {
	ID     string
	Module string // as in the id: 002, or 014.01 with a sub-module; may be empty
	Folder string // from the worktree's root, with slashes
}

// numbered matches an id of Ito: module, sub-module, number and slug.
var numbered = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`^(\d+)(?:\.(\d+))?-(\d+)(?:_(.*))?$`)
})

// New returns the change with this id and folder. It reads the module from the id.
func New(id, folder string) Change {
	c := Change{ID: id, Folder: folder}
	if m := numbered().FindStringSubmatch(id); m != nil && m[4] != "" {
		c.Module = m[1]
		if m[2] != "" {
			c.Module += "." + m[2]
		}
	}
	return c
}

// StateFolder returns the folder for the change's status, state and logs, from the worktree's
// root. For a change of Ito this is Ito's own state folder.
func (c Change) StateFolder() string {
	if strings.HasPrefix(c.Folder, itoFolder+"/") {
		return path.Join(".ito/.state/ralph", c.ID)
	}
	return path.Join(".ralph", c.ID)
}

// List returns the changes of a worktree, sorted by id. It skips archived changes, links, and
// names that are not valid ids.
func List(root string) ([]Change, error) {
	var list []Change
	for _, folder := range []string{itoFolder, openSpecFolder} {
		entries, err := os.ReadDir(filepath.Join(root, folder))
		// A file of that name is another program's.
		if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, unix.ENOTDIR) {
			return nil, fmt.Errorf("the changes cannot be read: %w", err)
		}
		for _, e := range entries {
			if id := e.Name(); e.IsDir() && !strings.HasPrefix(id, ".") && Valid(id) == nil {
				list = append(list, New(id, path.Join(folder, id)))
			}
		}
	}
	slices.SortFunc(list, func(a, b Change) int {
		return strings.Compare(a.ID+"\x00"+a.Folder, b.ID+"\x00"+b.Folder)
	})
	return list, nil
}
