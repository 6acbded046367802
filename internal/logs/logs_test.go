package logs

import (
	"bytes"
	"io"
	"strings"
	"testing"
)

func TestTail(t *testing.T) {
	n := func(n int) *int { return &n }
	long := strings.Repeat("y", 100<<10)
	for _, tt := range []struct {
		text  string
		lines *int
		want  string
	}{
		{"a\nb\nc\n", nil, "a\nb\nc\n"},
		{"a\nb\nc\n", n(0), ""},
		{"a\nb\nc\n", n(1), "c\n"},
		{"a\nb\nc", n(2), "b\nc"},
		{"a\nb\n", n(9), "a\nb\n"},
		{"", n(3), ""},
		{"\n\n\n", n(2), "\n\n"},
		{"a\n" + long + "\n" + long, n(2), long + "\n" + long},
		{strings.Repeat("b\n", 1000) + "c", n(3), "b\nb\nc"},
	} {
		var out bytes.Buffer
		w := newTail(&out, tt.lines)
		for piece := range strings.SplitAfterSeq(tt.text, "b") {
			if _, err := io.WriteString(w, piece); err != nil {
				t.Fatal(err)
			}
		}
		if err := w.release(); err != nil || out.String() != tt.want {
			t.Errorf("%.20q: %.20q, %v", tt.text, out.String(), err)
		}
	}
}

func TestLastBytes(t *testing.T) {
	for _, tt := range []struct {
		text  string
		most  int64
		want  string
		whole bool
	}{
		{"one\ntwo\nthree\n", 100, "one\ntwo\nthree\n", true},
		{"one\ntwo\nthree\n", 8, "three\n", false},
		{"one\ntwo\nthree\n", 6, "three\n", false},
		{"one\ntwo\nthree\n", 5, "", false},
		{"one\ntwo\nthree\n", 10, "two\nthree\n", false},
		{"one\ntwo\nthree\n", 9, "three\n", false},
		{"a line without an end", 5, "", false},
		{"", 5, "", true},
	} {
		r, whole, err := lastBytes(strings.NewReader(tt.text), int64(len(tt.text)), tt.most)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := io.ReadAll(r); err != nil || string(got) != tt.want || whole != tt.whole {
			t.Errorf("%q, %d: %q, whole %v, %v; want %q, %v", tt.text, tt.most, got, whole, err, tt.want, tt.whole)
		}
	}
}
