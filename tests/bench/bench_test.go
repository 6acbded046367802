package main

import (
	"encoding/xml"
	"os"
	"strings"
	"testing"
)

func TestMedian(t *testing.T) {
	for _, tt := range []struct {
		values []float64
		want   float64
	}{
		{nil, 0}, {[]float64{3}, 3}, {[]float64{9, 1, 5}, 5}, {[]float64{4, 1, 3, 2}, 2.5},
	} {
		if got := median(tt.values); got != tt.want {
			t.Errorf("median(%v) = %v, not %v", tt.values, got, tt.want)
		}
	}
}

func TestIsFork(t *testing.T) {
	for _, tt := range []struct {
		line string
		want bool
	}{
		{"12 clone(child_stack=NULL, flags=CLONE_VM|CLONE_VFORK|SIGCHLD) = 13", true},
		{"12 clone3({flags=CLONE_VM|CLONE_VFORK, exit_signal=SIGCHLD}, 88 <unfinished ...>", true},
		{"12 vfork( <unfinished ...>", true},
		{"12 <... clone3 resumed>) = 13", false},
		{"12 clone(child_stack=0xc000080000, flags=CLONE_VM|CLONE_SIGHAND|CLONE_THREAD) = 14", false},
		{"12 +++ exited with 0 +++", false},
	} {
		if got := isFork(tt.line); got != tt.want {
			t.Errorf("isFork(%q) = %v", tt.line, got)
		}
	}
}

func TestLimits(t *testing.T) {
	ratio := 3.0
	for name, tt := range map[string]struct {
		row  row
		want string
	}{
		"none":            {row{Value: 7}, ""},
		"value kept":      {row{Value: 7}.atMost(7), "ok"},
		"value over":      {row{Value: 7.1}.atMost(7), "over"},
		"ratio kept":      {row{Value: 99, Ratio: &ratio}.atMostTimes(4), "ok"},
		"ratio over":      {row{Value: 1, Ratio: &ratio}.atMostTimes(2), "over"},
		"no floor, limit": {row{Value: 1}.atMostTimes(2), "over"},
	} {
		if got := tt.row.verdict(); got != tt.want {
			t.Errorf("%s: %q, not %q", name, got, tt.want)
		}
	}
}

func TestSince(t *testing.T) {
	for name, tt := range map[string]struct {
		row  row
		old  *row
		want string
	}{
		"new":              {row{Value: 1}, nil, ""},
		"value":            {row{Value: 3}, &row{Value: 2}, "+50%"},
		"ratio, not value": {row{Value: 9, Ratio: new(2.0)}, &row{Value: 1, Ratio: new(4.0)}, "-50%"},
		"floor is new":     {row{Value: 9, Ratio: new(2.0)}, &row{Value: 9}, ""},
		"was nothing":      {row{Value: 1}, &row{}, ""},
	} {
		if got := tt.row.since(tt.old); got != tt.want {
			t.Errorf("%s: %q, not %q", name, got, tt.want)
		}
	}
}

func TestRenumber(t *testing.T) {
	for line, want := range map[string]string{
		`,"type":"iteration_ended","run":"r","iteration":7,"outcome":"ok"}`: `,"type":"iteration_ended","run":"r","iteration":2007,"outcome":"ok"}`,
		`,"type":"warning","run":"r","message":"no number"}`:                `,"type":"warning","run":"r","message":"no number"}`,
	} {
		if got := renumber(line, 2000); got != want {
			t.Errorf("renumber(%s) = %s", line, got)
		}
	}
}

// A recorded report must be what the next run compares with, and a plot that a
// browser can read.
func TestRecord(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.Mkdir("docs", 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(pageFile, []byte("before\n"+tableBegin+"old\n"+tableEnd+"\nafter\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := newReport()
	r.add("part", []row{row{Name: "a < b", Unit: "ms", Value: 6, Floor: new(2.0), Ratio: new(3.0)}.atMostTimes(5), {Name: "c", Value: 1}})
	for range 2 { // the second time over the first
		if err := r.record(); err != nil {
			t.Fatal(err)
		}
	}
	old, err := lastRecord()
	if err != nil || old.find(r.Rows[0]) == nil || *old.find(r.Rows[0]).Ratio != 3 {
		t.Errorf("%+v, %v", old, err)
	}
	page, err := os.ReadFile(pageFile)
	if text := string(page); err != nil || !strings.HasPrefix(text, "before\n<!--") || !strings.HasSuffix(text, "-->\nafter\n") ||
		strings.Count(text, "a < b") != 1 || strings.Contains(text, "old\n") {
		t.Errorf("%s, %v", page, err)
	}
	plot, err := os.ReadFile(plotFile)
	if err != nil {
		t.Fatal(err)
	}
	if err := xml.Unmarshal(plot, new(struct{})); err != nil || !strings.Contains(string(plot), "a &lt; b") || !strings.Contains(string(plot), "3.00x") {
		t.Errorf("%s, %v", plot, err)
	}
}
