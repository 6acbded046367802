package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"time"

	"go.temporal.io/api/workflowservice/v1"
)

// figures are what a run comes to. Sizes are in bytes, times in seconds, CPU in seconds
// of one core.
type figures struct {
	Features   int     `json:"features"`
	Done       int     `json:"done"`
	Failed     int     `json:"failed"`
	Iterations int     `json:"iterations"`
	Calls      int     `json:"calls"`
	Workers    int     `json:"workers"`
	Slots      int     `json:"slots"`
	Submitted  float64 `json:"submitSeconds"`
	Seconds    float64 `json:"seconds"`
	PerMinute  float64 `json:"donePerMinute"`
	ListTook   float64 `json:"listSeconds"`

	ServerPeak int64 `json:"serverPeak"`
	WorkerPeak int64 `json:"workerPeak"` // of the largest
	RalphPeak  int64 `json:"ralphPeak"`

	// Each of a feature that is done.
	ServerCPU  float64 `json:"serverCpu"`
	WorkerCPU  float64 `json:"workerCpu"` // of the workers themselves
	LoopCPU    float64 `json:"loopCpu"`   // of ralph, its agents and git
	Database   float64 `json:"databaseBytes"`
	Events     float64 `json:"events"`
	History    float64 `json:"historyBytes"`
	AccountRun int     `json:"accountRuns"` // histories of the one account
}

const sampleEvery = 500 * time.Millisecond

// measure submits all features and waits until they are done, or time is up.
func (l *lab) measure(ctx context.Context, s settings, remote string) (figures, error) {
	f := figures{Features: s.features, Workers: s.workers, Slots: s.slots}
	before, size := usageOf(l.server.Process.Pid), l.databaseSize()
	began := time.Now()
	if err := l.fleet(ctx, nil, "submit", remote, "--all", "--harness=replay", "--pause=0", "--rate-limit=0"); err != nil {
		return f, err
	}
	f.Submitted = time.Since(began).Seconds()
	for {
		done, err := l.count(ctx, "ExecutionStatus = 'Completed'")
		if err != nil {
			return f, err
		}
		f.RalphPeak = max(f.RalphPeak, peakOfProgram(filepath.Join(l.bin, "ralph")))
		if f.Done = done; done >= s.features || s.limit > 0 && time.Since(began) > s.limit {
			break
		}
		select {
		case <-ctx.Done():
			return f, ctx.Err()
		case <-time.After(sampleEvery):
		}
	}
	f.Seconds = time.Since(began).Seconds()
	if err := l.outcome(ctx, &f); err != nil {
		return f, err
	}
	f.PerMinute = float64(f.Done) / f.Seconds * 60
	l.costs(&f, before, size)
	if err := l.histories(ctx, &f); err != nil {
		return f, err
	}
	asked := time.Now()
	err := l.fleet(ctx, nil, "list")
	f.ListTook = time.Since(asked).Seconds()
	return f, err
}

// outcome asks the fleet itself what was done, and what it took.
func (l *lab) outcome(ctx context.Context, f *figures) error {
	var out bytes.Buffer
	if err := l.fleet(ctx, &out, "report", "--json"); err != nil {
		return err
	}
	var report struct {
		States map[string]int `json:"states"`
		Spent  struct {
			Iterations int `json:"iterations"`
			Calls      int `json:"calls"`
		} `json:"spent"`
	}
	if err := json.Unmarshal(out.Bytes(), &report); err != nil {
		return err
	}
	f.Done, f.Iterations, f.Calls = report.States["done"], report.Spent.Iterations, report.Spent.Calls
	if f.Failed = report.States["failed"] + report.States["broken"]; f.Done == 0 {
		return fmt.Errorf("no feature was done in %.0f s, %d failed", f.Seconds, f.Failed)
	}
	return nil
}

// costs reads what the processes have taken.
func (l *lab) costs(f *figures, before usage, size int64) {
	done := float64(f.Done)
	server := usageOf(l.server.Process.Pid)
	f.ServerPeak, f.ServerCPU = server.peak, (server.own-before.own).Seconds()/done
	f.Database = float64(l.databaseSize()-size) / done
	for _, w := range l.workers {
		u := usageOf(w.Process.Pid)
		f.WorkerPeak = max(f.WorkerPeak, u.peak)
		f.WorkerCPU += u.own.Seconds() / done
		f.LoopCPU += (u.all - u.own).Seconds() / done
	}
}

// histories asks what the engine keeps of the features that are finished.
func (l *lab) histories(ctx context.Context, f *figures) error {
	var token []byte
	finished := 0
	for {
		page, err := l.client.ListWorkflow(ctx, &workflowservice.ListWorkflowExecutionsRequest{
			Query: "WorkflowType = 'ralph-feature' AND ExecutionStatus = 'Completed'", PageSize: 200, NextPageToken: token})
		if err != nil {
			return err
		}
		for _, x := range page.Executions {
			finished++
			f.Events += float64(x.HistoryLength)
			f.History += float64(x.HistorySizeBytes)
		}
		if token = page.NextPageToken; len(token) == 0 {
			break
		}
	}
	f.Events, f.History = f.Events/float64(finished), f.History/float64(finished)
	runs, err := l.client.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: "WorkflowType = 'ralph-account'"})
	f.AccountRun = int(runs.GetCount())
	return err
}

func (l *lab) count(ctx context.Context, query string) (int, error) {
	n, err := l.client.CountWorkflow(ctx, &workflowservice.CountWorkflowExecutionsRequest{Query: "WorkflowType = 'ralph-feature' AND " + query})
	return int(n.GetCount()), err
}

// fleet runs a command of ralph-fleet.
func (l *lab) fleet(ctx context.Context, out io.Writer, args ...string) error {
	cmd := exec.CommandContext(ctx, filepath.Join(l.bin, "ralph-fleet"), args...)
	cmd.Env, cmd.Stdout, cmd.Stderr = l.env, out, os.Stderr
	if err := cmd.Run(); err != nil {
		return fmt.Errorf("ralph-fleet %s: %w", args[0], err)
	}
	return nil
}

// print shows the figures to the user.
func (f figures) print(w io.Writer) {
	const mb = 1 << 20
	fmt.Fprintf(w, "%d of %d features done, %d failed, %d iterations, in %.0f s on %d workers with %d slots each: %.0f a minute\n", f.Done, f.Features, f.Failed, f.Iterations, f.Seconds, f.Workers, f.Slots, f.PerMinute)
	fmt.Fprintf(w, "submitted in %.1f s; 'list' takes %.1f s\n", f.Submitted, f.ListTook)
	fmt.Fprintf(w, "memory at most: server %d MB, worker %d MB, ralph %d MB\n", f.ServerPeak/mb, f.WorkerPeak/mb, f.RalphPeak/mb)
	fmt.Fprintf(w, "of each feature: %.1f events and %.1f KB of history, %.1f KB of database\n", f.Events, f.History/1024, f.Database/1024)
	fmt.Fprintf(w, "CPU of each feature: server %.2f s, workers %.2f s, ralph with agent and git %.2f s\n", f.ServerCPU, f.WorkerCPU, f.LoopCPU)
	fmt.Fprintf(w, "the account took %d histories\n", f.AccountRun)
}
