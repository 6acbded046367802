package proc

import "testing"

func TestHasEntry(t *testing.T) {
	tests := []struct {
		env  string
		want bool
	}{
		{"A=1\x00T=abc\x00B=2\x00", true},
		{"T=abc", true},
		{"T=abcd\x00", false},
		{"XT=abc\x00", false},
		{"A=T=abc\x00", false},
		{"", false},
	}
	for _, tt := range tests {
		if got := hasEntry([]byte(tt.env), "T=abc"); got != tt.want {
			t.Errorf("%q: %v", tt.env, got)
		}
	}
}
