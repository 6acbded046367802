package agent

import (
	"os"
	"path/filepath"
	"testing"

	"ralph/internal/stream"
)

// TestSalvage reads the second of two calls that share a log, cut off anywhere.
func TestSalvage(t *testing.T) {
	const (
		first   = `{"type":"result","subtype":"success","is_error":false,"usage":{"input_tokens":1000,"output_tokens":10}}` + "\n"
		opening = `{"type":"system","subtype":"init","session_id":"s","model":"m"}` + "\n"
		result  = `{"type":"result","subtype":"success","is_error":false,"total_cost_usd":0.5,"usage":{"input_tokens":7,"output_tokens":3}}` + "\n"
	)
	for _, c := range []struct {
		name, text, format string
		tokens             stream.Tokens
		cost               bool
		session            string
	}{
		{"all of it", opening + result, "claude", stream.Tokens{Input: 7, Output: 3}, true, "s"},
		{"its result is torn", opening + result[:60], "claude", stream.Tokens{}, false, "s"},
		{"nothing yet", "", "claude", stream.Tokens{}, false, ""},
		{"of a format that is not known", opening + result, "morse", stream.Tokens{}, false, ""},
	} {
		t.Run(c.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "log")
			if err := os.WriteFile(path, []byte(first+c.text), 0o600); err != nil {
				t.Fatal(err)
			}
			s, err := Salvage(path, int64(len(first)), c.format)
			if err != nil || s.Tokens != c.tokens || s.HasCost != c.cost || s.Session != c.session {
				t.Errorf("%+v, %v", s, err)
			}
		})
	}
	if s, err := Salvage(filepath.Join(t.TempDir(), "none"), 5, "claude"); err != nil || s.Tokens != (stream.Tokens{}) {
		t.Errorf("no log: %+v, %v", s, err)
	}
	if _, err := Salvage(t.TempDir(), 0, "claude"); err == nil {
		t.Error("a folder is no log")
	}
}
