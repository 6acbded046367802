package proc

import (
	"os"
	"testing"
)

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

func TestIsAncestor(t *testing.T) {
	parent, err := readEntry(os.Getppid())
	if err != nil {
		t.Fatal(err)
	}
	self, err := Self()
	if err != nil {
		t.Fatal(err)
	}
	first := parent // in a container that may be ralph itself
	for first.ppid > 0 {
		next, err := readEntry(first.ppid)
		if err != nil {
			break
		}
		first = next
	}
	for _, c := range []struct {
		name string
		id   ID
		want bool
	}{
		{"the parent", parent.id, true},
		{"the first of all", first.id, true},
		{"another one of its number", ID{PID: parent.id.PID, Start: "x"}, false},
		{"itself", self, false},
		{"nobody", ID{}, false},
	} {
		if got := c.id.IsAncestor(); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}
