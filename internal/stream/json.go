package stream

import (
	"bytes"
	"iter"
	"strconv"

	"github.com/tidwall/gjson"
)

// value is the raw text of one JSON value inside a line; nil is "not there".
// Streams are mostly long strings that nobody asks for, so values are skipped
// by looking for the closing quote only, and decoded when they are read.
// gjson finds a field as fast, but does not notice a torn line, and its
// validation takes three times as long on lines with 20 KB of source code.
type value []byte

// parseObject splits one line into its top-level members, appended to into.
// It checks that strings and brackets close and that nothing follows the
// object, which is what a torn line gets wrong; it is no full validation.
func parseObject(line []byte, into []member) ([]member, bool) {
	if len(line) == 0 || line[0] != '{' {
		return into, false
	}
	i := skipSpace(line, 1)
	if i < len(line) && line[i] == '}' {
		return into, i == len(line)-1
	}
	for i < len(line) {
		m, next, ok := parseMember(line, i)
		if !ok {
			return into, false
		}
		into = append(into, m)
		i = skipSpace(line, next)
		switch {
		case i >= len(line):
			return into, false
		case line[i] == '}':
			return into, i == len(line)-1
		case line[i] != ',':
			return into, false
		}
		i = skipSpace(line, i+1)
	}
	return into, false
}

// member is one key of an object, without its quotes, and its value.
type member struct {
	key []byte
	val value
}

// parseMember reads `"key": value` at b[i:] and returns where it ends.
func parseMember(b []byte, i int) (m member, next int, ok bool) {
	if i >= len(b) || b[i] != '"' {
		return m, i, false
	}
	end := skipString(b, i+1)
	if end < 0 {
		return m, i, false
	}
	m.key = b[i+1 : end-1]
	i = skipSpace(b, end)
	if i >= len(b) || b[i] != ':' {
		return m, i, false
	}
	i = skipSpace(b, i+1)
	end = skipValue(b, i)
	if end <= i {
		return m, i, false
	}
	m.val = value(b[i:end])
	return m, end, true
}

// from is the value behind a key of an object, and all of v that follows it: where
// the value ends is only known when all of it was read. It is for what is read from
// its beginning, with [value.objects].
func (v value) from(want string) value {
	if len(v) == 0 || v[0] != '{' {
		return nil
	}
	for i := skipSpace(v, 1); i < len(v) && v[i] == '"'; i = skipSpace(v, i) {
		end := skipString(v, i+1)
		if end < 0 {
			return nil
		}
		key := v[i+1 : end-1]
		if i = skipSpace(v, end); i >= len(v) || v[i] != ':' {
			return nil
		}
		i = skipSpace(v, i+1)
		if string(key) == want {
			return v[i:]
		}
		if end = skipValue(v, i); end < 0 {
			return nil
		}
		if i = skipSpace(v, end); i >= len(v) || v[i] != ',' {
			return nil
		}
		i++
	}
	return nil
}

// objects reads an array of objects once, however long they are: it calls member
// for each member of an object and end behind the last one. Elements that are no
// objects are passed over. What follows the array in v does not matter.
func (v value) objects(member func(key []byte, val value), end func()) {
	if len(v) == 0 || v[0] != '[' {
		return
	}
	for i := skipSpace(v, 1); i < len(v); i = skipSpace(v, i) {
		if v[i] != '{' {
			if i = skipValue(v, i); i < 0 {
				return
			}
		} else if i = v.object(i, member); i < 0 {
			return
		} else {
			end()
		}
		if i = skipSpace(v, i); i >= len(v) || v[i] != ',' {
			return
		}
		i++
	}
}

// object calls member for each member of the object that begins at v[i], and
// returns its end, or -1.
func (v value) object(i int, member func(key []byte, val value)) int {
	for i = skipSpace(v, i+1); i < len(v) && v[i] != '}'; i = skipSpace(v, i) {
		m, next, ok := parseMember(v, i)
		if !ok {
			return -1
		}
		member(m.key, m.val)
		if i = skipSpace(v, next); i < len(v) && v[i] == ',' {
			i++
		}
	}
	if i >= len(v) {
		return -1
	}
	return i + 1
}

// skipSpace returns the index of the first byte at or after i that is no space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// skipValue returns the end of the value that starts at b[i], or -1.
func skipValue(b []byte, i int) int {
	if i >= len(b) {
		return -1
	}
	switch b[i] {
	case '"':
		return skipString(b, i+1)
	case '{', '[':
		return skipNested(b, i)
	}
	start := i
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			return i
		case '"', ':', '{', '[':
			return -1
		}
		i++
	}
	if i == start {
		return -1
	}
	return i
}

