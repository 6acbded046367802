package ratelimit

import (
	"context"
	"encoding/json"
	"errors"
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// ledgerOf listens as a shared ledger does, and answers each request with a line.
// A nil answer leaves the one who asks waiting.
func ledgerOf(t *testing.T, answer func(map[string]any) any) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "ledger") // t.TempDir can be too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(dir) })
	socket := filepath.Join(dir, "s")
	listener, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			t.Cleanup(func() { conn.Close() })
			var q map[string]any
			if json.NewDecoder(conn).Decode(&q) != nil {
				continue
			}
			if a := answer(q); a != nil {
				_ = json.NewEncoder(conn).Encode(a)
			}
		}
	}()
	return socket
}

func TestSharedLedgerIsAsked(t *testing.T) {
	var asked []map[string]any
	until := noon.Add(time.Hour)
	socket := ledgerOf(t, func(q map[string]any) any {
		asked = append(asked, q)
		return map[string]any{"ok": true, "used": 7, "resetsAt": until, "limitedUntil": until, "note": "session limit"}
	})
	dir := filepath.Join(t.TempDir(), "none")
	l := OpenShared(socket, dir, "claude", 9).For("run")
	want := Grant{OK: true, Used: 7, Limit: 9, ResetsAt: until}
	if diff := cmp.Diff(want, take(t, l, noon)); diff != "" {
		t.Error(diff)
	}
	if got, err := l.Peek(noon); err != nil || got != want {
		t.Errorf("Peek = %+v, %v", got, err)
	}
	if at, note, err := l.LimitedUntil(noon); !at.Equal(until) || note != "session limit" || err != nil {
		t.Errorf("LimitedUntil = %v, %q, %v", at, note, err)
	}
	if at, _, err := l.LimitedUntil(until); !at.IsZero() || err != nil {
		t.Errorf("LimitedUntil at its end = %v, %v", at, err)
	}
	for _, at := range []time.Time{until, {}} {
		if err := l.SetLimited(t.Context(), at, "words"); err != nil {
			t.Error(err)
		}
	}
	if err := l.settle(t.Context(), "dead", 3); err != nil {
		t.Error(err)
	}
	wantAsked := []map[string]any{
		{"op": "take", "harness": "claude", "limit": 9.0, "run": "run"},
		{"op": "peek", "harness": "claude", "limit": 9.0},
		{"op": "peek", "harness": "claude", "limit": 9.0},
		{"op": "peek", "harness": "claude", "limit": 9.0},
		{"op": "limited", "harness": "claude", "limit": 9.0, "run": "run", "until": until.Format(time.RFC3339), "note": "words"},
		{"op": "limited", "harness": "claude", "limit": 9.0, "run": "run", "note": "words"},
		{"op": "settle", "harness": "claude", "limit": 9.0, "run": "dead", "calls": 3.0},
	}
	if diff := cmp.Diff(wantAsked, asked); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(dir); err == nil {
		t.Error("the file of the host's own ledger was made, too")
	}
}

// A loop that is refused because of the provider's limit must not wait for the hour.
func TestSharedRefusalAtTheLimitIsLookedAtAgain(t *testing.T) {
	socket := ledgerOf(t, func(map[string]any) any {
		return map[string]any{"ok": false, "resetsAt": noon.Add(time.Hour), "limitedUntil": noon.Add(3 * time.Hour)}
	})
	if g := take(t, OpenShared(socket, "", "claude", 0), noon); g.OK || !g.ResetsAt.Equal(noon) {
		t.Errorf("Take = %+v", g)
	}
}

func TestSharedLedgerThatCannotBeAsked(t *testing.T) {
	refuse := ledgerOf(t, func(map[string]any) any { return map[string]any{"error": "no account"} })
	broken := ledgerOf(t, func(map[string]any) any { return "?" })
	for socket, want := range map[string]string{refuse: "no account", broken: "did not answer", "/nowhere/s": "cannot be asked"} {
		_, err := OpenShared(socket, t.TempDir(), "claude", 0).Take(t.Context(), noon)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("Take = %v, want %q", err, want)
		}
	}
	silent := ledgerOf(t, func(map[string]any) any { return nil })
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := OpenShared(silent, "", "claude", 0).Take(ctx, noon); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("Take = %v, want the end of its context", err)
	}
}
