package e2e

import (
	"encoding/json"
	"fmt"
	"io"
	"log/slog"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"go.temporal.io/api/workflowservice/v1"
	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/log"
)

// histories counts those of workflows of a type.
func (l *lab) histories(workflowType string) int64 {
	l.t.Helper()
	c, err := client.DialContext(l.t.Context(), client.Options{HostPort: l.listen, Logger: log.NewStructuredLogger(slog.New(slog.DiscardHandler))})
	if err != nil {
		l.t.Fatal(err)
	}
	defer c.Close()
	n, err := c.CountWorkflow(l.t.Context(), &workflowservice.CountWorkflowExecutionsRequest{Query: "WorkflowType = '" + workflowType + "'"})
	if err != nil {
		l.t.Fatal(err)
	}
	return n.GetCount()
}

// answer is what a loop reads from the ledger's socket.
type answer struct {
	OK       bool      `json:"ok"`
	Used     int       `json:"used"`
	ResetsAt time.Time `json:"resetsAt"`
	Until    time.Time `json:"limitedUntil"`
	Error    string    `json:"error"`
}

// ledgerWorker starts a worker with a ledger for the test to ask; it returns the socket.
func (l *lab) ledgerWorker(name string) string {
	l.t.Helper()
	dir, err := os.MkdirTemp("", "ralph-lab-") // the name of a socket must be short
	if err != nil {
		l.t.Fatal(err)
	}
	l.t.Cleanup(func() { os.RemoveAll(dir) })
	l.worker(name, "1", "TMPDIR="+dir)
	var sockets []string
	l.until("the ledger listens", func() bool {
		sockets, _ = filepath.Glob(filepath.Join(dir, "*", "ledger"))
		return len(sockets) == 1
	})
	return sockets[0]
}

// ask asks a ledger as a loop does.
func ask(socket, question string) (a answer, err error) {
	conn, err := net.Dial("unix", socket)
	if err != nil {
		return a, err
	}
	defer conn.Close()
	if _, err := io.WriteString(conn, question+"\n"); err != nil {
		return a, err
	}
	err = json.NewDecoder(conn).Decode(&a)
	if err == nil && a.Error != "" {
		err = fmt.Errorf("the ledger: %s", a.Error)
	}
	return a, err
}

// The account's workflow continues in new histories while hosts ask it for calls; each call is
// counted once.
func TestLedgerOverManyHistories(t *testing.T) {
	l := newLabWith(t, 40)
	const hosts, each, limit = 3, 30, 80
	var granted atomic.Int64
	var wg sync.WaitGroup
	for host := range hosts {
		socket := l.ledgerWorker(fmt.Sprint("host-", host))
		wg.Go(func() {
			for range each {
				a, err := ask(socket, fmt.Sprintf(`{"op":"take","harness":"replay","run":"run-%d","limit":%d}`, host, limit))
				if err != nil {
					t.Error(err)
					return
				}
				if a.OK {
					granted.Add(1)
				}
			}
		})
	}
	wg.Wait()
	total, _ := l.ledger()
	// The hour may have changed meanwhile: then there is more than one limit.
	if total != int(granted.Load()) || total < limit || total > hosts*each {
		t.Errorf("%d calls were granted and %d counted, the limit of an hour is %d", granted.Load(), total, limit)
	}
	if n := l.histories("ralph-account"); n < 2 {
		t.Errorf("the account has %d histories", n)
	}
}

// A feature continues in a new history where turns end; what it has spent and who asked
// for what goes along.
func TestFeatureOverManyHistories(t *testing.T) {
	l := newLabWith(t, 4)
	bare := l.remote(map[string]string{"feature/x": script("", atGate)})
	a := l.worker("a", "1")
	l.submit(bare, "feature/x", "--silence", "1m")
	l.until("the second call is made", func() bool { return len(l.calls()) == 2 })
	submitted := l.status("feature/x").StartedAt
	a.end(syscall.SIGTERM)
	b := l.worker("b", "1")
	l.until("another host has it", func() bool { return len(l.calls()) == 3 })
	b.end(syscall.SIGTERM)
	l.fleet("pause", "feature/x")
	l.open("gate")
	l.worker("c", "1")
	l.until("it is paused", func() bool { return l.status("feature/x").State == "paused" })
	if n := len(l.calls()); n != 3 {
		t.Errorf("%d calls, want 3", n)
	}
	l.fleet("resume", "feature/x")
	l.until("it is done", func() bool { return l.status("feature/x").State == "done" })
	l.wantDone(bare, "feature/x")
	f := l.status("feature/x")
	if f.Standing.Last.Progress.Spent.Iterations != 3 || f.Standing.Turn < 3 || !f.StartedAt.Equal(submitted) {
		t.Errorf("%+v, submitted at %s", f, submitted)
	}
	if n := l.histories("ralph-feature"); n < 3 {
		t.Errorf("the feature has %d histories", n)
	}
	if out := l.fleet("list"); strings.Count(out, "feature/x") != 1 {
		t.Errorf("list shows each history:\n%s", out)
	}
}

// A stop that comes in while no worker is there is read together with the silence of
// the last one, where the feature would continue in a new history.
func TestStopAtTheEndOfAHistory(t *testing.T) {
	l := newLabWith(t, 4)
	bare := l.remote(map[string]string{"feature/x": script(atGate)})
	a := l.worker("a", "1")
	l.submit(bare, "feature/x")
	l.until("the first call is made", func() bool { return len(l.calls()) == 1 })
	a.end(syscall.SIGKILL)
	if out, err := l.try("stop", "--timeout", "1ms", "feature/x"); err == nil || !strings.Contains(out, "without a worker nothing ends") {
		t.Errorf("stop: %v\n%s", err, out)
	}
	l.until("the host is known to be silent", func() bool { return l.status("feature/x").State == "queued" })
	l.worker("b", "1")
	l.until("it is finished", func() bool { return l.status("feature/x").State == "stopped" })
	if n := len(l.calls()); n != 1 {
		t.Errorf("%d calls, want 1", n)
	}
}
