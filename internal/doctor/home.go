package doctor

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"syscall"

	"ralph/internal/preflight"
	"ralph/internal/stream"
)

// permissions checks who may read and write ralph's own files: they may hold
// keys, and decide which programs run.
func (in Input) permissions() []preflight.Condition {
	checks := []preflight.Condition{}
	if in.Home == "" {
		checks = append(checks, warn("permissions", "No home folder is known: HOME is not set",
			"Set HOME or RALPH_HOME. Without it ralph uses no settings of yours, no list of loops and no common count of calls."))
	} else if _, err := os.Stat(in.Home); errors.Is(err, fs.ErrNotExist) {
		checks = append(checks, ok("permissions", in.Home+" does not exist yet: the first run makes it"))
	} else {
		checks = append(checks, guarded(in.Home, in.Home, filepath.Join(in.Home, "loops"), filepath.Join(in.Home, "ratelimit")))
	}
	if in.Repo != nil {
		state := filepath.Join(in.Repo.GitDir, "ralph")
		dirs, _ := filepath.Glob(filepath.Join(state, "*"))
		if _, err := os.Stat(state); err == nil {
			checks = append(checks, guarded(state, append(dirs, state)...))
		}
	}
	return checks
}

// guarded checks folders and the plain files in them: only the user may own and read them.
// Everyone may read the programs of an installation, below bin.
func guarded(name string, dirs ...string) preflight.Condition {
	const id = "permissions"
	var foreign, open, closing []string
	look := func(path string, want fs.FileMode) {
		info, err := os.Lstat(path)
		if err != nil || info.Mode()&fs.ModeSymlink != 0 {
			return
		}
		if st, ok := info.Sys().(*syscall.Stat_t); ok && int(st.Uid) != os.Geteuid() {
			foreign = append(foreign, fmt.Sprintf("%s (user %d)", path, st.Uid))
		} else if info.Mode().Perm()&^want != 0 {
			open = append(open, fmt.Sprintf("%s (%04o)", path, info.Mode().Perm()))
			closing = append(closing, fmt.Sprintf("chmod %o %s", want, stream.ShellWord(path)))
		}
	}
	for _, dir := range dirs {
		info, err := os.Lstat(dir)
		if err != nil || !info.IsDir() {
			continue
		}
		look(dir, 0o700)
		files, _ := os.ReadDir(dir) // a folder that cannot be read is another user's
		for _, f := range files {
			if f.Type().IsRegular() {
				look(filepath.Join(dir, f.Name()), modeOf(f.Name()))
			}
		}
	}
	look(filepath.Join(name, "bin"), 0o755)
	switch {
	case len(foreign) > 0 && !mine(name) && !mine(filepath.Dir(name)):
		return fail(id, name+" belongs to another user", "Name a folder of your own with RALPH_HOME.", foreign...)
	case len(foreign) > 0:
		return fail(id, "Files that belong to another user", fmt.Sprintf("Take them over, as root: chown -R %d %s", os.Geteuid(), stream.ShellWord(name)), foreign...)
	case len(open) > 0:
		return warn(id, "Files that other users may read or write", strings.Join(closing, "\n"), open...)
	}
	return ok(id, fmt.Sprintf("%s is yours alone", name))
}

// mine reports whether a file or folder belongs to this user.
func mine(path string) bool {
	info, err := os.Lstat(path)
	if err != nil {
		return false
	}
	owner, known := info.Sys().(*syscall.Stat_t)
	return known && int(owner.Uid) == os.Geteuid()
}

// modeOf is what a file of ralph's own folder may have at most. What install.sh puts
// there holds no secret, and one of it is a program.
func modeOf(name string) fs.FileMode {
	if name == "uninstall.sh" || name == "config.schema.json" {
		return 0o755
	}
	return 0o600
}
