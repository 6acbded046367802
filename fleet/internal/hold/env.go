package hold

import (
	"os"
	"slices"
	"strings"
)

// Environ is this process's environment for programs that run code which is not ours,
// such as agents, and git in a worktree that an agent had: without the variables with
// which anybody could have all hosts work for them.
func Environ() []string {
	return slices.DeleteFunc(os.Environ(), func(v string) bool { return strings.HasPrefix(v, "TEMPORAL_") })
}
