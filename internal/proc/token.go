package proc

import (
	"bytes"
	"fmt"
)

// TokenVar is the environment variable that holds a run's random token in every
// process that the run starts, the guardian included.
const TokenVar = "RALPH_RUN_TOKEN"

func holdsToken(pid int, token string) bool {
	return token != "" && hasEntry(environ(pid), TokenVar+"="+token)
}

// hasEntry tells whether a NUL-separated environment has exactly this entry.
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
	named := map[ID]string{}
	for id, name := range left {
		named[id] = fmt.Sprintf("%s (pid %d)", name, id.PID)
	}
	s := sweptFrom(named)
	return fmt.Errorf("%d processes are alive %v after SIGKILL: %q; end them by hand", s.Strays, killLimit, s.Names)
}
