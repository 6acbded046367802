package room

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// access is what a room allows of a path.
type access int

const (
	readOnly access = iota // visible as it is, the rule for everything without one of its own
	writable
	private // an empty folder of the room's own, on disk
	hidden  // not there: an empty folder, or a file that cannot be read
)

// rule is what a room allows of one path and of all below it without a rule of their own.
type rule struct {
	access access
	from   string // what is shown there, where it is not the path itself; of a private one: copied
}

// Room describes what a command may see and change. A nil Room means that the command runs
// without a room.
type Room struct {
	program string // that makes it
	scratch string // folder for what is private
	network bool
	unset   []string // variables that the command does not get
	rules   map[string]rule
}

func newRoom(program, scratch string, network bool) *Room {
	return &Room{program: program, scratch: scratch, network: network, rules: map[string]rule{}}
}

// set gives a path its rule. Links are followed; a path that does not exist is left out,
// because nothing can be mounted there.
func (r *Room) set(a access, paths ...string) {
	for _, path := range paths {
		if real, ok := existing(path); ok && real != "/" {
			r.rules[real] = rule{access: a}
		}
	}
}

// show makes from visible at path, which need not exist.
func (r *Room) show(a access, from, path string) { r.rules[path] = rule{access: a, from: from} }

// reveal makes paths readable that a wider rule of the room has hidden. The others stay
// as they are.
func (r *Room) reveal(paths ...string) {
	for _, path := range paths {
		real, ok := existing(path)
		if !ok || real == "/" {
			continue
		}
		if above := r.above(real).access; above == private || above == hidden {
			if _, set := r.rules[real]; !set {
				r.rules[real] = rule{access: readOnly}
			}
		}
	}
}

// above returns the rule that holds for a path by the folders above it.
func (r *Room) above(path string) rule {
	for dir := filepath.Dir(path); dir != "/" && dir != "."; dir = filepath.Dir(dir) {
		if ru, ok := r.rules[dir]; ok {
			return ru
		}
	}
	return rule{}
}

// Wrap returns the command line prefix that runs a command in the room, in dir. It also
// creates the folders that the room needs in its scratch folder. A nil Room needs no prefix.
func (r *Room) Wrap(dir string) ([]string, error) {
	if r == nil {
		return nil, nil
	}
	if filepath.Base(r.program) == seatbelt {
		return []string{r.program, "-p", r.profile()}, nil
	}
	return r.bwrap(dir)
}

// bwrap returns the call of bubblewrap. The room's processes are a session of their own:
// a signal to that group reaches the command, and not the process that waits for it.
// They keep the control groups of their caller: in a namespace of their own Java 17 cannot find
// its limits of memory, and fails.
func (r *Room) bwrap(dir string) ([]string, error) {
	argv := []string{r.program, "--unshare-user", "--unshare-pid", "--unshare-ipc",
		"--die-with-parent", "--new-session", "--cap-drop", "ALL"}
	if !r.network {
		argv = append(argv, "--unshare-net")
	}
	for _, name := range r.unset {
		argv = append(argv, "--unsetenv", name)
	}
	argv = append(argv, "--ro-bind", "/", "/", "--dev", "/dev", "--proc", "/proc")
	if os.Geteuid() == 0 { // bubblewrap leaves what only root may write
		for _, path := range ofTheKernel {
			if _, err := os.Stat(path); err == nil {
				argv = append(argv, "--ro-bind", path, path)
			}
		}
	}
	var sealed []string
	for n, path := range slices.Sorted(maps.Keys(r.rules)) {
		ru := r.rules[path]
		from := ru.from
		if from == "" {
			from = path
		}
		if ru.from == "" && ru.access == r.above(path).access && ru.access != private {
			continue // as it is already
		}
		switch ru.access {
		case readOnly:
			argv = append(argv, "--ro-bind", from, path)
		case writable:
			argv = append(argv, "--bind", from, path)
		case private:
			own := filepath.Join(r.scratch, fmt.Sprintf("%d-%s", n, filepath.Base(path)))
			if err := os.MkdirAll(own, 0o700); err != nil {
				return nil, fmt.Errorf("the room's private folder cannot be made: %w", err)
			}
			if ru.from != "" {
				_ = os.CopyFS(own, os.DirFS(ru.from)) // what is missing of a cache is made again
			}
			argv = append(argv, "--bind", own, path)
		case hidden:
			if info, err := os.Stat(path); err == nil && !info.IsDir() {
				argv = append(argv, "--ro-bind", os.DevNull, path)
				continue
			}
			argv = append(argv, "--tmpfs", path)
			sealed = append(sealed, "--remount-ro", path)
		}
	}
	argv = append(argv, sealed...) // after the folders that rules below them need were made
	if dir != "" {
		argv = append(argv, "--chdir", dir)
	}
	return append(argv, "--"), nil
}

// existing returns the path without links, and whether there is something.
func existing(path string) (string, bool) {
	if !filepath.IsAbs(path) {
		return "", false
	}
	real, err := filepath.EvalSymlinks(path)
	return real, err == nil
}

// within reports whether path is dir or is below it.
func within(path, dir string) bool {
	return path == dir || strings.HasPrefix(path, strings.TrimSuffix(dir, "/")+"/")
}
