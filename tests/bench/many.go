package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// manyLoops measures what loops cost each other: the list of a thousand, and the
// ledger of calls that eight running share.
func (b *bench) manyLoops() ([]row, error) {
	list, err := b.listRow()
	if err != nil {
		return nil, err
	}
	ledger, err := b.ledgerRow()
	return []row{list, ledger}, err
}

// listRow lists 1,000 units with a journal of twenty iterations each.
func (b *bench) listRow() (row, error) {
	s, err := b.newScratch("list", 10)
	if err != nil {
		return row{}, err
	}
	if _, err := s.useSession(); err != nil {
		return row{}, err
	}
	if _, err := measure(s.run(20), 1); err != nil {
		return row{}, err
	}
	const units, times = 1000, 11
	journals, err := s.multiply(units)
	if err != nil {
		return row{}, err
	}
	if out, err := s.output("list", "--json"); err != nil || bytes.Count(out, []byte(`"unit"`)) != units {
		return row{}, fmt.Errorf("'ralph list' knows %d units, not %d: %w", bytes.Count(out, []byte(`"unit"`)), units, err)
	}
	list, err := pairs(b.ctx, times,
		func() (usage, error) { return measure(s.command(b.ralph, "list"), 0) },
		func() (usage, error) {
			return measure(s.command("sh", "-c", `exec cat "$1"/*/state/*/journal.jsonl >/dev/null`, "sh", journals), 0)
		})
	if err != nil {
		return row{}, err
	}
	return cpuRow("CPU of 'list', 1,000 loops (floor: cat)", list).atMost(500), nil
}

// multiply makes copies of the unit until the user has so many, and returns the
// folder in which they are.
func (s *scratch) multiply(units int) (string, error) {
	entries, err := filepath.Glob(filepath.Join(s.home, "loops", "*.json"))
	if err != nil || len(entries) != 1 {
		return "", fmt.Errorf("there are %d loops where one has run: %w", len(entries), err)
	}
	entry, err := os.ReadFile(entries[0])
	if err != nil {
		return "", err
	}
	data, err := os.ReadFile(s.journal())
	if err != nil {
		return "", err
	}
	all := filepath.Join(filepath.Dir(s.repo), "all")
	for i := range units {
		name := fmt.Sprintf("feature-%04d", i)
		tree := filepath.Join(all, name)
		state := filepath.Join(tree, "state", name)
		if err := os.MkdirAll(state, 0o755); err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(state, "journal.jsonl"), data, 0o600); err != nil {
			return "", err
		}
		var e map[string]any
		if err := json.Unmarshal(entry, &e); err != nil {
			return "", err
		}
		e["unit"], e["worktree"], e["stateDir"] = name, tree, state
		text, err := json.Marshal(e)
		if err != nil {
			return "", err
		}
		if err := os.WriteFile(filepath.Join(s.home, "loops", name+".json"), append(text, '\n'), 0o600); err != nil {
			return "", err
		}
	}
	return all, os.Remove(entries[0])
}

// ledgerRow lets eight loops of one user work at once. What they take together
// must be in the ledger to the call.
func (b *bench) ledgerRow() (row, error) {
	const loops, turns = 8, 40
	home := filepath.Join(b.dir, "ledger-home")
	var all []*scratch
	for i := range loops {
		s, err := b.scratchOf(fmt.Sprintf("ledger-%d", i), 10, home)
		if err != nil {
			return row{}, err
		}
		if _, err := s.useSession(); err != nil {
			return row{}, err
		}
		all = append(all, s)
	}
	list, err := pairs(b.ctx, 3,
		func() (usage, error) { return together(all, turns) },
		func() (usage, error) { return together(all[:1], turns) })
	if err != nil {
		return row{}, err
	}
	r := row{Name: "CPU of an iteration, 8 loops at once / alone"}
	r.Value = medianOf(list, func(p pair) float64 { return float64(p.ralph.cpu) / loops / float64(p.floor.cpu) })
	return r, nil
}

// together lets loops work at once and counts their calls.
func together(loops []*scratch, turns int) (usage, error) {
	began := time.Now()
	used, err := loops[0].calls()
	if err != nil {
		return usage{}, err
	}
	type result struct {
		usage
		err error
	}
	results := make(chan result)
	for _, s := range loops {
		if err := s.forget(); err != nil {
			return usage{}, err
		}
		go func() {
			u, err := measure(s.command(s.b.ralph, "run", "-n", fmt.Sprint(turns), "--pause", "0", "--rate-limit", "1000000",
				"--stall-threshold", "1000", "--same-error", "1000"), 1)
			results <- result{u, err}
		}()
	}
	var sum usage
	for range loops {
		r := <-results
		if err == nil {
			err = r.err
		}
		sum.cpu += r.cpu
	}
	if err != nil {
		return sum, err
	}
	now, err := loops[0].calls()
	sameHour := began.Truncate(time.Hour).Equal(time.Now().Truncate(time.Hour))
	if got, want := now-used, len(loops)*turns; err == nil && sameHour && got != want {
		return sum, fmt.Errorf("the ledger has counted %d calls, not %d", got, want)
	}
	return sum, err
}

// calls returns how many calls the ledger has counted.
func (s *scratch) calls() (int, error) {
	data, err := os.ReadFile(filepath.Join(s.home, "ratelimit", "printer.json"))
	if os.IsNotExist(err) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	var book struct{ Hours map[string]int }
	if err := json.Unmarshal(data, &book); err != nil {
		return 0, err
	}
	sum := 0
	for _, n := range book.Hours {
		sum += n
	}
	return sum, nil
}
