package journal

import "testing"

// A line is the same after it was read, also one that cannot be read.
func TestUnmarshalLeavesTheLine(t *testing.T) {
	for _, line := range []string{
		`{"time":"2026-01-02T03:04:05Z","type":"warning","run":"r","message":"x"}`,
		`{"time":"2026-01-02T03:04:05Z","type":"","run":"r","message":"x"}`,
		`{"time":"yesterday","type":"warning","run":"r","message":"x"}`,
		`{"time":"2026-01-02T03:04:05Z","type":"unheard","run":"r","message":"x"}`,
	} {
		data := []byte(line)
		_ = new(Event).UnmarshalJSON(data)
		if string(data) != line {
			t.Errorf("%s became %s", line, data)
		}
	}
}
