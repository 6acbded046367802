package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
)

// turns is how many iterations a measured run has.
const turns = 200

// session is the shortest stream of an agent that has done its work.
const session = `{"type":"system","subtype":"init","session_id":"s1","model":"m"}
{"type":"assistant","message":{"id":"m1","model":"m","role":"assistant","content":[{"type":"text","text":"Looked at it."}],"usage":{"input_tokens":3,"output_tokens":4}},"session_id":"s1"}
{"type":"result","subtype":"success","is_error":false,"result":"Looked at it.","total_cost_usd":0.001,"usage":{"input_tokens":3,"output_tokens":4},"session_id":"s1"}
`

// iterations measures what ralph adds to an agent that does nothing.
func (b *bench) iterations() ([]row, error) {
	var rows []row
	var cost []float64
	for _, stories := range []int{10, 1000} {
		s, err := b.newScratch(fmt.Sprintf("iteration-%d", stories), stories)
		if err != nil {
			return nil, err
		}
		file, err := s.useSession()
		if err != nil {
			return nil, err
		}
		own, gap, err := s.iterationRows(file, fmt.Sprintf("%d stories", stories))
		if err != nil {
			return nil, err
		}
		if stories == 10 {
			own, gap = own.atMost(10), gap.atMost(15)
		}
		rows, cost = append(rows, own, gap), append(cost, own.Value)
		forks, err := s.forkRow(fmt.Sprintf("forks besides the agent, %d stories", stories))
		switch {
		case errors.Is(err, exec.ErrNotFound): // no strace on this machine
		case err != nil:
			return nil, err
		default:
			rows = append(rows, forks.atMost(3))
		}
	}
	marked, err := b.marked()
	return append(rows, row{Name: "CPU at 1000 stories / at 10", Value: cost[1] / cost[0]}, marked), err
}

// marked measures what ralph adds to an agent that marks a story.
func (b *bench) marked() (row, error) {
	const stories, times = 10, 5
	r := row{Name: "CPU besides the agent, a story of 10 marked", Unit: "ms"}
	marker, err := b.floor("marker")
	if err != nil {
		return r, err
	}
	s, err := b.newScratch("marked", stories)
	if err != nil {
		return r, err
	}
	file, err := s.useSession()
	if err != nil {
		return r, err
	}
	plan := filepath.Join(s.folder(), "prd.json")
	if err := s.useAgent(marker, plan, file); err != nil {
		return r, err
	}
	text, err := os.ReadFile(plan)
	if err != nil {
		return r, err
	}
	// The difference of two runs leaves out what a run costs once.
	after := func(n int) (usage, error) {
		if err := errors.Join(s.forget(), os.WriteFile(plan, text, 0o644)); err != nil {
			return usage{}, err
		}
		return measure(s.run(n), 1)
	}
	const few, many = 1, stories - 1
	var each, floors []float64
	for range times {
		less, err := after(few)
		if err != nil {
			return r, err
		}
		more, err := after(many)
		if err != nil {
			return r, err
		}
		if now, err := os.ReadFile(plan); err != nil || bytes.Count(now, []byte(`"passes": true`)) != many {
			return r, fmt.Errorf("not every mark was accepted: %w", err)
		}
		floor, err := measure(s.command(marker, plan, file), 0)
		if err != nil {
			return r, err
		}
		floors = append(floors, ms(floor.cpu))
		each = append(each, ms(more.cpu-less.cpu)/(many-few)-ms(floor.cpu))
	}
	r.Value, r.Floor = median(each), new(median(floors))
	r.Ratio = new(r.Value / *r.Floor)
	return r.atMost(25), nil
}

// iterationRows compares runs with shell loops that call the same agent.
func (s *scratch) iterationRows(file, plan string) (cpu, gap row, err error) {
	const times = 3
	var gaps []float64
	list, err := pairs(s.b.ctx, times,
		func() (usage, error) {
			u, times, err := s.iterate()
			gaps = append(gaps, times...)
			return u, err
		},
		func() (usage, error) { return s.shellLoop(file) })
	if err != nil {
		return cpu, gap, err
	}
	cpu = row{Name: "CPU besides the agent, " + plan, Unit: "ms",
		Value: medianOf(list, func(p pair) float64 { return ms(p.ralph.cpu-p.floor.cpu) / turns }),
		Floor: new(medianOf(list, func(p pair) float64 { return ms(p.floor.cpu) / turns }))}
	cpu.Ratio = new(medianOf(list, func(p pair) float64 { return float64(p.ralph.cpu-p.floor.cpu) / float64(p.floor.cpu) }))
	gap = row{Name: "agent's end to the next start, " + plan, Unit: "ms", Value: median(gaps)}
	return cpu, gap, nil
}

// iterate measures one run and the gaps between its agents in milliseconds.
func (s *scratch) iterate() (usage, []float64, error) {
	if err := s.forget(); err != nil {
		return usage{}, nil, err
	}
	u, err := measure(s.run(turns), 1) // it ends because its iterations are used up
	if err != nil {
		return u, nil, err
	}
	gaps, err := s.gaps()
	if err == nil && len(gaps) != turns-1 {
		err = fmt.Errorf("the journal tells of %d iterations, not of %d", len(gaps)+1, turns)
	}
	return u, gaps, err
}

// shellLoop is what people write themselves.
func (s *scratch) shellLoop(file string) (usage, error) {
	const script = `i=0; while [ "$i" -lt "$1" ]; do /bin/cat "$2" >>"$3"; i=$((i+1)); done`
	log := filepath.Join(s.home, "loop.log")
	if err := os.Remove(log); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return usage{}, err
	}
	return measure(s.command("sh", "-c", script, "sh", fmt.Sprint(turns), file, log), 0)
}

// gaps reads from the journal how long no agent was running: from the record
// of an agent's end to the record of the next one's start, in milliseconds.
func (s *scratch) gaps() ([]float64, error) {
	events, err := s.events("attempt_ended", "agent_started")
	if err != nil {
		return nil, err
	}
	var gaps []float64
	for i, e := range events {
		if i > 0 && e.Type == "agent_started" {
			gaps = append(gaps, ms(e.Time.Sub(events[i-1].Time)))
		}
	}
	return gaps, nil
}
