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

// latency measures how long a line takes from the agent to the screen. What is on
// the screen must be in the log: both are one figure.
func (s *scratch) latency() (row, error) {
	r := row{Name: "from the agent to log and screen", Unit: "ms"}
	talker, err := s.b.floor("talker")
	if err != nil {
		return r, err
	}
	if err := s.useAgent(talker); err != nil {
		return r, err
	}
	ralph, err := s.listen(s.b.ralph, "run", "-n", "1", "--rate-limit", "0")
	if err != nil {
		return r, err
	}
	floor, err := s.listen("sh", "-c", `"$1" | tee "$2"`, "sh", talker, s.log())
	if err != nil {
		return r, err
	}
	r.Value, r.Floor = median(ralph), new(median(floor))
	r.Ratio = new(r.Value / *r.Floor)
	return r, nil
}

func (s *scratch) log() string { return filepath.Join(s.folder(), "logs", "iteration-1.log") }

// listen runs a command that passes on what the talker says, and returns how long
// each line took, in milliseconds.
func (s *scratch) listen(argv ...string) ([]float64, error) {
	if err := s.forget(); err != nil {
		return nil, err
	}
	if err := os.MkdirAll(filepath.Dir(s.log()), 0o755); err != nil {
		return nil, err
	}
	cmd := s.command(argv[0], argv[1:]...)
	out, err := cmd.StdoutPipe()
	if err != nil {
		return nil, err
	}
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	var took []float64
	for lines := bufio.NewScanner(out); lines.Scan(); {
		now := time.Now()
		_, at, ok := strings.Cut(lines.Text(), "at ")
		at, _, _ = strings.Cut(at, `"`)
		said, err := strconv.ParseInt(at, 10, 64)
		if !ok || err != nil {
			continue // what ralph says itself
		}
		took = append(took, ms(now.Sub(time.Unix(0, said))))
		if argv[0] != s.b.ralph {
			continue // tee writes the screen first
		}
		log, err := os.ReadFile(s.log())
		if err != nil {
			return nil, err
		}
		if !bytes.Contains(log, []byte(at)) {
			return nil, fmt.Errorf("a line is on the screen and not in the log: %q", lines.Text())
		}
	}
	_ = cmd.Wait() // ralph ends with 1: the iteration is used up
	if len(took) != 100 {
		return nil, fmt.Errorf("%s passed %d lines on, not 100", strings.Join(argv, " "), len(took))
	}
	return took, nil
}
