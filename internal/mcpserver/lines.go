package mcpserver

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// The errors of JSON-RPC 2.0 for what is no request.
const (
	parseError     = -32700
	invalidRequest = -32600
)

// Lines returns a transport with one JSON-RPC message a line. It answers an invalid line with
// an error; the library's own transport would end the session.
func Lines(in io.Reader, out io.Writer) mcp.Transport {
	w := &lineWriter{w: out}
	reader, feed := io.Pipe()
	go func() {
		lines := bufio.NewReader(in)
		for {
			line, err := lines.ReadBytes('\n')
			if line = bytes.TrimSpace(line); len(line) > 0 {
				if answer := refusal(line); answer != nil {
					_, _ = w.Write(answer) // a client that is gone is found by the next read
				} else if _, err := feed.Write(append(line, '\n')); err != nil {
					return
				}
			}
			if err != nil {
				_ = feed.CloseWithError(err)
				return
			}
		}
	}()
	return &mcp.IOTransport{Reader: reader, Writer: w}
}

// refusal returns the answer to a line that is no message of JSON-RPC 2.0, or nil.
func refusal(line []byte) []byte {
	var message map[string]json.RawMessage
	answer := func(code int, text string) []byte {
		id := message["id"]
		if !isID(id) {
			id = json.RawMessage("null")
		}
		return fmt.Appendf(nil, `{"jsonrpc":"2.0","id":%s,"error":{"code":%d,"message":%q}}`+"\n", id, code, text)
	}
	switch {
	case !json.Valid(line):
		return answer(parseError, "the line is not JSON")
	case line[0] == '[':
		return answer(invalidRequest, "batches are not supported: send one message a line")
	case json.Unmarshal(line, &message) != nil || message == nil:
		return answer(invalidRequest, "a message is a JSON object")
	case string(message["jsonrpc"]) != `"2.0"`:
		return answer(invalidRequest, "the message lacks \"jsonrpc\": \"2.0\"")
	case message["id"] != nil && string(message["id"]) != "null" && !isID(message["id"]):
		return answer(invalidRequest, "the id must be a text or a number")
	}
	var method string
	_, hasMethod := message["method"]
	if hasMethod && json.Unmarshal(message["method"], &method) != nil || !hasMethod && message["result"] == nil && message["error"] == nil {
		return answer(invalidRequest, "the message has no method")
	}
	return nil
}

// isID reports whether a value is a text or a whole number.
func isID(id json.RawMessage) bool {
	var text string
	var number int64
	return len(id) > 0 && string(id) != "null" && (json.Unmarshal(id, &text) == nil || json.Unmarshal(id, &number) == nil)
}

// lineWriter keeps the lines of two writers apart.
type lineWriter struct {
	mu sync.Mutex
	w  io.Writer
}

// Write implements io.Writer.
func (l *lineWriter) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.w.Write(p)
}

// Close implements io.Closer. Standard output stays open.
func (*lineWriter) Close() error { return nil }
