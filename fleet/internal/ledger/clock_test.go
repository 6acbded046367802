package ledger

import (
	"context"
	"encoding/json"
	"fmt"
	"net"
	"testing"
	"time"

	"go.temporal.io/sdk/client"
	"go.temporal.io/sdk/converter"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/feature"
)

// account is as much of the engine as a ledger asks: one account by a clock of its own.
type account struct {
	client.Client
	clock  func() time.Time
	limits chan feature.Limit
	known  feature.Account
}

func (a *account) NewWithStartWorkflowOperation(client.StartWorkflowOptions, any, ...any) client.WithStartWorkflowOperation {
	return nil
}

func (a *account) UpdateWithStartWorkflow(_ context.Context, o client.UpdateWithStartWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	now := a.clock()
	switch arg := o.UpdateOptions.Args[0].(type) {
	case feature.Take:
		return handle{reply: reply{feature.Grant{OK: true, Used: 1, ResetsAt: now.Add(20 * time.Minute), Limited: now.Add(time.Hour), Now: now}}}, nil
	case feature.Limit:
		a.limits <- arg
		return handle{}, nil
	}
	return nil, fmt.Errorf("%s is not asked for here", o.UpdateOptions.UpdateName)
}

func (a *account) QueryWorkflow(context.Context, string, string, string, ...any) (converter.EncodedValue, error) {
	return reply{a.known}, nil
}

// reply is an answer to a query.
type reply struct{ value any }

func (r reply) HasValue() bool { return r.value != nil }

func (r reply) Get(to any) error {
	text, err := json.Marshal(r.value)
	if err != nil {
		return err
	}
	return json.Unmarshal(text, to)
}

// handle is the answer to an update.
type handle struct {
	client.WorkflowUpdateHandle
	reply
}

func (h handle) Get(_ context.Context, to any) error {
	if to == nil {
		return nil
	}
	return h.reply.Get(to)
}

func question(t *testing.T, s *Server, q request) (r response) {
	t.Helper()
	conn, err := net.Dial("unix", s.Socket())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	if err := json.NewEncoder(conn).Encode(q); err != nil {
		t.Fatal(err)
	}
	if err := json.NewDecoder(conn).Decode(&r); err != nil || r.Error != "" {
		t.Fatalf("%+v, %v", r, err)
	}
	return r
}

// A host with a wrong clock gives its loops times by their clock, and the account times by the
// server's.
func TestClocksThatDiffer(t *testing.T) {
	for _, skew := range []time.Duration{0, time.Hour, -time.Hour} {
		t.Run(skew.String(), func(t *testing.T) {
			server := func() time.Time { return time.Now().Add(-skew) }
			a := &account{clock: server, limits: make(chan feature.Limit, 1),
				known: feature.Account{Hours: map[string]int{feature.Hour(server()): 7}, Limited: server().Add(30 * time.Minute)}}
			s, err := Serve(t.Context(), engine.Engine{Client: a}, "default", "a", func(string) {})
			if err != nil {
				t.Fatal(err)
			}
			defer s.Close()
			s.SetSkew(skew)
			near := func(what string, got, want time.Time) {
				t.Helper()
				if got.Sub(want).Abs() > time.Minute {
					t.Errorf("%s is %s, want %s", what, got, want)
				}
			}
			r := question(t, s, request{Op: "take", Run: "x"})
			near("the reset of a take", r.ResetsAt, time.Now().Add(20*time.Minute))
			near("the limit of a take", r.Until, time.Now().Add(time.Hour))
			r = question(t, s, request{Op: "peek"})
			near("the limit of a peek", r.Until, time.Now().Add(30*time.Minute))
			if r.Used != 7 {
				t.Errorf("%d calls in this hour, want 7", r.Used)
			}
			until := time.Now().Add(2 * time.Hour)
			question(t, s, request{Op: "limited", Until: &until})
			near("the account's limit", (<-a.limits).Until, server().Add(2*time.Hour))
		})
	}
}
