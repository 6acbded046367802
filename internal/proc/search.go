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
	s := search{token: token, spare: spare, killed: map[ID]sentKill{}}
	begin := time.Now()
	for quiet := 0; ; { // how many scans in a row found no process
		met, missed, err := s.scan(quiet < 2)
		if err != nil {
			return len(s.killed), fmt.Errorf("cannot read the process table: %w", err)
		}
		// A dying process loses its environment first: those killed before are
		// waited for by identity.
		dying, outlived := s.dying(time.Now())
		switch {
		case len(outlived) > 0:
			return len(s.killed), survivors(outlived)
		case met+dying > 0 && time.Since(begin) > searchLimit:
			return len(s.killed), fmt.Errorf("%d processes were killed in %v, and more were there each time; end them by hand", len(s.killed), searchLimit)
		case met+dying > 0:
			quiet = 0
			time.Sleep(pollStep) // not our children: no event reports their end
			continue
		}
		// One scan can miss a child that was forked after it: two must agree.
		if quiet++; quiet >= 2 && missed == 0 || quiet >= maxScans {
			return len(s.killed), nil
		}
	}
}

const (
	// maxScans is the number of scans after which processes that came and went between them
	// count as others': a busy machine always has some.
	maxScans = 50
	// searchLimit bounds a search in which there is always another one.
	searchLimit = 30 * time.Second
)

// search finds and kills processes that are not our children. In a chain each process forks the
// next one and exits, so the search must catch one before its fork. A scan of a long process
// table takes longer than that. So each scan starts with the new processes, the youngest first,
// and kills them at once. If some were gone before they could be read, more scans of the new
// processes follow.
type search struct {
	token  string
	spare  []ID
	killed map[ID]sentKill
	known  map[int]bool // the pids of the last scan
}

// sentKill is a SIGKILL that was sent.
type sentKill struct {
	name string // of the process
	at   time.Time
}

// scan reads every process once, or only those that are new since the last scan. It returns how
// many holders of the token it found, and how many new processes were gone before it could read
// them.
func (s *search) scan(all bool) (met, missed int, err error) {
	pids, err := allPIDs()
	if err != nil {
		return 0, 0, err
	}
	now := make(map[int]bool, len(pids))
	var fresh, rest []int
	for _, pid := range slices.Backward(pids) { // the system gives numbers upwards
		now[pid] = true
		if s.known[pid] {
			rest = append(rest, pid)
		} else {
			fresh = append(fresh, pid)
		}
	}
	s.known = now
	if !all {
		rest = nil
	}
	for i, pid := range slices.Concat(fresh, rest) {
		switch holds, seen := s.killHolder(pid); {
		case holds:
			met++
		case !seen && i < len(fresh):
			missed++
		}
	}
	return met, missed, nil
}

// killHolder kills a process that holds the token; seen is whether the process was alive.
func (s *search) killHolder(pid int) (holds, seen bool) {
	if pid == os.Getpid() {
		return false, true
	}
	holds = holdsToken(pid, s.token) || holdsMark(pid, s.token)
	e, err := readEntry(pid)
	if err != nil || e.zombie {
		return false, false
	}
	if !holds || slices.Contains(s.spare, e.id) {
		return false, true
	}
	_ = e.id.Signal(syscall.SIGKILL) // gone or not: the next scan shows it
	if _, again := s.killed[e.id]; !again {
		s.killed[e.id] = sentKill{name: e.name, at: time.Now()}
	}
	return true, true
}

// dying is how many of the killed are still alive, and outlived are those that were
// killed too long ago for that.
func (s *search) dying(now time.Time) (n int, outlived map[ID]string) {
	outlived = map[ID]string{}
	for id, kill := range s.killed {
		if !id.Alive() {
			continue
		}
		n++
		if now.Sub(kill.at) > killLimit {
			outlived[id] = kill.name
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
		e, err := readEntry(pid)
		if err == nil && !e.zombie && !slices.Contains(spare, e.id) {
			found = append(found, e)
		}
	}
	return found, nil
}
