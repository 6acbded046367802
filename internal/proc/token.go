package proc

import (
	"bytes"
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"
)

// TokenVar is the environment variable that holds a run's random token in every
// process that the run starts, the guardian included.
const TokenVar = "RALPH_RUN_TOKEN"

// EndByToken kills every process of this user, the caller and spare aside, that
// was started with TokenVar=token in its environment or, on Linux, has the token's
// mark among its limits, and looks again until none is left. It returns how many
// it killed. It is for what a dead guardian left behind.
func EndByToken(token string, spare ...ID) (int, error) {
	if token == "" {
		return 0, errors.New("ending processes by token needs a token that is not empty")
	}
	killed := map[ID]string{}
	limit := time.Now().Add(killLimit)
	// One look can miss a child that was forked behind it: two must agree.
	for quiet := 0; quiet < 2; quiet++ {
		left, err := holders(token, spare)
		if err != nil {
			return len(killed), fmt.Errorf("cannot read the process table: %w", err)
		}
		for _, e := range left {
			killed[e.id] = e.name
			_ = e.id.Signal(syscall.SIGKILL) // gone or not: the next look tells
		}
		// A dying process loses its environment first: those killed before are
		// waited for by identity.
		if dying := living(killed); len(dying) > 0 {
			if time.Now().After(limit) {
				return len(killed), survivors(dying)
			}
			quiet = -1
			time.Sleep(pollStep) // they are not our children: no event tells of their end
		}
	}
	return len(killed), nil
}

// living are those of the processes that are still alive.
func living(known map[ID]string) map[ID]string {
	left := map[ID]string{}
	for id, name := range known {
		if id.Alive() {
			left[id] = name
		}
	}
	return left
}

// holders lists the living processes that hold the token.
func holders(token string, spare []ID) ([]entry, error) {
	pids, err := allPIDs()
	if err != nil {
		return nil, err
	}
	var found []entry
	for _, pid := range pids {
		if pid == os.Getpid() || !holdsToken(pid, token) && !holdsMark(pid, token) {
			continue
		}
		e, err := look(pid)
		if err == nil && !e.zombie && !slices.Contains(spare, e.id) {
			found = append(found, e)
		}
	}
	return found, nil
}

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
