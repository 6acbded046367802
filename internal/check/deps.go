package check

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"time"

	"ralph/internal/git"
	"ralph/internal/journal"
	"ralph/internal/proc"
	"ralph/internal/room"
)

// Deps provides dependencies that are not in git to checks in a copy of the worktree. Commands
// of the user make them, or they are borrowed from the worktree.
type Deps struct {
	Repo    *git.Repo
	Prepare []string // shell commands that make the dependencies
	Borrow  []string // paths from the worktree's root; empty: the usual folders
	Store   string   // folder that keeps what Prepare made
	Limit   time.Duration

	listed string   // the copy that was listed last
	files  []string // that git tracks in it
}

// usual are the folders that package managers fill, by the files that say with what.
var usual = []struct {
	file    string
	folders []string
}{
	{"package.json", []string{"node_modules"}},
	{"requirements*.txt", []string{".venv", "venv"}},
	{"pyproject.toml", []string{".venv", "venv"}},
	{"Pipfile.lock", []string{".venv"}},
	{"Gemfile.lock", []string{"vendor/bundle"}},
	{"composer.lock", []string{"vendor"}},
	{"go.sum", []string{"vendor"}},
	{"Cargo.lock", []string{"vendor"}},
	{"mix.lock", []string{"deps"}},
}

// locks are the files that decide what is installed.
var locks = []string{
	"package-lock.json", "npm-shrinkwrap.json", "pnpm-lock.yaml", "yarn.lock", "bun.lock", "bun.lockb", "deno.lock",
	"requirements*.txt", "uv.lock", "poetry.lock", "pdm.lock", "Pipfile.lock", "Gemfile.lock", "composer.lock", "Cargo.lock",
	"go.sum", "mix.lock", "pom.xml", "gradle.lockfile", "build.gradle", "build.gradle.kts", "packages.lock.json", "pubspec.lock",
}

// shownIn returns the folders that a room adds to the copy of the worktree at dir. If Prepare is
// set, it makes them first.
func (d *Deps) shownIn(ctx context.Context, g *proc.Guardian, site room.Site, dir string, env []string) ([]room.Shown, error) {
	if d.listed != dir {
		files, err := d.Repo.Tracked(ctx, dir)
		if err != nil {
			return nil, err
		}
		d.listed, d.files = dir, files
	}
	if len(d.Prepare) > 0 {
		return d.prepared(ctx, g, site, dir, d.files, env)
	}
	var shown []room.Shown
	for _, folder := range d.folders(site.Root, dir, d.files) {
		at := filepath.Join(site.Root, folder)
		shown = append(shown, room.Shown{From: at, Path: at})
	}
	return shown, nil
}

// Prints returns fingerprints of the borrowed folders. It takes the content fingerprint from
// before if the files have not changed.
func (d *Deps) Prints(ctx context.Context, before []journal.Borrowed) ([]journal.Borrowed, error) {
	if d == nil || len(d.Prepare) > 0 {
		return nil, nil
	}
	files, err := d.Repo.Tracked(ctx, d.Repo.Root)
	if err != nil {
		return nil, err
	}
	var now []journal.Borrowed
	for _, folder := range d.folders(d.Repo.Root, "", files) {
		dir := filepath.Join(d.Repo.Root, folder)
		if info, err := os.Stat(dir); err != nil || !info.IsDir() {
			continue
		}
		p := journal.Borrowed{Path: folder, Files: fingerprint(dir, stamp), Locks: hashOf(d.Repo.Root, locksFor(folder, files))}
		same := slices.IndexFunc(before, func(b journal.Borrowed) bool { return b.Path == folder && b.Files == p.Files })
		if same >= 0 {
			p.Content = before[same].Content
		} else {
			p.Content = fingerprint(dir, content)
		}
		now = append(now, p)
	}
	return now, ctx.Err()
}

// Folders returns the folders that checks would borrow for the worktree's tracked files. It
// returns nil if Prepare makes the dependencies.
func (d *Deps) Folders(ctx context.Context) ([]string, error) {
	if len(d.Prepare) > 0 {
		return nil, nil
	}
	files, err := d.Repo.Tracked(ctx, d.Repo.Root)
	if err != nil {
		return nil, err
	}
	return d.folders(d.Repo.Root, "", files), nil
}

// folders returns what is borrowed: folders, and files that the user names, which the copy
// does not have.
func (d *Deps) folders(root, dir string, files []string) []string {
	candidates := d.Borrow
	if len(candidates) == 0 {
		for _, file := range files {
			for _, u := range usual {
				if ok, _ := path.Match(u.file, path.Base(file)); !ok || !slices.ContainsFunc(files, isLock) {
					continue
				}
				for _, folder := range u.folders {
					candidates = append(candidates, path.Join(path.Dir(file), folder))
				}
			}
		}
	}
	var list []string
	for _, folder := range candidates {
		info, err := os.Stat(filepath.Join(root, folder))
		if err != nil || !info.IsDir() && len(d.Borrow) == 0 || !filepath.IsLocal(folder) || slices.Contains(list, folder) {
			continue
		}
		if slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, folder+"/") }) {
			continue // it is in git
		}
		if dir != "" {
			if _, err := os.Lstat(filepath.Join(dir, folder)); err == nil {
				continue
			}
		}
		list = append(list, folder)
	}
	return list
}

func isLock(file string) bool {
	return slices.ContainsFunc(locks, func(pattern string) bool { ok, _ := path.Match(pattern, path.Base(file)); return ok })
}

