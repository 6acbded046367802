package main

import (
	"os"
	"path/filepath"
	"testing"
)

func TestSeekEnd(t *testing.T) {
	for _, tt := range []struct {
		text string
		most int64
		from int64
		all  bool
	}{
		{"one\ntwo\nthree\n", 100, 0, true},
		{"one\ntwo\nthree\n", 8, 8, false},
		{"one\ntwo\nthree\n", 6, 8, false},
		{"one\ntwo\nthree\n", 5, 14, false},
		{"one\ntwo\nthree\n", 10, 4, false},
		{"one\ntwo\nthree\n", 9, 8, false},
		{"a line without an end", 5, 16, false},
		{"", 5, 0, true},
	} {
		path := filepath.Join(t.TempDir(), "log")
		if err := os.WriteFile(path, []byte(tt.text), 0o600); err != nil {
			t.Fatal(err)
		}
		f, err := os.Open(path)
		if err != nil {
			t.Fatal(err)
		}
		all, err := seekEnd(f, tt.most)
		from, _ := f.Seek(0, 1)
		f.Close()
		if err != nil || all != tt.all || from != tt.from {
			t.Errorf("%q, %d: from %d, all %v, %v; want %d, %v", tt.text, tt.most, from, all, err, tt.from, tt.all)
		}
	}
}
