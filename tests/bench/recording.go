package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"strings"
)

const (
	streamStart = `{"type":"system","subtype":"init","session_id":"s1","model":"m","tools":["Bash","Read"]}` + "\n"
	streamEnd   = `{"type":"result","subtype":"success","is_error":false,"result":"Read it all.","total_cost_usd":1.5,"usage":{"input_tokens":9,"output_tokens":9},"session_id":"s1"}` + "\n"

	// sourceLine is a line of what agents read most, as JSON holds it: 80 bytes.
	sourceLine = `\tif err := store.Put(ctx, \"number\", n); err != nil { return nil, err } // 0123\n`
)

// writeMixed writes 100 MB as a long session prints them, about 49,000 lines of
// 250 bytes to 20 KB: a sentence, a tool call, and the answer of the tool, which
// Claude Code prints twice.
func writeMixed(path string) error {
	const size = 100e6
	answers := []int{300, 1000, 1700, 2600, 4400, 8200, 20000}
	return writeStream(path, func(w io.Writer) {
		for i, n := 0, 0; n < size; i++ {
			text := strings.Repeat(sourceLine, max(1, answers[i%len(answers)]/2/len(sourceLine)))
			n += say(w, i) + call(w, i) + answer(w, i, text)
		}
	})
}

// writeLong writes five answers of 20 MB, each one line.
func writeLong(path string) error {
	return writeStream(path, func(w io.Writer) {
		for i := range 5 {
			call(w, i)
			fmt.Fprintf(w, `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t%d","type":"tool_result","is_error":false,"content":"`, i)
			for n := 0; n < 20e6; n += len(sourceLine) {
				_, _ = io.WriteString(w, sourceLine)
			}
			_, _ = io.WriteString(w, `"}]},"session_id":"s1"}`+"\n")
		}
	})
}

// writeStream puts a session's first and last line around what body writes. The
// file is never held in memory: the bench has to stay smaller than what it measures.
func writeStream(path string, body func(io.Writer)) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	defer f.Close()
	w := bufio.NewWriter(f) // keeps the first error for Flush
	_, _ = io.WriteString(w, streamStart)
	body(w)
	_, _ = io.WriteString(w, streamEnd)
	if err := w.Flush(); err != nil {
		return err
	}
	return f.Close()
}

func say(w io.Writer, i int) int {
	n, _ := fmt.Fprintf(w, `{"type":"assistant","message":{"id":"m%d","model":"m","role":"assistant","content":[{"type":"text","text":"Step %d: the store is read next."}],`+
		`"stop_reason":null,"usage":{"input_tokens":12,"cache_read_input_tokens":6789,"output_tokens":21}},"parent_tool_use_id":null,"session_id":"s1"}`+"\n", i, i)
	return n
}

func call(w io.Writer, i int) int {
	n, _ := fmt.Fprintf(w, `{"type":"assistant","message":{"id":"m%d","model":"m","role":"assistant","content":[{"type":"tool_use","id":"t%d","name":"Read","input":{"file_path":"/src/store/file%d.go"}}],`+
		`"stop_reason":null,"usage":{"input_tokens":12,"cache_read_input_tokens":6789,"output_tokens":21}},"parent_tool_use_id":null,"session_id":"s1"}`+"\n", i, i, i)
	return n
}

func answer(w io.Writer, i int, text string) int {
	n, _ := fmt.Fprintf(w, `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t%d","type":"tool_result","content":"%s","is_error":false}]},`+
		`"parent_tool_use_id":null,"session_id":"s1","tool_use_result":{"stdout":"%s","stderr":""}}`+"\n", i, text, text)
	return n
}
