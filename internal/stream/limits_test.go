package stream

import (
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// TestLimitsOfAnAccount: each window keeps its last state, and a bare "allowed" adds
// nothing.
func TestLimitsOfAnAccount(t *testing.T) {
	at := time.Unix(1795233600, 0).UTC()
	for _, c := range []struct {
		name, stream string
		want         []Limit
	}{
		{"nothing said", `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","isUsingOverage":false}}`, nil},
		{"the last word counts", `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","rateLimitType":"five_hour","utilization":0.5}}
{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","rateLimitType":"five_hour","utilization":0.93,"resetsAt":1795233600}}
{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","rateLimitType":"seven_day","resetsAt":1795233600}}`, []Limit{
			{Window: "five_hour", Utilization: 0.93, ResetsAt: at},
			{Window: "seven_day", Utilization: -1, ResetsAt: at, Rejected: true},
		}},
		{"all windows at once", `{"type":"rate_limit_event","rate_limit_info":{"status":"allowed","unifiedWindows":{"five_hour":{"utilization":0.1,"resetsAt":1795233600},"seven_day":{"utilization":0.2}}}}`, []Limit{
			{Window: "five_hour", Utilization: 0.1, ResetsAt: at}, {Window: "seven_day", Utilization: 0.2},
		}},
		{"nonsense", `{"type":"rate_limit_event","rate_limit_info":{"rateLimitType":"x","utilization":4e8}}`, nil},
	} {
		t.Run(c.name, func(t *testing.T) {
			r := NewReader(FormatClaude, nil)
			_, _ = r.Write([]byte(c.stream + "\n"))
			r.Close()
			if diff := cmp.Diff(c.want, r.Summary().Limits); diff != "" {
				t.Error(diff)
			}
		})
	}
}

// TestCodexWaitsForANetwork: it reports retries as errors, and continues.
func TestCodexWaitsForANetwork(t *testing.T) {
	r := NewReader(FormatCodex, nil)
	_, _ = r.Write([]byte(`{"type":"error","message":"Reconnecting... 5/5 (stream disconnected before completion)"}
{"type":"error","message":"Reconnecting... waiting for network (Connection failed: error sending request)"}
`))
	r.Close()
	sum := r.Summary()
	if sum.Retries != 2 || sum.LastError != "" || sum.ErrorClass != "Connection failed: error sending request" {
		t.Errorf("%d retries, error %q, class %q", sum.Retries, sum.LastError, sum.ErrorClass)
	}
}
