package stream

import "bytes"

// headTail keeps the start and the end of a text of any length.
type headTail struct {
	head, tail []byte
	headMax    int // 0 keeps the end alone
	tailMax    int
	cut        bool // something between head and tail is gone
}

// write appends to the text.
func (h *headTail) write(p []byte) {
	if n := min(len(p), h.headMax-len(h.head)); n > 0 {
		h.head = append(h.head, p[:n]...)
		p = p[n:]
	}
	if over := len(p) - h.tailMax; over > 0 {
		h.cut = true
		h.tail = h.tail[:0]
		p = p[over:]
	}
	h.tail = append(h.tail, p...)
	// Twice the size, so that a byte is moved about once however small the writes are.
	if len(h.tail) > 2*h.tailMax {
		h.trim()
	}
}

func (h *headTail) trim() {
	if over := len(h.tail) - h.tailMax; over > 0 {
		h.cut = true
		h.tail = append(h.tail[:0], h.tail[over:]...)
	}
}

// reset forgets the text.
func (h *headTail) reset() {
	h.head, h.tail, h.cut = h.head[:0], h.tail[:0], false
}

// String returns the text, with a mark where something was left out. If only the end is
// kept, it starts with a complete line.
func (h *headTail) String() string {
	h.trim()
	if !h.cut {
		return string(h.head) + string(h.tail)
	}
	if h.headMax > 0 {
		return string(h.head) + leftOut + string(h.tail)
	}
	if n := bytes.IndexByte(h.tail, '\n'); n >= 0 {
		return string(h.tail[n+1:])
	}
	return leftOut + string(h.tail)
}
