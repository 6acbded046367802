package doctor

import (
	"fmt"

	"golang.org/x/sys/unix"

	"ralph/internal/preflight"
)

const (
	// An agent's log of some hundred megabytes is not rare; a journal that cannot
	// be written ends the run.
	littleSpace = 1 << 30
	noSpace     = 50 << 20
	fewInodes   = 1000
)

// disk checks the space below the worktree and ralph's folder, and that they can
// be written.
func (in Input) disk() []preflight.Condition {
	var places []string
	if in.Repo != nil {
		places = []string{in.Repo.Root, in.Repo.GitDir}
	}
	if in.Home != "" {
		places = append(places, in.Home)
	}
	var checks []preflight.Condition
	seen := map[string]bool{}
	for _, dir := range places {
		dir = nearest(dir)
		if err := unix.Access(dir, unix.W_OK); err != nil {
			checks = append(checks, fail("disk", fmt.Sprintf("Nothing can be written in %s: %v", dir, err), "Check its permissions and the mount options of its disk."))
			continue
		}
		// The worktree, its git directory and the home are often on one disk.
		c := space(dir)
		if key := deviceOf(dir); !seen[key] {
			seen[key] = true
			checks = append(checks, c)
		}
	}
	return checks
}

func deviceOf(dir string) string {
	var st unix.Stat_t
	if err := unix.Stat(dir, &st); err != nil {
		return dir
	}
	return fmt.Sprint(st.Dev)
}

func space(dir string) preflight.Condition {
	const id = "disk"
	var st unix.Statfs_t
	if err := unix.Statfs(dir, &st); err != nil {
		return warn(id, fmt.Sprintf("The free space on the disk of %s cannot be read: %v", dir, err), "Check it with 'df'.")
	}
	free := uint64(st.Bavail) * uint64(st.Bsize)
	message := fmt.Sprintf("%s free on the disk of %s", size(free), dir)
	switch {
	case free < noSpace:
		return fail(id, message, "Make room: a run ends when its journal cannot be written.")
	case free < littleSpace:
		return warn(id, message, "Make room: agents' logs and builds may need more.")
	case st.Files > 0 && uint64(st.Ffree) < fewInodes: // some file systems count none
		return warn(id, fmt.Sprintf("Only %d more files fit on the disk of %s", st.Ffree, dir), "Remove files, such as old package caches.")
	}
	return ok(id, message)
}

func size(n uint64) string {
	if n >= 1<<30 {
		return fmt.Sprintf("%.1f GB", float64(n)/(1<<30))
	}
	return fmt.Sprintf("%.1f MB", float64(n)/(1<<20))
}
