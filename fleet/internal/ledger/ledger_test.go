package ledger

import (
	"context"
	"encoding/json"
	"net"
	"testing"
	"time"

	"go.temporal.io/sdk/client"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/feature"
)

// far is an account that does not finish a take until no one waits for it.
type far struct {
	account
	asked  chan feature.Take
	voided chan feature.Take
}

func (f *far) UpdateWithStartWorkflow(ctx context.Context, o client.UpdateWithStartWorkflowOptions) (client.WorkflowUpdateHandle, error) {
	take := o.UpdateOptions.Args[0].(feature.Take)
	if o.UpdateOptions.UpdateName == feature.UpdateVoid {
		f.voided <- take
		return handle{}, nil
	}
	f.asked <- take
	<-ctx.Done()
	return nil, ctx.Err()
}

// A loop is ended while its call is asked for: the call is undone, because the
// account may have counted it.
func TestLoopThatGoesBeforeItsAnswer(t *testing.T) {
	f := &far{asked: make(chan feature.Take, 1), voided: make(chan feature.Take, 1)}
	s, err := Serve(t.Context(), engine.Engine{Client: f}, "default", "a", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	conn, err := net.Dial("unix", s.Socket())
	if err != nil {
		t.Fatal(err)
	}
	if err := json.NewEncoder(conn).Encode(request{Op: "take", Run: "x"}); err != nil {
		t.Fatal(err)
	}
	asked := <-f.asked
	conn.Close()
	select {
	case voided := <-f.voided:
		if voided != asked {
			t.Errorf("%+v is taken back, %+v was asked for", voided, asked)
		}
	case <-time.After(time.Minute):
		t.Error("the call is not taken back")
	}
}

// A call that was asked for before the host was cut off, and granted when it was back, is
// not made before the host knows that the feature is its own.
func TestCallOfAHostThatWasCutOff(t *testing.T) {
	a := &account{clock: time.Now}
	s, err := Serve(t.Context(), engine.Engine{Client: a}, "default", "a", func(string) {})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	s.SetCutOff("x", true)
	s.SetCutOff("y", true)
	answered := make(chan response)
	go func() { answered <- question(t, s, request{Op: "take", Run: "r"}) }()
	s.SetCutOff("x", false)
	select {
	case r := <-answered:
		t.Errorf("%+v while a feature is cut off", r)
	case <-time.After(100 * time.Millisecond):
		s.SetCutOff("y", false)
		if r := <-answered; !r.OK {
			t.Errorf("%+v", r)
		}
	}
}
