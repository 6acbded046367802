package stream

import (
	"bytes"
	"math"
)

// doc is one JSON text and an index of the values in it. Streams are mostly long
// strings that nobody asks for: each text is gone over once, strings only for their
// closing quote, and a value is decoded when it is asked for. gjson finds a field as
// fast, but does not notice a torn line, and its validation takes three times as long
// on lines with 20 KB of source code.
type doc struct {
	text  []byte
	nodes []node // the values in the order in which they begin
}

// node is where a value stands in the text.
type node struct {
	key, keyEnd int32 // without the quotes, of a member of an object
	start, end  int32
	inside      int32 // how many of the nodes that follow are in this value; shut where they are not in the index
}

const (
	// maxDepth is how deep the index goes: agents tell nothing of themselves below.
	maxDepth = 6
	shut     = -1
	// keptNodes bounds what an index keeps for the next line, in nodes.
	keptNodes = 64 << 10
)

// read makes text the document. It says whether text is one object and nothing else,
// and whether its strings and brackets close, which is what a torn line gets wrong; it
// is no full validation.
func (d *doc) read(text []byte) bool {
	if d.text, d.nodes = text, d.nodes[:0]; cap(d.nodes) > keptNodes {
		d.nodes = nil
	}
	if len(text) == 0 || text[0] != '{' || len(text) > math.MaxInt32 {
		return false
	}
	d.nodes = append(d.nodes, node{end: int32(len(text))})
	end := d.container(0, 1)
	d.nodes[0].inside = int32(len(d.nodes) - 1)
	return end == len(text)
}

// container indexes what is in the object or array that begins at text[i], and returns
// its end, or -1 where it is broken. What stands before the break is in the index then.
func (d *doc) container(i, depth int) int {
	b := d.text
	closing := b[i] + 2 // as ASCII has it for both kinds
	if i = skipSpace(b, i+1); i < len(b) && b[i] == closing {
		return i + 1
	}
	for {
		var at node
		if closing == '}' {
			if i = at.readKey(b, i); i < 0 {
				return -1
			}
		}
		if i = d.value(at, i, depth); i < 0 {
			return -1
		}
		if i = skipSpace(b, i); i >= len(b) {
			return -1
		}
		switch b[i] {
		case closing:
			return i + 1
		case ',':
			i = skipSpace(b, i+1)
		default:
			return -1
		}
	}
}

// readKey reads `"key": ` at b[i:] and returns where the value begins, or -1.
func (n *node) readKey(b []byte, i int) int {
	if i >= len(b) || b[i] != '"' {
		return -1
	}
	end := skipShort(b, i+1)
	if end < 0 {
		return -1
	}
	n.key, n.keyEnd = int32(i+1), int32(end-1)
	if i = skipSpace(b, end); i >= len(b) || b[i] != ':' {
		return -1
	}
	return skipSpace(b, i+1)
}

// value indexes the value that begins at text[i], and returns its end, or -1. An
// object or array in which something is broken ends where its brackets close.
func (d *doc) value(n node, i, depth int) int {
	if i >= len(d.text) {
		return -1
	}
	at := len(d.nodes)
	n.start = int32(i)
	d.nodes = append(d.nodes, n)
	end := -1
	switch c := d.text[i]; {
	case c == '"':
		end = skipShort(d.text, i+1)
	case c != '{' && c != '[':
		end = skipScalar(d.text, i)
	case depth == maxDepth:
		end = skipNested(d.text, i)
		d.nodes[at].inside = shut
	default:
		if end = d.container(i, depth+1); end < 0 {
			end = skipNested(d.text, i)
		}
		d.nodes[at].inside = int32(len(d.nodes) - at - 1)
	}
	if end < 0 {
		d.nodes = d.nodes[:at]
		return -1
	}
	d.nodes[at].end = int32(end)
	return end
}

// skipSpace returns the index of the first byte at or after i that is no space.
func skipSpace(b []byte, i int) int {
	for i < len(b) && (b[i] == ' ' || b[i] == '\t' || b[i] == '\r' || b[i] == '\n') {
		i++
	}
	return i
}

// skipScalar returns the end of the number or literal that starts at b[i], or -1.
func skipScalar(b []byte, i int) int {
	start := i
	for i < len(b) {
		switch b[i] {
		case ',', '}', ']', ' ', '\t', '\r', '\n':
			if i == start {
				return -1
			}
			return i
		case '"', ':', '{', '[':
			return -1
		}
		i++
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

// skipShort is skipString for a string that is likely to be short: to call what looks
// for a byte in a long text takes longer than to look at some bytes.
func skipShort(b []byte, i int) int {
	for end := min(len(b), i+24); i < end && b[i] != '\\'; i++ {
		if b[i] == '"' {
			return i + 1
		}
	}
	return skipString(b, i)
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
