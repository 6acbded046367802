// Package host is a worker: it takes turns from the task queues, and has ralph work on
// them. It starts ralph, in one place (run.go), and ends it, when the turn is over,
// when the user wishes it, when another host has the feature, or when it goes down.
package host

import (
	"context"
	"fmt"
	"log/slog"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"time"

	"github.com/gofrs/flock"
	"go.temporal.io/sdk/activity"
	"go.temporal.io/sdk/worker"
	"go.temporal.io/sdk/workflow"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/events"
	"ralph/fleet/internal/feature"
	"ralph/fleet/internal/flow"
	"ralph/fleet/internal/ledger"
	"ralph/fleet/internal/repo"
)

// Options say what a worker is.
type Options struct {
	Name      string // of the host, as people see it
	Workspace string
	Account   string // the account that pays for the agents' calls
	Ralph     string // the program
	Slots     int
	MinFree   int64 // MB of the workspace's disk, below which no feature is taken; 0 is off
	Labels    []string
	Log       *slog.Logger
}

// PIDFile holds the worker's process id, in its workspace.
const PIDFile = "pid"

// drainLimit is how long the turns may take to hand their features back when the
// worker goes down: the end of an agent, and a push.
const drainLimit = 3 * time.Minute

// Host is a worker running.
type Host struct {
	Options
	engine engine.Engine
	space  *repo.Workspace
	ledger *ledger.Server
	slots  *slots
	going  context.Context // done when the worker goes down

	mu    sync.Mutex
	turns map[string]*sync.Mutex // one turn of a feature at a time
	said  map[string]time.Time   // troubles that were notified of late
}

// Run works until ctx is done, and then hands back what it has started.
func Run(ctx context.Context, e engine.Engine, o Options) error {
	program, err := exec.LookPath(o.Ralph)
	if err != nil {
		return fmt.Errorf("there is no ralph to run (%w); install it, or name it with --ralph", err)
	}
	if o.Ralph, err = filepath.Abs(program); err != nil {
		return err
	}
	if _, err := exec.LookPath("git"); err != nil {
		return fmt.Errorf("there is no git (%w); install it", err)
	}
	space, err := repo.OpenWorkspace(o.Workspace)
	if err != nil {
		return err
	}
	lock := flock.New(filepath.Join(o.Workspace, "lock"))
	if ok, err := lock.TryLock(); err != nil || !ok {
		return fmt.Errorf("another worker uses the workspace %s; give each its own with --workspace", o.Workspace)
	}
	defer lock.Unlock() //nolint:errcheck // the process ends
	pid := filepath.Join(o.Workspace, PIDFile)
	if err := os.WriteFile(pid, fmt.Appendln(nil, os.Getpid()), 0o600); err != nil {
		return fmt.Errorf("the workspace cannot be written to: %w", err)
	}
	defer os.Remove(pid)
	h := &Host{Options: o, engine: e, space: space, slots: newSlots(o.Slots), going: ctx, turns: map[string]*sync.Mutex{}, said: map[string]time.Time{}}
	h.clearLeftovers(ctx)
	if h.ledger, err = ledger.Serve(context.WithoutCancel(ctx), e, o.Account, o.Name, h.trouble); err != nil {
		return err
	}
	defer h.ledger.Close()
	var wg sync.WaitGroup
	defer wg.Wait()
	wg.Go(func() { h.upkeep(ctx) })
	return h.work(ctx)
}

// work polls the queues until ctx is done.
func (h *Host) work(ctx context.Context) error {
	var started []worker.Worker
	failed := make(chan error, 1)
	defer func() {
		var wg sync.WaitGroup
		for _, w := range started {
			wg.Go(w.Stop)
		}
		wg.Wait()
	}()
	for _, label := range append([]string{""}, h.Labels...) {
		w, err := h.poller(label, failed)
		if err != nil {
			return err
		}
		if err := w.Start(); err != nil {
			return fmt.Errorf("the task queue %s cannot be asked: %w", feature.QueueFor(label), err)
		}
		started = append(started, w)
	}
	h.Log.Info("ready", "host", h.Name, "slots", h.Slots, "labels", h.Labels, "account", h.Account, "workspace", h.Workspace)
	select {
	case <-ctx.Done():
		h.Log.Info("going down: handing back the running features")
		return nil
	case err := <-failed:
		return fmt.Errorf("the server refuses this worker: %w", err)
	}
}

// poller is the part of the worker that asks one queue.
func (h *Host) poller(label string, failed chan<- error) (worker.Worker, error) {
	tasks, err := worker.NewFixedSizeSlotSupplier(100)
	if err != nil {
		return nil, err
	}
	tuner, err := worker.NewCompositeTuner(worker.CompositeTunerOptions{
		WorkflowSlotSupplier: tasks, ActivitySlotSupplier: supplier{h.slots, h.ready}, LocalActivitySlotSupplier: tasks,
		NexusSlotSupplier: tasks, SessionActivitySlotSupplier: tasks,
	})
	if err != nil {
		return nil, err
	}
	w := worker.New(h.engine.Client, feature.QueueFor(label), worker.Options{
		Tuner: tuner, Identity: h.Name, WorkerStopTimeout: drainLimit, DisableWorkflowWorker: label != "",
		MaxConcurrentActivityTaskPollers: 1,
		OnFatalError: func(err error) {
			select {
			case failed <- err:
			default:
			}
		},
	})
	if label == "" {
		w.RegisterWorkflowWithOptions(flow.Feature, workflow.RegisterOptions{Name: feature.WorkflowName})
		w.RegisterWorkflowWithOptions(flow.Account, workflow.RegisterOptions{Name: feature.AccountName})
	}
	w.RegisterActivityWithOptions(h.Turn, activity.RegisterOptions{Name: feature.TurnName})
	return w, nil
}

// turnLock is the lock of a feature on this host: the turn before may not have ended.
func (h *Host) turnLock(id string) *sync.Mutex {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.turns[id] == nil {
		h.turns[id] = &sync.Mutex{}
	}
	return h.turns[id]
}

// tail is the end of a text, in a line.
func tail(text []byte) string {
	const most = 600
	if len(text) > most {
		text = text[len(text)-most:]
	}
	return events.OneLine(string(text))
}
