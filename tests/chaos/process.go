package main

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"
)

// process is one that runs for a scratch repository.
type process struct {
	pid, ppid int
	start     string // with pid, distinguishes it from a later process
	command   string
}

// alive lists what runs for the scratch repository, anyone who started it: its folder
// is the working directory, an argument, or in the environment.
func (s *scratch) alive() []process {
	list := processes(s.dir + "/")
	return slices.DeleteFunc(list, func(p process) bool { return p.pid == os.Getpid() })
}

// find returns the process that is a target now.
func (s *scratch) find(list []process, ralph int, t target) (process, bool) {
	guard := slices.IndexFunc(list, func(p process) bool { return p.ppid == ralph && strings.Contains(p.command, "__guardian") })
	for _, p := range list {
		switch {
		case t == ralphItself && p.pid == ralph,
			t == guardian && guard >= 0 && p.pid == list[guard].pid,
			t == agent && guard >= 0 && p.ppid == list[guard].pid && strings.Contains(p.command, "__replay"):
			return p, true
		}
	}
	return process{}, false
}

// others takes the guardians and their own calls of git out of a list.
func others(list []process) []process {
	var guards []int
	for _, p := range list {
		if strings.Contains(p.command, "__guardian") {
			guards = append(guards, p.pid)
		}
	}
	return slices.DeleteFunc(list, func(p process) bool {
		return slices.Contains(guards, p.pid) || slices.Contains(guards, p.ppid) && strings.HasPrefix(p.command, "git ")
	})
}

// awaitDeath waits until nothing of the scratch repository is alive, or nothing
// that only keeps, and returns what is at the end of the limit.
func (s *scratch) awaitDeath(limit time.Duration, only func([]process) []process) []process {
	end := time.Now().Add(limit)
	for {
		left := s.alive()
		if only != nil {
			left = only(left)
		}
		if len(left) == 0 || time.Now().After(end) {
			return left
		}
		time.Sleep(2 * time.Millisecond)
	}
}

// guards takes all but guardians out of a list, and what ralph has forked and is
// about to become one.
func guards(list []process) []process {
	return slices.DeleteFunc(list, func(p process) bool {
		return !strings.Contains(p.command, "__guardian") && !strings.Contains(p.command, "ralph run ")
	})
}

// still returns those of the processes that are alive, as they are now.
func (s *scratch) still(known []process) []process {
	return slices.DeleteFunc(s.alive(), func(p process) bool {
		return !slices.ContainsFunc(known, func(q process) bool { return p.pid == q.pid && p.start == q.start })
	})
}

// clean ends what is alive, so that nothing outlives the campaign.
func (s *scratch) clean() {
	_ = os.Remove(filepath.Join(s.dir, cometFile)) // no one catches a chain with a list
	for range 100 {
		left := s.alive()
		if len(left) == 0 {
			return
		}
		for _, p := range left {
			if h, err := os.FindProcess(p.pid); err == nil {
				if len(s.still([]process{p})) > 0 {
					_ = h.Kill()
				}
				_ = h.Release()
			}
		}
		time.Sleep(5 * time.Millisecond)
	}
}

func names(list []process) string {
	var words []string
	for _, p := range list {
		words = append(words, p.command)
	}
	if len(words) > 5 {
		words = append(words[:5], "…")
	}
	return strings.Join(words, " | ")
}