// locksFor returns the lock files in the parent folder of a borrowed folder, or above it.
func locksFor(folder string, files []string) []string {
	var list []string
	for _, f := range files {
		dir := path.Dir(f)
		if isLock(f) && (dir == "." || strings.HasPrefix(folder, dir+"/")) {
			list = append(list, f)
		}
	}
	return list
}

// hashOf identifies the contents of files below dir.
func hashOf(dir string, files []string) string {
	sum := sha256.New()
	for _, f := range files {
		data, _ := os.ReadFile(filepath.Join(dir, f))
		fmt.Fprintf(sum, "%s\x00%d\x00%s", f, len(data), data)
	}
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// fingerprint identifies a folder by its files, each by one. What tools write while they run
// does not count.
func fingerprint(dir string, one func(w io.Writer, file string, info fs.FileInfo)) string {
	sum := sha256.New()
	_ = filepath.WalkDir(dir, func(file string, e fs.DirEntry, err error) error {
		if err != nil {
			return nil // what cannot be read cannot be compared
		}
		switch e.Name() {
		case ".cache", ".vite", ".vitest", ".vite-temp", ".prisma", "__pycache__", ".package-lock.json", ".modules.yaml", ".yarn-state.yml":
			if e.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if info, err := e.Info(); err == nil && !e.IsDir() {
			fmt.Fprintf(sum, "%s\x00%v %d", strings.TrimPrefix(file, dir), info.Mode(), info.Size())
			one(sum, file, info)
		}
		return nil
	})
	return hex.EncodeToString(sum.Sum(nil)[:12])
}

// stamp writes what changes with every write to a file: its times, the one of the inode too,
// which no program can set.
func stamp(w io.Writer, _ string, info fs.FileInfo) {
	fmt.Fprintf(w, " %d", info.ModTime().UnixNano())
	if st, ok := info.Sys().(*syscall.Stat_t); ok {
		fmt.Fprintf(w, " %d %d", st.Ino, changed(st))
	}
}

// content writes what is in a file, or where a link leads.
func content(w io.Writer, file string, info fs.FileInfo) {
	if info.Mode()&fs.ModeSymlink != 0 {
		target, _ := os.Readlink(file)
		fmt.Fprintf(w, " %s", target)
	}
	if !info.Mode().IsRegular() {
		return
	}
	if f, err := os.Open(file); err == nil {
		_, _ = io.Copy(w, f) // what cannot be read cannot be compared
		f.Close()
	}
}

// prepared returns what the commands of the user make for the lock files of the copy. It is
// made once for each state of them, in a room with a network.
func (d *Deps) prepared(ctx context.Context, g *proc.Guardian, site room.Site, dir string, files, env []string) ([]room.Shown, error) {
	locked := slices.DeleteFunc(slices.Clone(files), func(f string) bool {
		return !isLock(f) && path.Base(f) != "package.json" && path.Base(f) != "pyproject.toml"
	})
	sum := sha256.Sum256([]byte(strings.Join(d.Prepare, "\n") + "\x00" + hashOf(dir, locked)))
	folder := filepath.Join(d.Store, hex.EncodeToString(sum[:8]))
	tree, list := filepath.Join(folder, "tree"), filepath.Join(folder, "made")
	if _, err := os.Stat(list); err != nil {
		if err := d.make(ctx, g, site, dir, folder, env); err != nil {
			return nil, err
		}
	}
	made, err := os.ReadFile(list)
	if err != nil {
		return nil, err
	}
	var shown []room.Shown
	for name := range strings.SplitSeq(strings.TrimSuffix(string(made), "\x00"), "\x00") {
		if name = strings.TrimSuffix(name, "/"); name != "" {
			shown = append(shown, room.Shown{From: filepath.Join(tree, name), Path: filepath.Join(site.Root, name)})
		}
	}
	return shown, nil
}

// make runs the commands of the user in a tree of its own, and notes what they made.
func (d *Deps) make(ctx context.Context, g *proc.Guardian, site room.Site, dir, folder string, env []string) (err error) {
	if err := removeAll(folder); err != nil { // half of it, of a run that died
		return err
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, removeAll(folder))
		}
	}()
	tree, scratch := filepath.Join(folder, "tree"), filepath.Join(folder, "room")
	if err := os.MkdirAll(scratch, 0o700); err != nil {
		return err
	}
	head, err := os.ReadFile(filepath.Join(dir, ".git", "HEAD"))
	if err != nil {
		return err
	}
	if err := d.Repo.Export(ctx, tree, strings.TrimSpace(string(head))); err != nil {
		return err
	}
	sealed := site.Checks(room.CheckRoom{Copy: tree, Network: true, Scratch: scratch})
	c := Check{Name: "prepare", Command: "set -e\n" + strings.Join(d.Prepare, "\n"), Timeout: d.Limit}
	env = slices.DeleteFunc(slices.Clone(env), func(entry string) bool { return slices.Contains(room.Offline(), entry) })
	r, err := runIn(ctx, g, c, site.Root, env, sealed)
	if err != nil {
		return err
	}
	if !r.Green() {
		return &PrepareError{Result: r}
	}
	others, err := git.Others(ctx, tree)
	if err != nil {
		return err
	}
	if err := removeAll(scratch); err != nil {
		return err
	}
	return os.WriteFile(filepath.Join(folder, "made"), []byte(strings.Join(others, "\x00")), 0o600)
}

// PrepareError reports that a command of proof.prepare failed.
type PrepareError struct{ Result Result }

func (e *PrepareError) Error() string {
	return "proof.prepare failed (" + string(e.Result.Outcome) + "): " + e.Result.Tail
}
