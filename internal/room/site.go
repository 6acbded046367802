package room

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// maxAlternates bounds the folders of objects that are searched for more of them.
const maxAlternates = 20

// Site has the parameters that all rooms of one worktree share.
type Site struct {
	Program string // that makes rooms, from Find
	Root    string // of the worktree
	GitDir  string
	Common  string   // the git directory that all worktrees of the repository share
	Home    string   // of the user, empty where unknown
	Own     string   // ralph's folder of the user, empty without a home
	Env     []string // of the user: PATH, and the paths of tools and caches

	// From the settings: paths that are readable, writable or hidden besides.
	Read, Write, Hide []string

	surveyed         bool
	programs, stores []string // that are here: folders of programs, and caches
}

// Survey returns the site with the list of existing program and cache folders. Without it,
// each room searches for them again.
func (s Site) Survey() Site {
	here := func(paths []string) []string {
		var list []string
		for _, path := range paths {
			if real, ok := existing(path); ok && !slices.Contains(list, real) {
				list = append(list, real)
			}
		}
		return list
	}
	s.programs, s.stores, s.surveyed = here(append(s.path(), s.tools()...)), here(s.caches()), true
	return s
}

// AgentRoom has the parameters of an agent's room.
type AgentRoom struct {
	Own     []string // files and folders that the agent keeps its state in; folders are made
	Protect []string // files and folders of the worktree that it may not change
	Program string   // its file, or a link to it
	Reveal  []string // files that its call names
	Scratch string   // folder for its private /tmp

	ReadOnly bool // it may only write its own folders
}

// Agent returns the room of an agent. The agent can change the worktree, the git directory,
// the caches and its own folders. It can read the rest, except credentials and sockets, which
// are hidden. A read-only agent can change only its own folders.
func (s Site) Agent(a AgentRoom) *Room {
	if !s.surveyed {
		s = s.Survey()
	}
	r := newRoom(s.Program, a.Scratch, true)
	s.privateTemp(r)
	r.set(hidden, "/run", "/var/run", s.variable("XDG_RUNTIME_DIR"), s.Own)
	r.set(hidden, s.atHome(secrets...)...)
	r.set(hidden, s.atHome(daemons...)...)
	r.set(hidden, s.sockets()...)
	r.reveal(s.Home)
	r.reveal(system...)
	r.reveal(resolver())
	r.reveal(s.programs...)
	if file, ok := existing(a.Program); ok {
		r.reveal(filepath.Dir(a.Program), file, installation(file))
	}
	r.reveal(a.Reveal...)
	work := writable
	if a.ReadOnly {
		work, s.Write = readOnly, nil
	}
	r.set(work, s.stores...)
	r.set(writable, a.Own...)
	r.set(work, s.Root, s.Common, s.GitDir)
	s.closeGit(r)
	for _, path := range a.Protect {
		r.set(readOnly, path)
	}
	s.settings(r)
	return r
}

// Writes reports whether an agent can write to path, which may be a link. It can if the path
// does not exist yet.
func (s Site) Writes(path string) bool {
	real, ok := existing(path)
	if !ok {
		return true
	}
	return slices.ContainsFunc(append(s.atHome(s.Write...), s.Root, s.Common, s.GitDir), func(dir string) bool {
		dir, ok := existing(dir)
		return ok && within(real, dir)
	})
}

// closeGit protects what only people and ralph may change in the git directory.
func (s Site) closeGit(r *Room) {
	for _, dir := range slices.Compact([]string{s.Common, s.GitDir}) {
		r.set(readOnly, filepath.Join(dir, "hooks"), filepath.Join(dir, "info"), filepath.Join(dir, "ralph"))
	}
	others, _ := filepath.Glob(filepath.Join(s.Common, "worktrees", "*"))
	for _, dir := range others {
		if real, ok := existing(dir); ok && real != s.GitDir {
			r.set(readOnly, real)
		}
	}
}

// CheckRoom has the parameters of a check's room.
type CheckRoom struct {
	Copy    string   // checked-out tree that takes the worktree's place; empty: in place
	Shown   []Shown  // folders from elsewhere that are shown in the copy
	Keep    []string // files and folders of the worktree that a check in place may not change
	Network bool
	Scratch string // folder for what is private
}

// Shown maps a folder from outside to a path of the worktree in the room.
type Shown struct{ From, Path string }

