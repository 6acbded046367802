package events

import (
	"strings"
	"testing"

	"ralph/fleet/internal/feature"
)

const lines = `{"time":"2026-11-21T14:02:03.456Z","type":"run_started","run":"r","unit":"feature-x","maxIterations":20,"stallThreshold":3,"sameError":5,"harness":"claude","stories":[{"id":"S-1","title":"a","done":true},{"id":"S-2","title":"b","done":false}]}
{"time":"2026-11-21T14:02:04Z","type":"iteration_started","run":"r","iteration":1,"story":{"id":"S-2","title":"b\u001b[31m","done":false}}
{"time":"2026-11-21T14:02:04Z","type":"attempt_started","run":"r","iteration":1}
{"time":"2026-11-21T14:02:05Z","type":"story_proved","run":"r","story":"S-2"}
{"time":"2026-11-21T14:02:05Z","type":"attempt_ended","run":"r","iteration":1,"outcome":"ok","tokens":{"input":10,"output":5,"cacheRead":1,"cacheWrite":2},"costUsd":0.5}
{"time":"2026-11-21T14:02:06Z","type":"iteration_ended","run":"r","iteration":1,"outcome":"ok","commits":["0123456789abcdef"],"storiesPassed":["S-2"],"storiesComplete":2,"storiesTotal":2,"progress":true,"noProgress":0,"sameError":0,"tokens":{"input":10}}
not json
{"time":"2026-11-21T14:02:07Z","type":"iteration_ended","run":"r","iteration":2,"outcome":"interrupted"}
`

func TestCountAndFollow(t *testing.T) {
	var s feature.Spent
	var p feature.Progress
	var words []string
	n := 0
	for line := range strings.Lines(lines) {
		e, ok := Parse([]byte(line))
		if !ok {
			continue
		}
		n++
		Count(&s, e)
		Follow(&p, e)
		words = append(words, e.Words())
	}
	want := feature.Spent{Runs: 1, Iterations: 1, Calls: 1, Commits: 1, Tokens: feature.Tokens{Input: 10, Output: 5, CacheRead: 1, CacheWrite: 2}, CostUSD: 0.5,
		Limits: feature.Limits{MaxIterations: 20, Stall: 3, SameError: 5}}
	if n != 7 || s != want {
		t.Errorf("%d events, %+v", n, s)
	}
	if p.Story != "S-2" || p.Status != "running" {
		t.Errorf("%+v", p)
	}
	all := strings.Join(words, "\n")
	if strings.Contains(all, "\x1b") || !strings.Contains(all, "14:02:06 iteration 1 ended: ok, 2/2 done, passed S-2, commits 012345678") {
		t.Errorf("in words:\n%s", all)
	}
}

func FuzzParse(f *testing.F) {
	for line := range strings.Lines(lines) {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		e, ok := Parse(line)
		if !ok {
			return
		}
		var s feature.Spent
		Count(&s, e)
		if words := e.Words(); strings.ContainsAny(words, "\n\x1b") {
			t.Errorf("%q says %q", line, words)
		}
	})
}
