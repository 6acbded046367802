package journal

import (
	"cmp"
	"encoding/json"
	"time"

	"ralph/internal/stream"
)

// Text is a string that is null in JSON if empty.
type Text string

// MarshalJSON implements json.Marshaler.
func (t Text) MarshalJSON() ([]byte, error) {
	if t == "" {
		return []byte("null"), nil
	}
	return json.Marshal(string(t))
}

// Time is a time in UTC that is null in JSON if zero.
type Time struct{ time.Time }

// MarshalJSON implements json.Marshaler.
func (t Time) MarshalJSON() ([]byte, error) {
	if t.IsZero() {
		return []byte("null"), nil
	}
	return t.UTC().AppendFormat(nil, `"`+timeLayout+`"`), nil
}

// PID is a process id that is null in JSON if zero.
type PID int

// MarshalJSON implements json.Marshaler.
func (p PID) MarshalJSON() ([]byte, error) {
	if p == 0 {
		return []byte("null"), nil
	}
	return json.Marshal(int(p))
}

// TimePtr returns a time for a key that may be missing; nil for the zero time.
func TimePtr(t time.Time) *time.Time {
	if t.IsZero() {
		return nil
	}
	t = t.UTC()
	return &t
}

// Tokens is what calls of an agent used.
type Tokens = stream.Tokens

// AddCost adds two costs; each may be unknown.
func AddCost(a, b *float64) *float64 {
	if a == nil || b == nil {
		return cmp.Or(a, b)
	}
	sum := stream.AddCost(*a, *b)
	return &sum
}