// Checks returns the room of a quality check. The copy has the path of the worktree, so that
// paths in tools stay valid and a check cannot recognise it. The home folder has only
// toolchains and caches, read-only.
func (s Site) Checks(c CheckRoom) *Room {
	if !s.surveyed {
		s = s.Survey()
	}
	r := newRoom(s.Program, c.Scratch, c.Network)
	r.unset = []string{"RALPH_RUN_TOKEN", "RALPH_UNIT", "RALPH_ITERATION"}
	s.privateTemp(r)
	r.set(hidden, "/run", "/var/run", s.variable("XDG_RUNTIME_DIR"), s.Own, "/home", "/root")
	if s.Home != "/" {
		r.set(private, s.Home)
	}
	r.set(hidden, s.sockets()...)
	r.set(hidden, s.worktrees()...)
	r.reveal(system...)
	if c.Network {
		r.reveal(resolver())
	}
	r.reveal(s.programs...)
	r.reveal(s.stores...)
	s.layers(r)
	if c.Copy == "" {
		r.set(writable, s.Root)
		r.set(readOnly, s.Common, s.GitDir)
		r.set(hidden, filepath.Join(s.Common, "ralph"), filepath.Join(s.GitDir, "ralph"))
		for _, path := range c.Keep {
			r.set(readOnly, path)
		}
	} else {
		r.set(hidden, s.Common, s.GitDir)
		for path := range r.rules { // of the worktree, which the copy takes the place of
			if within(path, s.Root) {
				delete(r.rules, path)
			}
		}
		r.show(writable, c.Copy, s.Root)
		r.show(readOnly, filepath.Join(c.Copy, ".git"), filepath.Join(s.Root, ".git"))
		r.show(readOnly, filepath.Join(s.Common, "objects"), filepath.Join(s.Root, ".git", "objects"))
		r.reveal(s.alternates()...)
	}
	for _, sh := range c.Shown {
		r.show(readOnly, sh.From, sh.Path)
		for _, name := range []string{".cache", ".vite", ".vitest"} { // tools keep these up to date
			if info, err := os.Stat(filepath.Join(sh.From, name)); err == nil && info.IsDir() {
				r.show(private, "", filepath.Join(sh.Path, name))
			}
		}
	}
	s.settings(r)
	return r
}

// layers opens the caches of tools that do not work with a read-only one: what a check writes
// there is thrown away. What npx keeps is hidden: it is no part of the project.
func (s Site) layers(r *Room) {
	for _, dir := range s.stores {
		r.set(hidden, filepath.Join(dir, "_npx"))
		if _, ok := existing(filepath.Join(dir, "caches", "modules-2")); ok {
			layerGradle(r, dir)
		}
	}
}

// layerGradle makes Gradle's home private. Only its settings and downloads are shown: the
// dependencies, with a copy of their index, and the distributions of the wrapper.
func layerGradle(r *Room, home string) {
	r.set(private, home)
	for _, name := range []string{"gradle.properties", "init.gradle", "init.gradle.kts", "init.d", "jdks"} {
		r.set(readOnly, filepath.Join(home, name))
	}
	downloads, _ := filepath.Glob(filepath.Join(home, "wrapper", "dists", "*", "*", "*"))
	r.set(readOnly, downloads...) // the wrapper makes a lock next to them
	modules := filepath.Join(home, "caches", "modules-2")
	files, _ := filepath.Glob(filepath.Join(modules, "files-*"))
	r.set(readOnly, files...)
	indexes, _ := filepath.Glob(filepath.Join(modules, "metadata-*"))
	for _, dir := range indexes {
		r.show(private, dir, dir)
	}
}

// privateTemp gives the room temporary folders of its own.
func (s Site) privateTemp(r *Room) {
	r.set(private, "/tmp", "/var/tmp")
	if dir, ok := existing(s.variable("TMPDIR")); ok && !within(s.Root, dir) && !within(s.Home, dir) {
		r.set(private, dir)
	}
}

// settings adds what the user has set, which wins over everything else.
func (s Site) settings(r *Room) {
	r.set(hidden, s.atHome(s.Hide...)...)
	r.set(readOnly, s.atHome(s.Read...)...)
	r.set(writable, s.atHome(s.Write...)...)
}

