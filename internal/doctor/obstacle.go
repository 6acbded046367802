package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"ralph/internal/git"
	"ralph/internal/stream"
)

// Places lists the folders where ralph keeps its own files. ralph suggests moving a file only
// if it is in one of them.
type Places struct {
	Home   string   // ralph's folder of the user; RALPH_HOME sets it
	Others []string // folders of the repository
}

// PlacesOf returns ralph's folders for a worktree. repo is nil outside of a worktree.
func PlacesOf(home string, repo *git.Repo) Places {
	in := Places{Home: home}
	if repo != nil {
		in.Others = []string{filepath.Join(repo.GitDir, "ralph")}
		for _, name := range []string{".ralph", ".claude", filepath.Join(".ito", ".state")} {
			in.Others = append(in.Others, filepath.Join(repo.Root, name))
		}
	}
	return in
}

// Obstacle returns a hint how to fix a file system error, with a command if possible. It
// returns "" for an unknown error.
func (in Places) Obstacle(err error) string {
	var p *fs.PathError
	if !errors.As(err, &p) || p.Path == "" {
		return ""
	}
	switch {
	case errors.Is(err, syscall.ENOTDIR):
		return in.aside(firstFile(p.Path), "is not a folder, but must be one")
	case errors.Is(err, syscall.EISDIR):
		return in.aside(p.Path, "is a folder, and a file is needed there")
	case errors.Is(err, fs.ErrPermission):
		return "see to its owner and permissions: ls -ld " + stream.ShellWord(nearest(p.Path))
	case errors.Is(err, syscall.EROFS):
		return fmt.Sprintf("the disk of %s can only be read: mount it for writing, or work on another one", nearest(p.Path))
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return "make room on the disk: df -h " + stream.ShellWord(nearest(p.Path))
	}
	return ""
}

// aside says how to move a file out of the way. A device, or a file that is not ralph's,
// must stay in place.
func (in Places) aside(path, why string) string {
	word := stream.ShellWord(path)
	switch {
	case in.holds(path) && movable(path):
		return fmt.Sprintf("%s %s: mv %s %s", path, why, word, stream.ShellWord(path+".aside"))
	case in.Home != "" && within(in.Home, path):
		return fmt.Sprintf("%s %s: name another folder with RALPH_HOME", path, why)
	}
	return fmt.Sprintf("%s %s; see what it is: ls -ld %s", path, why, word)
}

func (in Places) holds(path string) bool {
	return slices.ContainsFunc(append([]string{in.Home}, in.Others...), func(dir string) bool { return dir != "" && within(path, dir) })
}

// within reports whether a path is dir or below it, by their names.
func within(path, dir string) bool {
	rest, err := filepath.Rel(dir, path)
	return err == nil && rest != ".." && !strings.HasPrefix(rest, "../")
}

// movable reports whether the path is a plain file, a folder or a link of this user.
func movable(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	return mine(path) && (info.Mode().IsRegular() || info.IsDir() || info.Mode()&fs.ModeSymlink != 0)
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
