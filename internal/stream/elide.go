package stream

import (
	"bytes"
	"unicode/utf8"
)

// leftOut replaces the middle of a long text. It has no line break:
// what follows must not look like a line of its own.
const leftOut = " [... left out ...] "

const (
	maxFinal  = 1 << 20 // of the final message, and of any string of a long line
	maxSmall  = 4 << 10 // of each further string, once a line has kept maxKept
	maxKept   = 4 << 20 // of long strings in one line
	maxLine   = 8 << 20 // of a line without what was left out
	plainLine = 1 << 20 // below this a line is kept as it is
	stepSize  = 64 << 10
)

// assembler puts a line together that arrives in pieces. Beyond plainLine it
// leaves out the middle of long JSON strings, so that the fields after them
// can still be read and memory stays bounded.
type assembler struct {
	buf     []byte
	scanned int  // buf[:scanned] holds no string that could be cut still
	open    int  // where the content of the open string starts, 0 outside strings
	tail    int  // where the kept tail of the open string starts, 0 while it is uncut
	kept    int  // bytes of long strings kept so far
	tooLong bool // the structure alone is beyond maxLine: the line is given up
}

// add appends a piece of the line.
func (a *assembler) add(p []byte) {
	for len(p) > 0 && !a.tooLong {
		n := min(len(p), stepSize)
		a.buf = append(a.buf, p[:n]...)
		p = p[n:]
		if len(a.buf) > plainLine {
			a.compact()
			a.tooLong = len(a.buf) > maxLine
		}
	}
}

// take returns the line, valid until the next add, and begins a new one.
func (a *assembler) take() (line []byte, ok bool) {
	line, ok = a.buf, !a.tooLong
	keep := a.buf[:0]
	if cap(keep) > 2*plainLine {
		keep = nil
	}
	*a = assembler{buf: keep}
	return line, ok
}

func (a *assembler) empty() bool { return len(a.buf) == 0 && !a.tooLong }

// compact scans the new bytes in buf and shortens strings that are too long.
func (a *assembler) compact() {
	for a.scanned < len(a.buf) {
		n := bytes.IndexByte(a.buf[a.scanned:], '"')
		if n < 0 {
			a.scanned = len(a.buf)
			break
		}
		quote := a.scanned + n
		a.scanned = quote + 1
		if a.open == 0 {
			a.open = quote + 1
			continue
		}
		if backslashes(a.buf[a.from():quote])%2 == 0 {
			a.closeString(quote)
		}
	}
	if a.open > 0 {
		a.cut(len(a.buf), 2)
	}
}

// from is where the uncut part of the open string starts.
func (a *assembler) from() int { return max(a.open, a.tail) }

// closeString ends the open string at its closing quote.
func (a *assembler) closeString(quote int) {
	quote = a.cut(quote, 1)
	if n := quote - a.open; n > maxSmall {
		a.kept += n
	}
	a.scanned, a.open, a.tail = quote+1, 0, 0
}

// cut removes the middle of the open string if more than slack times the tail would be
// kept. The string's text ends at end in buf; cut returns its new end. With slack 2 each
// byte of a tail is moved about once.
func (a *assembler) cut(end, slack int) int {
	limit := maxFinal
	if a.kept > maxKept {
		limit = maxSmall
	}
	half := limit / 2
	if a.tail == 0 {
		if end-a.open <= half+slack*half {
			return end
		}
		head := a.open + boundary(a.buf[a.open:end], half)
		start := a.open + boundary(a.buf[a.open:end], end-a.open-half)
		if start-head <= len(leftOut) {
			return end
		}
		return a.remove(head+copy(a.buf[head:start], leftOut), start, end)
	}
	if end-a.tail <= slack*half {
		return end
	}
	return a.remove(a.tail, a.tail+boundary(a.buf[a.tail:end], end-a.tail-half), end)
}

// remove takes buf[to:from] out and returns where end is now.
func (a *assembler) remove(to, from, end int) int {
	a.buf = append(a.buf[:to], a.buf[from:]...)
	a.tail = to
	a.scanned -= from - to
	return end - (from - to)
}

// boundary returns the last index of raw, the content of a JSON string, that
// is not beyond at and splits neither a character nor an escape.
func boundary(raw []byte, at int) int {
	at = max(0, min(at, len(raw)))
	at = escapeStart(raw, at)
	for back := 0; back < utf8.UTFMax && at > 0 && at < len(raw) && !utf8.RuneStart(raw[at]); back++ {
		at--
	}
	// Two escapes may make one character: \ud83d\ude00.
	if at >= 6 && isHighSurrogate(raw[at-6:at]) && backslashes(raw[:at-6])%2 == 0 {
		at -= 6
	}
	return at
}

// escapeStart moves at to the start of the escape that it lies in, if any.
func escapeStart(raw []byte, at int) int {
	if at == len(raw) {
		return at
	}
	if backslashes(raw[:at])%2 == 1 {
		return at - 1
	}
	for i := at - 2; i >= 0 && i > at-6; i-- {
		if raw[i] == '\\' && raw[i+1] == 'u' && backslashes(raw[:i])%2 == 0 {
			return i
		}
	}
	return at
}

// isHighSurrogate says whether six bytes are the escape of the first half of a pair.
func isHighSurrogate(b []byte) bool {
	return b[0] == '\\' && b[1] == 'u' && (b[2] == 'd' || b[2] == 'D') && bytes.IndexByte([]byte("89abAB"), b[3]) >= 0
}

// backslashes counts the backslashes that b ends with.
func backslashes(b []byte) int {
	n := 0
	for n < len(b) && b[len(b)-1-n] == '\\' {
		n++
	}
	return n
}
