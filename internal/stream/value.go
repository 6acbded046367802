package stream

import (
	"bytes"
	"iter"
	"strconv"

	"github.com/tidwall/gjson"
)

// value is one value of a document; the zero value is "not there". It is valid
// until the document is read anew.
type value struct {
	doc *doc
	at  int // in the document's index
}

// exists says whether the value is there; null is.
func (v value) exists() bool { return v.doc != nil }

// raw is the value's text.
func (v value) raw() []byte {
	if v.doc == nil {
		return nil
	}
	n := v.doc.nodes[v.at]
	return v.doc.text[n.start:n.end]
}

// opened is the value with what is in it, which the index of a long-winded document
// does not have.
func (v value) opened() value {
	if v.doc == nil || v.doc.nodes[v.at].inside != shut {
		return v
	}
	inner := &doc{text: v.raw()}
	inner.value(node{}, 0, 0)
	return value{doc: inner}
}

// children yields what is in an object or array that begins with this bracket, and
// nothing for any other value.
func (v value) children(bracket byte) iter.Seq2[node, value] {
	return func(yield func(node, value) bool) {
		if raw := v.raw(); len(raw) == 0 || raw[0] != bracket {
			return
		}
		v := v.opened()
		last := v.at + int(v.doc.nodes[v.at].inside)
		for at := v.at + 1; at <= last; {
			n := v.doc.nodes[at]
			if !yield(n, value{v.doc, at}) {
				return
			}
			at += 1 + int(max(n.inside, 0))
		}
	}
}

// members yields the members of an object, and nothing for any other value.
func (v value) members() iter.Seq2[[]byte, value] {
	return func(yield func([]byte, value) bool) {
		for n, val := range v.children('{') {
			if !yield(val.doc.text[n.key:n.keyEnd], val) {
				return
			}
		}
	}
}

// elements yields the elements of an array, and nothing for any other value.
func (v value) elements() iter.Seq[value] {
	return func(yield func(value) bool) {
		for _, val := range v.children('[') {
			if !yield(val) {
				return
			}
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
	return value{}
}

// isString says whether v is a string, whatever its content.
func (v value) isString() bool {
	raw := v.raw()
	return len(raw) >= 2 && raw[0] == '"'
}

// is says whether v is exactly this string, which must need no escapes.
func (v value) is(s string) bool {
	raw := v.raw()
	return len(raw) >= 2 && raw[0] == '"' && string(raw[1:len(raw)-1]) == s
}

// content is the text between a string's quotes, nil for any other value.
func (v value) content() []byte {
	if !v.isString() {
		return nil
	}
	raw := v.raw()
	return raw[1 : len(raw)-1]
}

// str decodes a string; any other value is "". Beyond limit bytes of raw text
// the middle is left out.
func (v value) str(limit int) string { return decode(cutMiddle(v.content(), limit)) }

// firstLine decodes the first line that is not empty of a string, and at most limit bytes of it.
func (v value) firstLine(limit int) string {
	raw := v.content()
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

// escapes are the characters that a backslash and one letter stand for.
var escapes = [256]byte{'"': '"', '\\': '\\', '/': '/', 'b': '\b', 'f': '\f', 'n': '\n', 'r': '\r', 't': '\t'}

// decode takes the escapes out of the content of a string.
func decode(raw []byte) string {
	if bytes.IndexByte(raw, '\\') < 0 {
		return string(raw)
	}
	var space [2 * maxDetail]byte // enough for all but the messages
	text := space[:0]
	for len(raw) > 0 {
		n := bytes.IndexByte(raw, '\\')
		if n < 0 {
			n = len(raw)
		}
		text = append(text, raw[:n]...)
		if raw = raw[n:]; len(raw) == 0 {
			break
		}
		if len(raw) == 1 || escapes[raw[1]] == 0 { // one of several letters, or none that there is
			return string(text) + gjson.Parse(`"`+string(raw)+`"`).Str
		}
		text, raw = append(text, escapes[raw[1]]), raw[2:]
	}
	return string(text)
}

// number is v as a floating point number, 0 where it is none.
func (v value) number() float64 {
	f, err := strconv.ParseFloat(string(v.raw()), 64)
	if err != nil || f != f || f > 1e18 || f < -1e18 {
		return 0
	}
	return f
}

// count is v as a number that cannot be negative.
func (v value) count() int64 {
	n := int64(0)
	for i, c := range v.raw() {
		if c < '0' || c > '9' || i > 17 {
			return max(0, int64(v.number()))
		}
		n = 10*n + int64(c-'0')
	}
	return n
}

// isTrue says whether v is the literal true.
func (v value) isTrue() bool { return string(v.raw()) == "true" }

// isNull says whether v is the literal null.
func (v value) isNull() bool { return string(v.raw()) == "null" }