// skipNested returns the end of the object or array that starts at b[i], or -1.
func skipNested(b []byte, i int) int {
	depth := 0
	for i < len(b) {
		switch b[i] {
		case '"':
			if i = skipString(b, i+1); i < 0 {
				return -1
			}
			continue
		case '{', '[':
			depth++
		case '}', ']':
			if depth--; depth == 0 {
				return i + 1
			}
		}
		i++
	}
	return -1
}

// skipString returns the index behind the closing quote of the string whose
// content starts at b[i], or -1.
func skipString(b []byte, i int) int {
	start := i
	for {
		n := bytes.IndexByte(b[i:], '"')
		if n < 0 {
			return -1
		}
		i += n
		if i == start || b[i-1] != '\\' || backslashes(b[start:i])%2 == 0 {
			return i + 1
		}
		i++
	}
}

// backslashes counts the backslashes that b ends with.
func backslashes(b []byte) int {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n
}

// members yields the members of an object, and nothing for any other value.
func (v value) members() iter.Seq2[[]byte, value] {
	return func(yield func([]byte, value) bool) {
		if len(v) == 0 || v[0] != '{' {
			return
		}
		for i := skipSpace(v, 1); i < len(v); i = skipSpace(v, i) {
			m, next, ok := parseMember(v, i)
			if !ok || !yield(m.key, m.val) {
				return
			}
			if i = skipSpace(v, next); i >= len(v) || v[i] != ',' {
				return
			}
			i++
		}
	}
}

// elements yields the elements of an array, and nothing for any other value.
func (v value) elements() iter.Seq[value] {
	return func(yield func(value) bool) {
		if len(v) == 0 || v[0] != '[' {
			return
		}
		for i := skipSpace(v, 1); i < len(v); i = skipSpace(v, i) {
			end := skipValue(v, i)
			if end <= i || !yield(v[i:end]) {
				return
			}
			if i = skipSpace(v, end); i >= len(v) || v[i] != ',' {
				return
			}
			i++
		}
	}
}

// get follows the keys through nested objects.
func (v value) get(keys ...string) value {
	for _, want := range keys {
		v = v.member(want)
	}
	return v
}

func (v value) member(want string) value {
	for key, val := range v.members() {
		if string(key) == want {
			return val
		}
	}
	return nil
}

// isString says whether v is a string, whatever its content.
func (v value) isString() bool { return len(v) >= 2 && v[0] == '"' }

// is says whether v is exactly this string, which must need no escapes.
func (v value) is(s string) bool { return v.isString() && string(v[1:len(v)-1]) == s }

// str decodes a string; any other value is "". Beyond limit bytes of raw text
// the middle is left out.
func (v value) str(limit int) string {
	if !v.isString() {
		return ""
	}
	raw := cutMiddle(v[1:len(v)-1], limit)
	return decode(raw)
}

// decode takes the escapes out of the content of a string.
func decode(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	return gjson.Parse(`"` + string(raw) + `"`).Str
}

// firstLine decodes the first line that is not empty of a string, and at most limit bytes of it.
func (v value) firstLine(limit int) string {
	if !v.isString() {
		return ""
	}
	raw := v[1 : len(v)-1]
	for bytes.HasPrefix(raw, []byte(`\n`)) {
		raw = raw[2:]
	}
	if len(raw) > limit {
		raw = raw[:boundary(raw, limit)]
	}
	// An n behind an even number of backslashes belongs to the text itself.
	for from := 0; ; {
		n := bytes.Index(raw[from:], []byte(`\n`))
		if n < 0 {
			break
		}
		if backslashes(raw[:from+n])%2 == 0 {
			raw = raw[:from+n]
			break
		}
		from += n + 2
	}
	return decode(raw)
}

// number is v as a floating point number, 0 where it is none.
func (v value) number() float64 {
	f, err := strconv.ParseFloat(string(v), 64)
	if err != nil || f != f || f > 1e18 || f < -1e18 {
		return 0
	}
	return f
}

// count is v as a number that cannot be negative.
func (v value) count() int64 {
	n := int64(0)
	for i, c := range v {
		if c < '0' || c > '9' || i > 17 {
			return max(0, int64(v.number()))
		}
		n = 10*n + int64(c-'0')
	}
	return n
}

// isTrue says whether v is the literal true.
func (v value) isTrue() bool { return string(v) == "true" }
