// Package ledger lets the loops of a host ask the account's workflow for their calls:
// it listens on the socket that RALPH_LEDGER names. Until the workflow has answered,
// no call is made: a host that is cut off starts none.
package ledger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
	"sync"
	"time"

	"ralph/fleet/internal/engine"
	"ralph/fleet/internal/feature"
)

// Env is the variable that gives ralph the address of the ledger.
const Env = "RALPH_LEDGER"

const (
	retryStep = 2 * time.Second
	tryLimit  = 10 * time.Second // of one question to the engine
	peekLimit = 3 * time.Second  // of one that can do without an answer
	voidLimit = 15 * time.Second // of taking a call back
	maxRuns   = 1000             // runs that are known to be this worker's
)

// Server answers the loops of one host.
type Server struct {
	keeper  engine.Engine
	account string
	host    string
	warn    func(string) // trouble, for the worker's log

	listener net.Listener
	dir      string
	cancel   context.CancelFunc
	wg       sync.WaitGroup

	mu    sync.Mutex
	skew  time.Duration   // of this host's clock relative to the server's
	cut   map[string]bool // features
	back  chan struct{}   // closed when no feature is cut off any more
	takes int             // of all loops of this worker
	runs  map[string]int  // the last one of each run
}

// Serve listens on a new socket until Close.
func Serve(ctx context.Context, k engine.Engine, account, host string, warn func(string)) (*Server, error) {
	dir, err := os.MkdirTemp("", "ralph-fleet-") // below the workspace the name could be too long for a socket
	if err != nil {
		return nil, err
	}
	listener, err := net.Listen("unix", filepath.Join(dir, "ledger"))
	if err != nil {
		os.RemoveAll(dir)
		return nil, fmt.Errorf("the ledger's socket cannot be made: %w", err)
	}
	ctx, cancel := context.WithCancel(ctx)
	s := &Server{keeper: k, account: account, host: host, warn: warn, listener: listener, dir: dir, cancel: cancel, runs: map[string]int{}}
	s.wg.Go(func() { s.accept(ctx) })
	return s, nil
}

// Socket is what Env is set to.
func (s *Server) Socket() string { return s.listener.Addr().String() }

// Close ends all questions that are open.
func (s *Server) Close() {
	s.cancel()
	s.listener.Close()
	s.wg.Wait()
	os.RemoveAll(s.dir)
}

// SetSkew sets by how much this host's clock is ahead of the server's.
func (s *Server) SetSkew(d time.Duration) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.skew = d
}

func (s *Server) accept(ctx context.Context) {
	for {
		conn, err := s.listener.Accept()
		if err != nil {
			return
		}
		s.wg.Go(func() { s.serve(ctx, conn) })
	}
}

// request and response are the protocol of docs/fleet.md.
type request struct {
	Op      string     `json:"op"`
	Harness string     `json:"harness"`
	Run     string     `json:"run"`
	Limit   int        `json:"limit"`
	Calls   int        `json:"calls"`
	Until   *time.Time `json:"until"`
	Note    string     `json:"note"`
}

type response struct {
	OK       bool      `json:"ok"`
	Used     int       `json:"used"`
	ResetsAt time.Time `json:"resetsAt"`
	Until    time.Time `json:"limitedUntil,omitzero"`
	Note     string    `json:"note,omitempty"`
	Error    string    `json:"error,omitempty"`
}

// serve answers one question. The caller goes away when its run is stopped.
func (s *Server) serve(ctx context.Context, conn net.Conn) {
	defer conn.Close()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	defer context.AfterFunc(ctx, func() { conn.Close() })()
	decoder := json.NewDecoder(conn)
	var q request
	if decoder.Decode(&q) != nil {
		return
	}
	go func() { // ends when the other side, or this one, closes
		var more json.RawMessage
		_ = decoder.Decode(&more)
		cancel()
	}()
	if q.Op == "take" {
		s.take(ctx, conn, q)
		return
	}
	r, err := s.answer(ctx, q)
	_ = answer(conn, r, err)
}

// answer sends the answer.
func answer(conn net.Conn, r response, err error) error {
	if err != nil {
		r = response{Error: err.Error()}
	}
	return json.NewEncoder(conn).Encode(r)
}

func (s *Server) answer(ctx context.Context, q request) (response, error) {
	switch q.Op {
	case "peek":
		return s.peek(ctx, q), nil
	case "limited":
		l := feature.Limit{Note: q.Note, Host: s.host}
		if q.Until != nil {
			l.Until = q.Until.Add(-s.before())
		}
		return response{OK: true}, s.insist(ctx, func(ctx context.Context) error { return s.keeper.Limit(ctx, s.account, q.Harness, l) })
	case "settle":
		return response{OK: true}, s.settle(ctx, q)
	}
	return response{}, fmt.Errorf("%q is no operation", q.Op)
}

// peek reports what is known; where the server cannot be reached that is nothing.
func (s *Server) peek(ctx context.Context, q request) response {
	ctx, cancel := context.WithTimeout(ctx, peekLimit)
	defer cancel()
	a, err := s.keeper.Account(ctx, s.account, q.Harness)
	if err != nil {
		return response{}
	}
	now := time.Now().Add(-s.before())
	g := feature.Grant{Used: a.Hours[feature.Hour(now)], ResetsAt: now.Truncate(time.Hour).Add(time.Hour)}
	if a.Limited.After(now) {
		g.Limited, g.Note = a.Limited, a.Note
	}
	return s.respond(g)
}

// settle gives back what a run of this worker took and did not use. For other runs the journal
// here may be too old to decide: a host may have died after making calls.
func (s *Server) settle(ctx context.Context, q request) error {
	s.mu.Lock()
	_, mine := s.runs[q.Run]
	s.mu.Unlock()
	if !mine {
		return nil
	}
	return s.insist(ctx, func(ctx context.Context) error {
		return s.keeper.Settle(ctx, s.account, q.Harness, feature.Settle{Run: q.Run, Calls: q.Calls})
	})
}

// respond brings the server's times to this host's clock.
func (s *Server) respond(g feature.Grant) response {
	r := response{OK: g.OK, Used: g.Used, ResetsAt: g.ResetsAt.Add(s.before()), Note: g.Note}
	if !g.Limited.IsZero() {
		r.Until = g.Limited.Add(s.before())
	}
	return r
}

func (s *Server) before() time.Duration {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.skew
}

// insist tries until it works or no one waits any more: a loop must not end because
// its host is cut off for a while.
func (s *Server) insist(ctx context.Context, try func(context.Context) error) error {
	for {
		once, cancel := context.WithTimeout(ctx, tryLimit)
		err := try(once)
		cancel()
		if err == nil || ctx.Err() != nil {
			return errors.Join(err, ctx.Err())
		}
		s.warn(fmt.Sprintf("no agent is called until the ledger of calls can be reached: %v", err))
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(retryStep):
		}
	}
}
