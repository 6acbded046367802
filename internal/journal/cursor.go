package journal

import (
	"bytes"
	"encoding/json"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"ralph/internal/stream"
)

// cursor reads the rest of a line, behind its head, in the one form in which
// this program writes it. encoding/json takes several times as long, and a
// journal of a long run is little else than the events that are read here.
// Whatever looks different in any way, a key of a newer program for one, makes
// the cursor bad, and encoding/json reads the line.
type cursor struct {
	rest  []byte
	key   []byte // of the member that next has come to
	first bool   // the next member has no comma in front
	bad   bool
}

// ok tells whether the whole line was read.
func (c *cursor) ok() bool { return !c.bad && len(c.rest) == 0 }

// next goes to the value of the object's next member, and behind the object
// where there is none.
func (c *cursor) next() bool {
	if c.bad || c.take('}') {
		c.first = false
		return false
	}
	if !c.first {
		c.want(',')
	}
	c.first = false
	c.key = c.plain()
	c.want(':')
	return !c.bad
}

// open goes into an object.
func (c *cursor) open() {
	c.want('{')
	c.first = true
}

// take goes behind b, if it stands here.
func (c *cursor) take(b byte) bool {
	if len(c.rest) == 0 || c.rest[0] != b {
		return false
	}
	c.rest = c.rest[1:]
	return true
}

func (c *cursor) want(b byte) {
	if !c.take(b) {
		c.bad = true
	}
}

// word goes behind a word such as true, if it stands here.
func (c *cursor) word(w string) bool {
	if len(c.rest) < len(w) || string(c.rest[:len(w)]) != w {
		return false
	}
	c.rest = c.rest[len(w):]
	return true
}

// literal is a string as it stands in the line, with its quotes, and whether
// it has to be decoded.
func (c *cursor) literal() (lit []byte, escaped bool) {
	if len(c.rest) == 0 || c.rest[0] != '"' {
		c.bad = true
		return nil, false
	}
	for i := 1; i < len(c.rest); i++ {
		switch b := c.rest[i]; {
		case b == '"':
			lit, c.rest = c.rest[:i+1], c.rest[i+1:]
			return lit, escaped
		case b == '\\':
			escaped = true
			i++
		case b < ' ':
			c.bad = true
			return nil, false
		}
	}
	c.bad = true
	return nil, false
}

// plain is a string without escapes, good as long as the line.
func (c *cursor) plain() []byte {
	lit, escaped := c.literal()
	if c.bad || escaped {
		c.bad = true
		return nil
	}
	return lit[1 : len(lit)-1]
}

func (c *cursor) text() string {
	lit, escaped := c.literal()
	if c.bad {
		return ""
	}
	text := lit[1 : len(lit)-1]
	if escaped {
		text = unescape(text)
	}
	if text != nil && utf8.Valid(text) {
		return string(text)
	}
	var slow string
	c.bad = json.Unmarshal(lit, &slow) != nil
	return slow
}

// unescape decodes the escapes of two characters, which are all that the
// output of a check usually has; nil where there is another one.
func unescape(text []byte) []byte {
	out := make([]byte, 0, len(text))
	for {
		i := bytes.IndexByte(text, '\\')
		if i < 0 {
			return append(out, text...)
		}
		which := strings.IndexByte(`"\/bfnrt`, text[i+1])
		if which < 0 {
			return nil
		}
		out = append(append(out, text[:i]...), "\"\\/\b\f\n\r\t"[which])
		text = text[i+2:]
	}
}

func (c *cursor) bool() bool {
	if c.word("true") {
		return true
	}
	c.bad = c.bad || !c.word("false")
	return false
}

// number is a number as it stands in the line.
func (c *cursor) number() []byte {
	n := 0
	for n < len(c.rest) && (c.rest[n] >= '0' && c.rest[n] <= '9' || c.rest[n] == '-' || c.rest[n] == '+' || c.rest[n] == '.' || c.rest[n]|0x20 == 'e') {
		n++
	}
	num := c.rest[:n]
	c.rest = c.rest[n:]
	return num
}

func (c *cursor) int() int { return int(c.int64()) }

func (c *cursor) int64() int64 {
	num := c.number()
	digits := num
	if len(digits) > 0 && digits[0] == '-' {
		digits = digits[1:]
	}
	// More digits may not fit, and a zero in front is no JSON.
	if len(digits) == 0 || len(digits) > 9 && strconv.IntSize == 32 || len(digits) > 18 || len(digits) > 1 && digits[0] == '0' {
		c.bad = true
		return 0
	}
	var n int64
	for _, d := range digits {
		if d < '0' || d > '9' {
			c.bad = true
			return 0
		}
		n = n*10 + int64(d-'0')
	}
	if len(digits) < len(num) {
		return -n
	}
	return n
}

func (c *cursor) float() float64 {
	num := c.number()
	f, err := strconv.ParseFloat(string(num), 64)
	c.bad = c.bad || err != nil || !json.Valid(num)
	return f
}

// cost is a number or null.
func (c *cursor) cost() *float64 {
	if c.word("null") {
		return nil
	}
	f := c.float()
	return &f
}

func (c *cursor) time() *time.Time {
	lit, _ := c.literal()
	var t time.Time
	c.bad = c.bad || t.UnmarshalJSON(lit) != nil
	return &t
}

// texts is a list of strings.
func (c *cursor) texts() []string {
	list := []string{}
	c.want('[')
	if c.take(']') {
		return list
	}
	for !c.bad {
		list = append(list, c.text())
		if c.take(']') {
			break
		}
		c.want(',')
	}
	return list
}

// limits is a list of an account's limits.
func (c *cursor) limits() []LimitWindow {
	list := []LimitWindow{}
	c.want('[')
	if c.take(']') {
		return list
	}
	for !c.bad {
		list = append(list, c.limit())
		if c.take(']') {
			break
		}
		c.want(',')
	}
	return list
}

func (c *cursor) limit() (w LimitWindow) {
	for c.open(); c.next(); {
		switch string(c.key) {
		case "window":
			w.Window = c.text()
		case "utilization":
			w.Utilization = c.cost()
		case "resetsAt":
			w.ResetsAt = c.time()
		case "rejected":
			w.Rejected = c.bool()
		default:
			c.bad = true
		}
	}
	return w
}

// story reads into s, which is nil for the first time.
func (c *cursor) story(s *Story) *Story {
	if s == nil {
		s = &Story{}
	}
	for c.open(); c.next(); {
		switch string(c.key) {
		case "id":
			s.ID = c.text()
		case "title":
			s.Title = c.text()
		case "done":
			s.Done = c.bool()
		default:
			c.bad = true
		}
	}
	return s
}

func (c *cursor) tokens(t *stream.Tokens) {
	for c.open(); c.next(); {
		switch string(c.key) {
		case "input":
			t.Input = c.int64()
		case "output":
			t.Output = c.int64()
		case "cacheRead":
			t.CacheRead = c.int64()
		case "cacheWrite":
			t.CacheWrite = c.int64()
		default:
			c.bad = true
		}
	}
}
