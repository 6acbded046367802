package doctor

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"ralph/internal/preflight"
)

// watches checks that one more inotify instance and watch can be had. Without,
// a loop hears of requests only once a second, and many agents' own tools fail.
func watches(home string) []preflight.Condition {
	const id = "watches"
	limit := func(name string) string {
		data, err := os.ReadFile(filepath.Join("/proc/sys/fs/inotify", name))
		if err != nil {
			return "unknown"
		}
		return strings.TrimSpace(string(data))
	}
	fd, err := unix.InotifyInit1(unix.IN_CLOEXEC | unix.IN_NONBLOCK)
	what := "max_user_instances"
	if err == nil {
		defer unix.Close(fd)
		what = "max_user_watches"
		_, err = unix.InotifyAddWatch(fd, nearest(home), unix.IN_CREATE)
	}
	if err == nil {
		return []preflight.Condition{ok(id, fmt.Sprintf("Files can be watched (at most %s watches in %s instances)", limit("max_user_watches"), limit("max_user_instances")))}
	}
	if !errors.Is(err, unix.EMFILE) && !errors.Is(err, unix.ENOSPC) {
		return []preflight.Condition{warn(id, fmt.Sprintf("Files cannot be watched: %v", err), "Loops and dashboards then check once a second.")}
	}
	return []preflight.Condition{warn(id, fmt.Sprintf("Files cannot be watched: fs.inotify.%s is %s, and used up (%v)", what, limit(what), err),
		fmt.Sprintf("Close programs that watch many files, or raise the limit as root: sysctl fs.inotify.%s=524288", what))}
}
