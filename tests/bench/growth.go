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

// lateRow compares the iterations before the 1,000th with those after the 10th: the processor
// time of ralph and its guardian, without the agents. If the system does not report that time, it
// compares wall time, which a busy machine stretches.
func (s *scratch) lateRow() (row, error) {
	const all, first, some = 1000, 10, 200
	r := row{Name: "iteration 1000 / iteration 10"}
	marks := map[string]time.Duration{}
	for _, n := range []int{first, first + some, all - some, all} {
		marks[fmt.Sprintf("Iteration: %d/", n)] = 0
	}
	cmd := s.run(all)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return r, err
	}
	began := time.Now()
	if err := cmd.Start(); err != nil {
		return r, err
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		for mark := range marks {
			// The summary names the last one again, when the guardian has gone.
			if marks[mark] == 0 && strings.Contains(lines.Text(), mark) {
				marks[mark] = treeTime(cmd.Process.Pid, time.Since(began))
			}
		}
	}
	_ = cmd.Wait() // ends with 1: the iterations are used up
	span := func(from, to int) float64 {
		return float64(marks[fmt.Sprintf("Iteration: %d/", to)] - marks[fmt.Sprintf("Iteration: %d/", from)])
	}
	early, late := span(first, first+some), span(all-some, all)
	if early <= 0 || late <= 0 {
		return r, fmt.Errorf("the run has not reported all iterations: %v", marks)
	}
	r.Value = late / early
	return r.atMost(1.2), nil
}

// treeTime returns the processor time of a process and its children, or otherwise if the system
// does not report it.
func treeTime(pid int, otherwise time.Duration) time.Duration {
	sum, err := processTime(pid)
	if err != nil {
		return otherwise
	}
	lists, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, path := range lists {
		data, _ := os.ReadFile(path)
		for _, child := range strings.Fields(string(data)) {
			n, _ := strconv.Atoi(child)
			took, _ := processTime(n) // one that has just ended was no guardian
			sum += took
		}
	}
	return sum
}

// pastRows measures the commands that inspect a run of 10,000 iterations, and the
// run that follows it.
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
		rows = append(rows, cpuRow("CPU of '"+argv[0]+"', 10,000 iterations (floor: encoding/json)", list).atMostTimes(2))
	}
	next, err := pairs(s.b.ctx, 3,
		func() (usage, error) { return measure(s.run(1), 1) },
		func() (usage, error) { return measure(s.command(lines, s.journal()), 0) })
	return append(rows, cpuRow("CPU of 'run', 10,000 iterations (floor: encoding/json)", next).atMostTimes(2)), err
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
	const key = `"iteration":`
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
