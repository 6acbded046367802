package ratelimit

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"net"
	"time"
)

// EnvShared names the variable with the Unix socket of a shared ledger, for an account that
// several hosts use. The server answers one request per connection, each a line of JSON.
const EnvShared = "RALPH_LEDGER"

// shortAnswer bounds questions that have no context. A Take may wait for long: the
// other side can be out of reach of the rest, and no call may be made meanwhile.
const shortAnswer = 15 * time.Second

// request is what the other side is asked.
type request struct {
	Op      string     `json:"op"` // take, peek, limited or settle
	Harness string     `json:"harness"`
	Run     string     `json:"run,omitempty"`
	Limit   int        `json:"limit"`           // of the calling loop; 0 for no limit
	Calls   int        `json:"calls,omitempty"` // settle: that the run has on record
	Until   *time.Time `json:"until,omitempty"` // limited: absent takes it back
	Note    string     `json:"note,omitempty"`  // limited: the provider's words
}

// response is its answer. Times are by the clock of this host.
type response struct {
	OK       bool      `json:"ok"`
	Used     int       `json:"used"`
	ResetsAt time.Time `json:"resetsAt"`
	Until    time.Time `json:"limitedUntil,omitzero"`
	Note     string    `json:"note,omitempty"`
	Error    string    `json:"error,omitempty"` // nothing was done
}

// OpenShared opens the ledger of the server at socket, or the ledger in dir if socket is
// empty. The other parameters are those of Open.
func OpenShared(socket, dir, harness string, limit int) *Ledger {
	l := Open(dir, harness, limit)
	l.socket, l.harness = socket, harness
	return l
}

// ask sends one request and waits for the answer, or for the end of ctx.
func (l *Ledger) ask(ctx context.Context, q request) (response, error) {
	q.Harness, q.Limit = l.harness, l.limit
	var r response
	conn, err := new(net.Dialer).DialContext(ctx, "unix", l.socket)
	if err != nil {
		return r, fmt.Errorf("the shared ledger of calls (%s) cannot be asked: %w", EnvShared, err)
	}
	defer conn.Close()
	defer context.AfterFunc(ctx, func() { _ = conn.SetDeadline(time.Unix(1, 0)) })()
	if err = json.NewEncoder(conn).Encode(q); err == nil {
		err = json.NewDecoder(bufio.NewReader(conn)).Decode(&r)
	}
	switch {
	case ctx.Err() != nil:
		return response{}, fmt.Errorf("wait for the shared ledger of calls: %w", context.Cause(ctx))
	case err != nil:
		return response{}, fmt.Errorf("the shared ledger of calls (%s) did not answer: %w", EnvShared, err)
	case r.Error != "":
		return response{}, fmt.Errorf("the shared ledger of calls: %s", r.Error)
	}
	return r, nil
}

func (l *Ledger) askShortly(q request) (response, error) {
	ctx, cancel := context.WithTimeout(context.Background(), shortAnswer)
	defer cancel()
	return l.ask(ctx, q)
}

// takeShared is Take on a shared ledger. If the provider refuses calls by now, the result sends
// the loop back at once, and it finds that out with LimitedUntil.
func (l *Ledger) takeShared(ctx context.Context, now time.Time) (Grant, error) {
	r, err := l.ask(ctx, request{Op: "take", Run: l.run})
	if err == nil && !r.OK && r.Until.After(now) {
		r.ResetsAt = now
	}
	return l.grantOf(r), err
}

func (l *Ledger) grantOf(r response) Grant {
	return Grant{OK: r.OK, Used: r.Used, Limit: l.limit, ResetsAt: r.ResetsAt.UTC()}
}

func (l *Ledger) setLimitedShared(ctx context.Context, until time.Time, note string) error {
	q := request{Op: "limited", Run: l.run, Note: shortNote(note)}
	if !until.IsZero() {
		q.Until = &until
	}
	_, err := l.ask(ctx, q)
	return err
}
