package main

import (
	"bufio"
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// growth measures what gets slower with the length of a run and the size of a
// repository: nothing should.
func (b *bench) growth() ([]row, error) {
	s, err := b.newScratch("growth", 10)
	if err != nil {
		return nil, err
	}
	if _, err := s.useSession(); err != nil {
		return nil, err
	}
	late, err := s.lateRow()
	if err != nil {
		return nil, err
	}
	rows := []row{late}
	past, err := s.pastRows()
	if err != nil {
		return nil, err
	}
	large, err := b.largeRows()
	return append(append(rows, past...), large...), err
}

// lateRow holds the iterations before the 1,000th against those behind the 10th.
func (s *scratch) lateRow() (row, error) {
	const all, block, blocks = 1000, 10, 20
	r := row{Name: "time of iteration 1000 / of iteration 10"}
	if _, err := measure(s.run(all), 1); err != nil {
		return r, err
	}
	starts, err := s.events("iteration_started")
	if err != nil {
		return r, err
	}
	if len(starts) != all {
		return r, fmt.Errorf("the journal tells of %d iterations, not of %d", len(starts), all)
	}
	// The median of blocks: the journal's times are whole milliseconds, and now and
	// then the machine has something else to do.
	period := func(from int) float64 {
		var took []float64
		for i := from; i < from+block*blocks; i += block {
			took = append(took, ms(starts[i+block].Time.Sub(starts[i].Time))/block)
		}
		return median(took)
	}
	r.Value = period(all-block*blocks-1) / period(block)
	return r.atMost(1.2), nil
}

// pastRows measures the commands that look at a run of 10,000 iterations.
func (s *scratch) pastRows() ([]row, error) {
	if err := s.lengthen(10); err != nil {
		return nil, err
	}
	lines, err := s.b.floor("lines")
	if err != nil {
		return nil, err
	}
	var rows []row
	for _, argv := range [][]string{{"status"}, {"history"}, {"report"}, {"monitor", "--once"}} {
		const times = 5
		list, err := pairs(s.b.ctx, times,
			func() (usage, error) { return measure(s.command(s.b.ralph, argv...), 0) },
			func() (usage, error) { return measure(s.command(lines, s.journal()), 0) })
		if err != nil {
			return nil, err
		}
		rows = append(rows, cpuRow("CPU of '"+argv[0]+"', 10,000 iterations, beside encoding/json", list))
	}
	return rows, nil
}

// lengthen writes the journal's iterations several times, each with its own number
// and at its own time, as one run.
func (s *scratch) lengthen(times int) error {
	old, err := os.ReadFile(s.journal())
	if err != nil {
		return err
	}
	begin := bytes.Index(old, []byte(`"type":"iteration_started"`))
	begin = bytes.LastIndexByte(old[:begin], '\n') + 1
	end := bytes.LastIndexByte(old[:len(old)-1], '\n') + 1 // before run_ended
	var out bytes.Buffer
	out.Write(old[:begin])
	const stamp = len(`{"time":"2006-01-02T15:04:05.000Z"`)
	for i := range times {
		for lines := bufio.NewScanner(bytes.NewReader(old[begin:end])); lines.Scan(); {
			line := lines.Text()
			at, err := time.Parse(`{"time":"2006-01-02T15:04:05.000Z"`, line[:stamp])
			if err != nil {
				return err
			}
			fmt.Fprintf(&out, `{"time":"%s"%s`+"\n", at.Add(time.Duration(i)*time.Hour).Format("2006-01-02T15:04:05.000Z"), renumber(line[stamp:], 1000*i))
		}
	}
	out.Write(old[end:])
	return os.WriteFile(s.journal(), out.Bytes(), 0o600)
}

// renumber adds to the number of a line's iteration.
func renumber(line string, more int) string {
	const key = `"n":`
	head, tail, ok := strings.Cut(line, key)
	if !ok {
		return line
	}
	digits := 0
	for digits < len(tail) && tail[digits] >= '0' && tail[digits] <= '9' {
		digits++
	}
	n, err := strconv.Atoi(tail[:digits])
	if err != nil {
		return line
	}
	return head + key + strconv.Itoa(n+more) + tail[digits:]
}

// largeRows measures iterations in a repository of 100,000 files.
func (b *bench) largeRows() ([]row, error) {
	s, err := b.newScratch("large", 10)
	if err != nil {
		return nil, err
	}
	small, err := b.newScratch("small", 10)
	if err != nil {
		return nil, err
	}
	if err := s.fill(100_000); err != nil {
		return nil, err
	}
	for _, each := range []*scratch{s, small} {
		if _, err := each.useSession(); err != nil {
			return nil, err
		}
	}
	// The difference of two runs leaves out what a run costs once.
	const few, many = 1, 41
	var once, each []float64
	for range 3 {
		var cost [2][2]float64
		for i, n := range []int{few, many} {
			for k, where := range []*scratch{s, small} {
				if err := where.forget(); err != nil {
					return nil, err
				}
				u, err := measure(where.run(n), 1)
				if err != nil {
					return nil, err
				}
				cost[k][i] = ms(u.cpu)
			}
		}
		once = append(once, cost[0][0])
		each = append(each, (cost[0][1]-cost[0][0])/(cost[1][1]-cost[1][0]))
	}
	return []row{
		{Name: "CPU of an iteration, 100,000 files / a few", Value: median(each)},
		{Name: "CPU of a run's start and end, 100,000 files", Unit: "ms", Value: median(once)},
	}, nil
}

// fill commits so many files.
func (s *scratch) fill(files int) error {
	for i := range files {
		path := filepath.Join(s.repo, "src", fmt.Sprintf("%03d", i%500), fmt.Sprintf("file%06d.go", i))
		if i < 500 {
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				return err
			}
		}
		if err := os.WriteFile(path, []byte("package src\n"), 0o644); err != nil {
			return err
		}
	}
	for _, argv := range [][]string{{"git", "add", "-A"}, {"git", "commit", "-q", "-m", "Many files"}} {
		if _, err := measure(s.command(argv[0], argv[1:]...), 0); err != nil {
			return err
		}
	}
	return nil
}
