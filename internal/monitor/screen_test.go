package monitor

import (
	"os"
	"testing"
)

// drawn is what the terminal is sent for these rows.
func drawn(t *testing.T, s *screen, rows ...string) string {
	t.Helper()
	r, w, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer r.Close()
	s.out = w
	err = s.draw(rows)
	w.Close()
	if err != nil {
		t.Fatal(err)
	}
	buf := make([]byte, 4096)
	n, _ := r.Read(buf)
	return string(buf[:n])
}

func TestScreenSendsWhatHasChanged(t *testing.T) {
	s := &screen{width: 20, height: 5}
	for _, c := range []struct {
		name string
		rows []string
		want string
	}{
		{"all of it", []string{"one", "two"}, "\x1b[0m\x1b[2J\x1b[1;1H\x1b[2Kone\x1b[0m\x1b[2;1H\x1b[2Ktwo\x1b[0m"},
		{"nothing", []string{"one", "two"}, ""},
		{"a row", []string{"one", "2"}, "\x1b[2;1H\x1b[2K2\x1b[0m"},
		{"a row less", []string{"one"}, "\x1b[2;1H\x1b[2K\x1b[0m"},
	} {
		if got := drawn(t, s, c.rows...); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
	s.resize(10, 5)
	if got := drawn(t, s, "one"); got != "\x1b[0m\x1b[2J\x1b[1;1H\x1b[2Kone\x1b[0m" {
		t.Errorf("at a new size: %q", got)
	}
}
