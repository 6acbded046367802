package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"slices"
	"strings"
	"syscall"
	"time"
)

// usage is what a process cost, with all its descendants that were waited for:
// git, the guardian and, through it, every agent.
type usage struct {
	cpu  time.Duration // user and system
	wall time.Duration
	rss  int64 // peak of the largest process, in bytes
	low  bool  // rss is only a bound: the process may have had less
}

// command is a child that ends with the bench. ralph has to end its own
// children first, so it is asked.
func (b *bench) command(name string, args ...string) *exec.Cmd {
	cmd := exec.CommandContext(b.ctx, name, args...)
	cmd.Cancel = func() error { return cmd.Process.Signal(syscall.SIGTERM) }
	cmd.WaitDelay = 15 * time.Second
	return cmd
}

// measure runs cmd to its end; code is the exit status that it must have.
func measure(cmd *exec.Cmd, code int) (usage, error) {
	var stderr tail
	if cmd.Stderr == nil {
		cmd.Stderr = &stderr
	}
	began := time.Now()
	err := cmd.Run()
	wall := time.Since(began)
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		return usage{}, fmt.Errorf("%s: %w", strings.Join(cmd.Args, " "), err)
	}
	if got := cmd.ProcessState.ExitCode(); got != code {
		return usage{}, fmt.Errorf("%s: %s, not exit status %d: %s", strings.Join(cmd.Args, " "), cmd.ProcessState, code, stderr.text())
	}
	return usageOf(cmd, wall), nil
}

func usageOf(cmd *exec.Cmd, wall time.Duration) usage {
	state := cmd.ProcessState
	u := usage{cpu: state.UserTime() + state.SystemTime(), wall: wall}
	if ru, ok := state.SysUsage().(*syscall.Rusage); ok {
		u.rss = maxRSS(ru)
	}
	u.low = u.rss <= ownPeak()
	return u
}

// ownPeak returns the largest memory of the bench itself. Linux counts it as the child's until
// the child's exec, so a smaller figure is not reliable. getrusage would include the go command,
// which started us.
func ownPeak() int64 {
	data, err := os.ReadFile("/proc/self/status")
	if err != nil {
		return 0 // another kernel, which does not count so
	}
	_, rest, _ := strings.Cut(string(data), "VmHWM:")
	var kb int64
	if _, err := fmt.Sscan(rest, &kb); err != nil {
		return 0
	}
	return kb << 10
}

// maxRSS is in bytes; the kernels differ in the unit.
func maxRSS(ru *syscall.Rusage) int64 {
	if runtime.GOOS == "darwin" {
		return ru.Maxrss
	}
	return ru.Maxrss << 10
}

// tail keeps the last of what a process says about its failure.
type tail struct{ data []byte }

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	const kept = 2 << 10
	t.data = append(t.data, p...)
	if over := len(t.data) - kept; over > 0 {
		t.data = t.data[over:]
	}
	return len(p), nil
}

func (t *tail) text() string { return strings.TrimSpace(string(t.data)) }

// pair is one measurement of ralph and, right after it, one of the floor: what
// disturbs the machine disturbs both.
type pair struct{ ralph, floor usage }

// pairs measures n pairs.
func pairs(ctx context.Context, n int, ralph, floor func() (usage, error)) ([]pair, error) {
	list := make([]pair, 0, n)
	for range n {
		var p pair
		var err error
		if p.ralph, err = ralph(); err != nil {
			return nil, err
		}
		if p.floor, err = floor(); err != nil {
			return nil, err
		}
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		list = append(list, p)
	}
	return list, nil
}

// medianOf is the median of what is picked of each element.
func medianOf[T any](list []T, pick func(T) float64) float64 {
	values := make([]float64, 0, len(list))
	for _, e := range list {
		values = append(values, pick(e))
	}
	return median(values)
}

func median(values []float64) float64 {
	if len(values) == 0 {
		return 0
	}
	sorted := slices.Sorted(slices.Values(values))
	middle := len(sorted) / 2
	if len(sorted)%2 == 1 {
		return sorted[middle]
	}
	return (sorted[middle-1] + sorted[middle]) / 2
}

// cpuRow compares the CPU of pairs: medians of both, and of the pairs' ratios.
func cpuRow(name string, list []pair) row {
	return row{
		Name: name, Unit: "ms",
		Value: medianOf(list, func(p pair) float64 { return ms(p.ralph.cpu) }),
		Floor: new(medianOf(list, func(p pair) float64 { return ms(p.floor.cpu) })),
		Ratio: new(medianOf(list, func(p pair) float64 { return float64(p.ralph.cpu) / float64(max(p.floor.cpu, 1)) })),
	}
}

// rssRow compares peaks: the highest counts, not the median. It leaves out a floor that is too
// small to measure.
func rssRow(name string, list []pair) row {
	r := row{Name: name, Unit: "MB"}
	var floor int64
	for _, p := range list {
		r.Value = max(r.Value, mb(p.ralph.rss))
		if !p.floor.low {
			floor = max(floor, p.floor.rss)
		}
	}
	if floor > 0 {
		r.Floor = new(mb(floor))
		r.Ratio = new(r.Value / mb(floor))
	}
	return r
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func mb(bytes int64) float64 { return float64(bytes) / 1e6 }