// worktrees returns the other worktrees of the repository.
func (s Site) worktrees() []string {
	var list []string
	if filepath.Base(s.Common) == ".git" {
		list = append(list, filepath.Dir(s.Common))
	}
	files, _ := filepath.Glob(filepath.Join(s.Common, "worktrees", "*", "gitdir"))
	for _, file := range files {
		if data, err := os.ReadFile(file); err == nil {
			list = append(list, filepath.Dir(strings.TrimSpace(string(data))))
		}
	}
	return slices.DeleteFunc(list, func(dir string) bool { real, ok := existing(dir); return !ok || real == s.Root })
}

// alternates returns other folders that the repository takes objects from. Each of them may take
// objects from others.
func (s Site) alternates() []string {
	list := []string{filepath.Join(s.Common, "objects")}
	for n := 0; n < len(list) && n < maxAlternates; n++ {
		data, _ := os.ReadFile(filepath.Join(list[n], "info", "alternates")) // most have none
		for line := range strings.Lines(string(data)) {
			dir := strings.TrimSpace(line)
			switch {
			case dir == "" || dir[0] == '#':
				continue
			case !filepath.IsAbs(dir):
				dir = filepath.Join(list[n], dir)
			}
			list = append(list, dir)
		}
	}
	return list[1:]
}

// sockets returns the sockets of daemons that variables of the environment name.
func (s Site) sockets() []string {
	var list []string
	for _, name := range socketVars {
		path, _, _ := strings.Cut(strings.TrimPrefix(s.variable(name), "unix://"), ",") // TMUX has more parts
		if info, err := os.Stat(path); err == nil && info.Mode()&os.ModeSocket != 0 {
			list = append(list, path)
		}
	}
	return list
}

// path returns the folders on PATH, and those that links in the home folder's ones lead to.
func (s Site) path() []string {
	var dirs []string
	for _, dir := range filepath.SplitList(s.variable("PATH")) {
		real, ok := existing(dir)
		if !ok {
			continue
		}
		dirs = append(dirs, dir)
		if s.Home == "" || !within(real, s.Home) {
			continue
		}
		entries, _ := os.ReadDir(real)
		for _, e := range entries {
			if e.Type()&os.ModeSymlink == 0 {
				continue
			}
			target, ok := existing(filepath.Join(real, e.Name()))
			if !ok || within(target, real) {
				continue
			}
			target = installation(target)
			if target != s.Home && !within(s.Home, target) && !within(target, s.Root) {
				dirs = append(dirs, target)
			}
		}
	}
	return dirs
}

// installation returns the folder that holds a program's file and its libraries.
func installation(file string) string {
	dir := filepath.Dir(file)
	if filepath.Base(dir) == "bin" {
		dir = filepath.Dir(dir)
	}
	return dir
}

// variable returns the value of a variable in the user's environment.
func (s Site) variable(name string) string {
	for _, entry := range slices.Backward(s.Env) {
		if value, ok := strings.CutPrefix(entry, name+"="); ok {
			return value
		}
	}
	return ""
}

// atHome makes paths absolute: ~ and what has no leading slash are in the home folder.
func (s Site) atHome(paths ...string) []string {
	var list []string
	for _, path := range paths {
		rest, tilde := strings.CutPrefix(path, "~/")
		switch {
		case filepath.IsAbs(path):
			list = append(list, path)
		case s.Home == "":
		case tilde:
			list = append(list, filepath.Join(s.Home, rest))
		default:
			list = append(list, filepath.Join(s.Home, path))
		}
	}
	return list
}

// named returns the folders that variables of the environment name.
func (s Site) named(variables []string) []string {
	var list []string
	for _, name := range variables {
		for _, dir := range filepath.SplitList(s.variable(name)) {
			if filepath.IsAbs(dir) && !within(s.Home, dir) {
				list = append(list, dir)
			}
		}
	}
	return list
}

func (s Site) tools() []string { return append(s.atHome(toolchains...), s.named(toolchainVars)...) }

func (s Site) caches() []string { return append(s.atHome(caches...), s.named(cacheVars)...) }

// resolver returns the folder with the host's list of name servers, where it is in /run.
func resolver() string {
	if file, ok := existing("/etc/resolv.conf"); ok && within(file, "/run") {
		return filepath.Dir(file)
	}
	return ""
}
