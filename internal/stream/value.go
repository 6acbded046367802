package stream

import (
	"bytes"
	"strings"
	"unicode/utf8"

	"github.com/valyala/fastjson"
)

// The helpers of this file read values of a line; nil is a value that is missing.
// What they return does not share memory with the line.

// text returns a string's content, without its middle where it is longer than limit
// bytes. It is empty for any other value.
func text(v *fastjson.Value, limit int) string {
	return string(cutMiddle(v.GetStringBytes(), limit))
}

// cutMiddle leaves out the middle of s where it is longer than limit bytes.
func cutMiddle(s []byte, limit int) []byte {
	// The assembler leaves slightly more than the limit.
	if len(s) <= limit+len(leftOut)+16 {
		return s
	}
	head, tail := limit/2, len(s)-limit/2
	for head > 0 && !utf8.RuneStart(s[head]) {
		head--
	}
	for tail < len(s) && !utf8.RuneStart(s[tail]) {
		tail++
	}
	return bytes.Join([][]byte{s[:head], s[tail:]}, []byte(leftOut))
}

// firstLine returns the first line of a string that is not empty, bounded.
func firstLine(v *fastjson.Value) string {
	s, _, _ := bytes.Cut(bytes.TrimLeft(v.GetStringBytes(), "\n"), []byte("\n"))
	if len(s) > maxDetail {
		return strings.ToValidUTF8(string(s[:maxDetail]), "")
	}
	return string(s)
}

// is reports whether v is this string.
func is(v *fastjson.Value, s string) bool { return string(v.GetStringBytes()) == s }

// encoded returns a value as JSON.
func encoded(v *fastjson.Value) []byte {
	if v == nil {
		return nil
	}
	return v.MarshalTo(nil)
}

func isString(v *fastjson.Value) bool { return v != nil && v.Type() == fastjson.TypeString }
func isNumber(v *fastjson.Value) bool { return v != nil && v.Type() == fastjson.TypeNumber }

// number returns a number, 0 for any other value and beyond what a count can be.
func number(v *fastjson.Value) float64 {
	n := v.GetFloat64()
	if n > 1e18 || n < -1e18 {
		return 0
	}
	return n
}

// count returns a number that cannot be negative.
func count(v *fastjson.Value) int64 { return max(0, int64(number(v))) }
