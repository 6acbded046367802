package ledger

import (
	"context"
	"fmt"
	"maps"
	"net"
	"slices"

	"ralph/fleet/internal/feature"
)

// take answers with a call. Where the loop has gone meanwhile the call is undone: the
// workflow may have granted it, or hear of it only when this host is not cut off any more.
func (s *Server) take(ctx context.Context, conn net.Conn, q request) {
	t := feature.Take{Run: q.Run, Seq: s.number(q.Run), Limit: q.Limit, Host: s.host}
	var g feature.Grant
	err := s.insist(ctx, func(ctx context.Context) (err error) {
		g, err = s.keeper.Take(ctx, s.account, q.Harness, t)
		return err
	})
	if err == nil && g.OK {
		err = s.awaitBack(ctx)
	}
	failed := answer(conn, s.respond(g), err)
	if err == nil && (failed == nil || !g.OK) {
		return
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), voidLimit)
	defer cancel()
	if err := s.insist(ctx, func(ctx context.Context) error { return s.keeper.Void(ctx, s.account, q.Harness, t) }); err != nil {
		s.warn(fmt.Sprintf("a call that was not made may stay counted: %v", err))
	}
}

// number gives a take of a run its number, and forgets the run that took longest ago
// where there are many: no loop of it is running any more.
func (s *Server) number(run string) int {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.takes++
	s.runs[run] = s.takes
	if len(s.runs) > maxRuns {
		delete(s.runs, slices.MinFunc(slices.Collect(maps.Keys(s.runs)), func(a, b string) int { return s.runs[a] - s.runs[b] }))
	}
	return s.takes
}

// SetCutOff reports whether a feature of this host may be another one's by now, because the
// server has not been heard. What was asked for on its way is answered only when that is
// known: until then no loop may continue with a call.
func (s *Server) SetCutOff(feature string, is bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case is && len(s.cut) == 0:
		s.cut, s.back = map[string]bool{feature: true}, make(chan struct{})
	case is:
		s.cut[feature] = true
	case s.cut[feature]:
		if delete(s.cut, feature); len(s.cut) == 0 {
			close(s.back)
		}
	}
}

// awaitBack waits until no feature is cut off.
func (s *Server) awaitBack(ctx context.Context) error {
	for {
		s.mu.Lock()
		none, back := len(s.cut) == 0, s.back
		s.mu.Unlock()
		if none {
			return ctx.Err()
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-back:
		}
	}
}
