package mcpserver_test

import (
	"bufio"
	"io"
	"strings"
	"testing"

	"ralph/internal/mcpserver"
)

// A line that is no message gets an error, and the next one its answer.
func TestLinesRefusesWhatIsNoMessage(t *testing.T) {
	const hello = `{"jsonrpc":"2.0","id":9,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"x","version":"1"}}}`
	for line, want := range map[string]string{
		`{bad`:                     `"id":null,"error":{"code":-32700,`,
		`[` + hello + `]`:          `"id":null,"error":{"code":-32600,"message":"batches are not`,
		`7`:                        `"id":null,"error":{"code":-32600,"message":"a message is`,
		`null`:                     `"id":null,"error":{"code":-32600,"message":"a message is`,
		`{"id":3,"method":"ping"}`: `"id":3,"error":{"code":-32600,"message":"the message lacks`,
		`{"jsonrpc":"1.0","id":"a","method":"x"}`:   `"id":"a","error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":4}`:                  `"id":4,"error":{"code":-32600,"message":"the message has no method"`,
		`{"jsonrpc":"2.0","id":4,"method":7}`:       `"id":4,"error":{"code":-32600,`,
		`{"jsonrpc":"2.0","id":{},"method":"ping"}`: `"id":null,"error":{"code":-32600,"message":"the id must`,
	} {
		in, client := io.Pipe()
		answered, out := io.Pipe()
		go func() { _ = mcpserver.New(mcpserver.Options{}).Run(t.Context(), mcpserver.Lines(in, out)) }() // it ends with its input
		go func() { _, _ = io.WriteString(client, "\n"+line+"\n"+hello+"\n") }()
		var answers []string
		for lines := bufio.NewScanner(answered); len(answers) < 2 && lines.Scan(); {
			answers = append(answers, lines.Text())
		}
		client.Close()
		if len(answers) != 2 || !strings.Contains(answers[0], want) || !strings.Contains(answers[1], `"id":9`) || !strings.Contains(answers[1], `"result"`) {
			t.Errorf("%s: %q\nwant %s, then an answer", line, answers, want)
		}
	}
}
