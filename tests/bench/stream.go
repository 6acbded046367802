package main

import (
	"fmt"
	"os"
	"path/filepath"
)

// streams measures what it costs to read, log and show what an agent prints.
func (b *bench) streams() ([]row, error) {
	s, err := b.newScratch("stream", 10)
	if err != nil {
		return nil, err
	}
	mixed, err := s.streamPairs("mixed.jsonl", 5, writeMixed)
	if err != nil {
		return nil, err
	}
	long, err := s.streamPairs("long.jsonl", 3, writeLong)
	if err != nil {
		return nil, err
	}
	latency, err := s.latency()
	if err != nil {
		return nil, err
	}
	return []row{
		cpuRow("CPU for 100 MB (floor: tee)", mixed).atMostTimes(5),
		rssRow("resident, 100 MB", mixed).atMost(60),
		cpuRow("CPU for five lines of 20 MB (floor: tee)", long),
		rssRow("resident, five lines of 20 MB", long),
		latency.atMost(2),
	}, nil
}

// streamPairs makes a stream and measures its way through ralph and through tee.
func (s *scratch) streamPairs(name string, times int, write func(path string) error) ([]pair, error) {
	file := filepath.Join(s.home, name)
	if err := write(file); err != nil {
		return nil, err
	}
	defer os.Remove(file)
	if err := s.useAgent("/bin/cat", file); err != nil {
		return nil, err
	}
	return pairs(s.b.ctx, times,
		func() (usage, error) { return s.streamThroughRalph(file) },
		func() (usage, error) { return s.streamThroughTee(file) })
}

func (s *scratch) streamThroughRalph(file string) (usage, error) {
	if err := s.forget(); err != nil {
		return usage{}, err
	}
	u, err := measure(s.run(1), 1)
	if err != nil {
		return u, err
	}
	return u, sameSize(file, filepath.Join(s.folder(), "logs", "iteration-1.log"))
}

// streamThroughTee is the floor: the bytes once into a file and once away.
func (s *scratch) streamThroughTee(file string) (usage, error) {
	log := filepath.Join(s.home, "tee.log")
	defer os.Remove(log)
	u, err := measure(s.command("sh", "-c", `tee "$2" <"$1" >/dev/null`, "sh", file, log), 0)
	if err != nil {
		return u, err
	}
	return u, sameSize(file, log)
}

// sameSize makes sure that what was measured is the whole work.
func sameSize(a, b string) error {
	x, err := os.Stat(a)
	if err != nil {
		return err
	}
	y, err := os.Stat(b)
	if err != nil {
		return err
	}
	if x.Size() != y.Size() {
		return fmt.Errorf("%s has %d bytes, %s has %d", a, x.Size(), b, y.Size())
	}
	return nil
}
