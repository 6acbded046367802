package main

import "testing"

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
