package proc

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// TokenVar is the environment variable that holds a run's random token in every
// process that the run starts, the guardian included.
const TokenVar = "RALPH_RUN_TOKEN"

func holdsToken(pid int, token string) bool {
	return token != "" && hasEntry(environ(pid), TokenVar+"="+token)
}

// hasEntry reports whether a NUL-separated environment has exactly this entry.
func hasEntry(env []byte, entry string) bool {
	for e := range bytes.SplitSeq(env, []byte{0}) {
		if string(e) == entry {
			return true
		}
	}
	return false
}

// survivors is the error for processes that SIGKILL did not end: another user's,
// or held up in the kernel.
func survivors(left map[ID]string) error {
	ids := slices.SortedFunc(maps.Keys(left), func(a, b ID) int { return cmp.Compare(a.PID, b.PID) })
	var named, kill []string
	for _, id := range ids[:min(len(ids), maxNames)] {
		named = append(named, fmt.Sprintf("%s (pid %d)", left[id], id.PID))
		kill = append(kill, strconv.Itoa(id.PID))
	}
	what := "1 process is"
	if n := len(ids); n > 1 {
		what = fmt.Sprintf("%d processes are", n)
	}
	return fmt.Errorf("%s alive %v after SIGKILL, as another user's or held up in the kernel: %s; end what is left by hand: sudo kill -9 %s",
		what, killLimit, strings.Join(named, ", "), strings.Join(kill, " "))
}
