package main

import (
	"fmt"
	"path/filepath"
)

// validates measures preflight at several sizes of a plan.
func (b *bench) validates() ([]row, error) {
	decode, err := b.floor("decode")
	if err != nil {
		return nil, err
	}
	var rows []row
	cost := map[int]float64{}
	for _, size := range []struct{ stories, times int }{{5, 15}, {1000, 11}, {10000, 7}} {
		s, err := b.newScratch(fmt.Sprintf("validate-%d", size.stories), size.stories)
		if err != nil {
			return nil, err
		}
		list, err := s.validatePairs(decode, size.times)
		if err != nil {
			return nil, err
		}
		cpu := cpuRow(fmt.Sprintf("CPU for %d stories (floor: encoding/json)", size.stories), list)
		if size.stories == 10000 {
			cpu = cpu.atMostTimes(12)
		}
		cost[size.stories] = cpu.Value
		rows = append(rows, cpu, rssRow(fmt.Sprintf("resident, %d stories", size.stories), list))
	}
	return append(rows, row{Name: "CPU at 10000 stories / at 1000", Value: cost[10000] / cost[1000]}), nil
}

func (s *scratch) validatePairs(decode string, times int) ([]pair, error) {
	if err := s.useAgent("/bin/cat", "/dev/null"); err != nil {
		return nil, err
	}
	return pairs(s.b.ctx, times,
		func() (usage, error) { return measure(s.command(s.b.ralph, "validate"), 0) },
		func() (usage, error) {
			return measure(s.command(decode, filepath.Join(s.folder(), "prd.json")), 0)
		})
}
