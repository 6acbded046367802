package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
)

// roomTurns is how many iterations a measured run in rooms has.
const roomTurns = 50

// rooms measures what sealing costs: runs in rooms compared with runs without.
func (b *bench) rooms() ([]row, error) {
	if _, err := exec.LookPath("bwrap"); err != nil {
		return nil, nil // there is nothing to measure
	}
	s, err := b.newScratch("rooms", 10)
	if err != nil {
		return nil, err
	}
	file, err := s.useSession()
	if err != nil {
		return nil, err
	}
	// A check does not run twice on the same files: the agent changes one each time.
	if err := s.useAgent("/bin/sh", "-c", "echo x >>changed.txt; exec cat "+file); err != nil {
		return nil, err
	}
	iteration, err := s.sealing()
	if err != nil {
		return nil, err
	}
	config := "quality_checks: {nothing: {command: \"true\", when: every}}\n"
	if err := os.WriteFile(filepath.Join(s.repo, ".ralph", "config.yaml"), []byte(config), 0o644); err != nil {
		return nil, err
	}
	both, err := s.sealing()
	if err != nil {
		return nil, err
	}
	return []row{
		row{Name: "sealing an iteration", Unit: "ms", Value: iteration.wall}.atMost(50),
		{Name: "CPU of sealing an iteration", Unit: "ms", Value: iteration.cpu},
		row{Name: "sealing a check", Unit: "ms", Value: max(both.wall-iteration.wall, 0)}.atMost(30),
		{Name: "CPU of sealing a check", Unit: "ms", Value: max(both.cpu-iteration.cpu, 0)},
	}, nil
}

// cost is what sealing adds to an iteration, in milliseconds.
type cost struct{ wall, cpu float64 }

// sealing compares iterations in rooms with iterations without: the fastest runs of each, since
// other work on the machine only makes a run slower.
func (s *scratch) sealing() (cost, error) {
	const times = 5
	var best [2]cost
	for n := range times {
		for i, mode := range []string{"off", "require"} {
			if err := s.forget(); err != nil {
				return cost{}, err
			}
			cmd := s.run(roomTurns)
			cmd.Env = append(slices.Clone(s.env), "RALPH_SANDBOX="+mode)
			u, err := measure(cmd, 1) // it ends because its iterations are used up
			if err != nil {
				return cost{}, err
			}
			took := cost{ms(u.wall) / roomTurns, ms(u.cpu) / roomTurns}
			if n == 0 {
				best[i] = took
			}
			best[i] = cost{min(best[i].wall, took.wall), min(best[i].cpu, took.cpu)}
		}
	}
	return cost{best[1].wall - best[0].wall, best[1].cpu - best[0].cpu}, nil
}
