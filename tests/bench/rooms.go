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
		row{Name: "sealing an iteration", Unit: "ms", Value: iteration}.atMost(50),
		row{Name: "sealing a check", Unit: "ms", Value: max(both-iteration, 0)}.atMost(30),
	}, nil
}

// sealing returns how many milliseconds longer an iteration takes in rooms.
func (s *scratch) sealing() (float64, error) {
	const times = 3
	var differences []float64
	for range times {
		var took [2]float64
		for i, mode := range []string{"off", "require"} {
			if err := s.forget(); err != nil {
				return 0, err
			}
			cmd := s.run(roomTurns)
			cmd.Env = append(slices.Clone(s.env), "RALPH_SANDBOX="+mode)
			u, err := measure(cmd, 1) // it ends because its iterations are used up
			if err != nil {
				return 0, err
			}
			took[i] = ms(u.wall) / roomTurns
		}
		differences = append(differences, took[1]-took[0])
	}
	return median(differences), nil
}
