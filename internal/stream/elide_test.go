package stream

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/tidwall/gjson"
)

// assemble puts a line together from pieces of that size.
func assemble(data []byte, piece int) ([]byte, bool) {
	var a assembler
	for len(data) > 0 {
		n := min(piece, len(data))
		a.add(data[:n])
		data = data[n:]
	}
	return a.take()
}

func TestAssemblerKeepsManyLongStrings(t *testing.T) {
	var line strings.Builder
	line.WriteString(`{"list":[`)
	for range 60 {
		line.WriteString(`"` + strings.Repeat(`a\"b`, 100_000) + `",`)
	}
	line.WriteString(`0],"type":"result","n":42}`)
	got, ok := assemble([]byte(line.String()), 5000)
	if !ok || !gjson.ValidBytes(got) {
		t.Fatalf("given up %v, %d bytes", !ok, len(got))
	}
	if n := gjson.GetBytes(got, "n").Int(); n != 42 || gjson.GetBytes(got, "list.#").Int() != 61 || len(got) > maxLine {
		t.Errorf("n is %d, %d bytes kept", n, len(got))
	}
}

func TestBoundary(t *testing.T) {
	tests := []struct {
		raw      string
		at, want int
	}{
		{`abc`, 2, 2}, {`a\nb`, 2, 1}, {`a\\nb`, 3, 3}, {`a\\nb`, 2, 1}, {`\u00e9x`, 3, 0}, {`\u00e9x`, 6, 6},
		{`\ud83d\ude00x`, 6, 0}, {`\ud83d\ude00x`, 9, 0}, {`\ud83d\ude00x`, 12, 12}, {`\\ud83dx`, 7, 7},
		{"aéb", 2, 1}, {"a😀b", 4, 1}, {"\x80\x80\x80\x80\x80\x80", 5, 1}, {`abc`, 9, 3}, {`abc`, -1, 0},
	}
	for _, tt := range tests {
		if got := boundary([]byte(tt.raw), tt.at); got != tt.want {
			t.Errorf("%q at %d: %d, want %d", tt.raw, tt.at, got, tt.want)
		}
	}
}

// What is left of a valid line must be valid, and its small fields the same.
func FuzzAssembler(f *testing.F) {
	f.Add("plain text", 90_000, uint16(100))
	f.Add(`quote " back \ slash \\"`, 90_000, uint16(4096))
	f.Add("é😀\u2028\x00\n\t", 120_000, uint16(1))
	f.Add("\\", 1_500_000, uint16(65535))
	f.Fuzz(func(t *testing.T, seed string, repeat int, piece uint16) {
		if seed == "" || repeat < 0 || len(seed)*repeat > 8<<20 {
			t.Skip()
		}
		text := strings.Repeat(seed, repeat)
		line, err := json.Marshal(map[string]any{
			"a": seed[:min(len(seed), 100)], "b": text, "c": []any{text, 1.5, map[string]any{"d": text}}, "e": "end", "f": text,
		})
		if err != nil {
			t.Skip()
		}
		got, ok := assemble(line, int(piece)+64)
		if !ok {
			t.Fatalf("line of %d bytes given up", len(line))
		}
		if !json.Valid(got) {
			t.Fatalf("no JSON any more: %d of %d bytes", len(got), len(line))
		}
		for _, path := range []string{"a", "c.1", "e", "c.#"} {
			if want, have := gjson.GetBytes(line, path), gjson.GetBytes(got, path); want.Raw != have.Raw {
				t.Errorf("%s: %s, want %s", path, have.Raw, want.Raw)
			}
		}
		if len(got) > 6<<20 {
			t.Errorf("%d bytes kept", len(got))
		}
	})
}
