package git

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Export checks commit out at dir as a separate repository; dir must not exist. HEAD is the
// commit. Only its history and the tags are there; r provides the objects. Export ignores all
// settings of r and of the user, and runs no hook or filter. It replaces pointers of git-lfs
// by content that r has stored.
func (r *Repo) Export(ctx context.Context, dir, commit string) error {
	if err := checkRevision(commit); err != nil {
		return err
	}
	if err := r.newGitDir(filepath.Join(dir, ".git"), commit); err != nil {
		return err
	}
	if _, err := runPlain(ctx, dir, "read-tree", "--reset", "-u", commit); err != nil {
		return err
	}
	return r.fillLFS(ctx, dir)
}

// newGitDir makes the git directory of an export.
func (r *Repo) newGitDir(gitDir, commit string) error {
	for _, sub := range []string{"objects/info", "objects/pack", "refs/heads", "refs/tags", "info", "hooks"} {
		if err := os.MkdirAll(filepath.Join(gitDir, sub), 0o755); err != nil {
			return err
		}
	}
	config := "[core]\n\trepositoryformatversion = 0\n\tfilemode = true\n\tbare = false\n\tlogallrefupdates = false\n"
	if len(commit) == 2*sha256.Size {
		config = strings.Replace(config, "version = 0", "version = 1", 1) + "[extensions]\n\tobjectformat = sha256\n"
	}
	files := map[string]string{"HEAD": commit + "\n", "config": config, "objects/info/alternates": filepath.Join(r.CommonDir, "objects") + "\n"}
	if shallow, err := readFile(filepath.Join(r.CommonDir, "shallow")); err == nil {
		files["shallow"] = string(shallow)
	}
	tags := r.refsBelow("refs/tags/")
	for _, name := range slices.Sorted(maps.Keys(tags)) {
		if isHash(tags[name]) {
			files["packed-refs"] += tags[name] + " " + name + "\n"
		}
	}
	for name, text := range files {
		if err := os.WriteFile(filepath.Join(gitDir, name), []byte(text), 0o644); err != nil {
			return err
		}
	}
	return nil
}

// plain are variables that leave git without settings of the user and the system.
var plain = []string{"GIT_CONFIG_GLOBAL=" + os.DevNull, "GIT_CONFIG_SYSTEM=" + os.DevNull, "GIT_CONFIG_NOSYSTEM=1"}

// runPlain calls git in dir with the settings of its repository alone.
func runPlain(ctx context.Context, dir string, args ...string) ([]byte, error) {
	return call{dir: dir, env: plain}.run(ctx, args...)
}

// SkipWorktree makes git ignore changes of some files in the export at dir. The error is an
// *[Error] if git does not track one.
func SkipWorktree(ctx context.Context, dir string, files ...string) error {
	in := []byte(strings.Join(files, "\x00") + "\x00")
	_, err := call{dir: dir, env: plain, stdin: in}.run(ctx, "update-index", "--skip-worktree", "-z", "--stdin")
	return err
}

const (
	lfsVersion = "version https://git-lfs.github.com/spec/"
	lfsLongest = 1024 // bytes of a pointer
)

// fillLFS replaces the pointers of git-lfs in an export with the content that r has stored.
// Pointers without content stay. git then ignores the changes of these files.
func (r *Repo) fillLFS(ctx context.Context, dir string) error {
	store := filepath.Join(r.CommonDir, "lfs", "objects")
	if _, err := os.Stat(store); err != nil {
		return nil
	}
	out, err := runPlain(ctx, dir, "ls-files", "-z", "--", ":(attr:filter=lfs)")
	if err != nil {
		return err
	}
	root, err := os.OpenRoot(dir) // a link in the commit may lead anywhere
	if err != nil {
		return err
	}
	defer root.Close()
	var filled []string
	for path := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		info, err := root.Lstat(path)
		if path == "" || err != nil || !info.Mode().IsRegular() || info.Size() > lfsLongest {
			continue
		}
		pointer, err := root.ReadFile(path)
		if err != nil {
			return err
		}
		object, ok := lfsObject(string(pointer))
		if !ok {
			continue
		}
		content, err := os.ReadFile(filepath.Join(store, object[:2], object[2:4], object))
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return fmt.Errorf("content of git-lfs: %w", err)
		}
		if err := root.WriteFile(path, content, info.Mode().Perm()); err != nil {
			return err
		}
		filled = append(filled, path)
	}
	if len(filled) == 0 {
		return nil
	}
	return SkipWorktree(ctx, dir, filled...)
}

// lfsObject returns the name of the object that a pointer of git-lfs names.
func lfsObject(pointer string) (name string, ok bool) {
	if !strings.HasPrefix(pointer, lfsVersion) {
		return "", false
	}
	for line := range strings.Lines(pointer) {
		if name, ok := strings.CutPrefix(strings.TrimSpace(line), "oid sha256:"); ok {
			return name, len(name) == 2*sha256.Size && strings.Trim(name, "0123456789abcdef") == ""
		}
	}
	return "", false
}
