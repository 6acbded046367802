package proc

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"syscall"
	"time"
)

// EndByToken kills all processes of this user that carry the token, and returns how many it
// killed. A process carries it as TokenVar=token in its environment or, on Linux, as a mark
// among its limits. EndByToken spares the caller and spare, and scans until no process is
// left. It is for the processes of a dead guardian.
func EndByToken(token string, spare ...ID) (int, error) {
	if token == "" {
		return 0, errors.New("ending processes by token needs a token that is not empty")
	}
	h := hunt{token: token, spare: spare, killed: map[ID]stroke{}}
	begin := time.Now()
	for quiet := 0; ; { // how many scans in a row found no process
		met, missed, err := h.look(quiet < 2)
		if err != nil {
			return len(h.killed), fmt.Errorf("cannot read the process table: %w", err)
		}
		// A dying process loses its environment first: those killed before are
		// waited for by identity.
		dying, outlived := h.dying(time.Now())
		switch {
		case len(outlived) > 0:
			return len(h.killed), survivors(outlived)
		case met+dying > 0 && time.Since(begin) > huntLimit:
			return len(h.killed), fmt.Errorf("%d processes were killed in %v, and more were there each time; end them by hand", len(h.killed), huntLimit)
		case met+dying > 0:
			quiet = 0
			time.Sleep(pollStep) // not our children: no event reports their end
			continue
		}
		// One scan can miss a child that was forked after it: two must agree.
		if quiet++; quiet >= 2 && missed == 0 || quiet >= doubt {
			return len(h.killed), nil
		}
	}
}

const (
	// doubt is after how many looks those that came and went unseen count as
	// others': a busy machine always has such ones.
	doubt = 50
	// huntLimit bounds a hunt in which there is always another one.
	huntLimit = 30 * time.Second
)

// hunt is the search for processes that are not our children. In a chain each process forks the
// next one and exits, so the search must catch one before its fork. A scan of a long process
// table takes longer than that. So each scan starts with the new processes, the youngest first,
// and kills them at once. If some were gone before they could be read, more scans of the new
// processes follow.
type hunt struct {
	token  string
	spare  []ID
	killed map[ID]stroke
	known  map[int]bool // the pids of the last look
}

// stroke is a SIGKILL that was sent.
type stroke struct {
	name string // of the process
	at   time.Time
}

// look scans every process once, or only those that are new since the last scan. It returns how
// many holders of the token it found, and how many new processes were gone before it could read
// them.
func (h *hunt) look(all bool) (met, missed int, err error) {
	pids, err := allPIDs()
	if err != nil {
		return 0, 0, err
	}
	now := make(map[int]bool, len(pids))
	var fresh, rest []int
	for _, pid := range slices.Backward(pids) { // the system gives numbers upwards
		now[pid] = true
		if h.known[pid] {
			rest = append(rest, pid)
		} else {
			fresh = append(fresh, pid)
		}
	}
	h.known = now
	if !all {
		rest = nil
	}
	for i, pid := range slices.Concat(fresh, rest) {
		switch holds, seen := h.strike(pid); {
		case holds:
			met++
		case !seen && i < len(fresh):
			missed++
		}
	}
	return met, missed, nil
}

// strike kills a process that holds the token; seen is whether the process was alive.
func (h *hunt) strike(pid int) (holds, seen bool) {
	if pid == os.Getpid() {
		return false, true
	}
	holds = holdsToken(pid, h.token) || holdsMark(pid, h.token)
	e, err := look(pid)
	if err != nil || e.zombie {
		return false, false
	}
	if !holds || slices.Contains(h.spare, e.id) {
		return false, true
	}
	_ = e.id.Signal(syscall.SIGKILL) // gone or not: the next scan shows it
	if _, again := h.killed[e.id]; !again {
		h.killed[e.id] = stroke{name: e.name, at: time.Now()}
	}
	return true, true
}

// dying is how many of the killed are still alive, and outlived are those that were
// killed too long ago for that.
func (h *hunt) dying(now time.Time) (n int, outlived map[ID]string) {
	outlived = map[ID]string{}
	for id, s := range h.killed {
		if !id.Alive() {
			continue
		}
		n++
		if now.Sub(s.at) > killLimit {
			outlived[id] = s.name
		}
	}
	return n, outlived
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
