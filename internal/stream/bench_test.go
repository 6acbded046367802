package stream

import (
	"fmt"
	"io"
	"strings"
	"testing"
)

// claudeLines is a stream of about size bytes: messages, calls and answers of
// text bytes each, as a session that reads source files prints them.
func claudeLines(size, text int) []byte {
	sourceLine := `\tif err != nil {\n\t\treturn fmt.Errorf(\"reading %s: %w\", name, err)\n\t}\n`
	source := strings.Repeat(sourceLine, text/len(sourceLine)+1)
	var b strings.Builder
	b.WriteString(initLine)
	for i := 0; b.Len() < size; i++ {
		fmt.Fprintf(&b, `{"type":"assistant","message":{"content":[{"text":"Step %d.","type":"text"}],"id":"m%d","model":"m","usage":{"input_tokens":1,"output_tokens":1}},"parent_tool_use_id":null}`+"\n", i, i)
		fmt.Fprintf(&b, `{"type":"assistant","message":{"content":[{"id":"t%d","input":{"file_path":"/src/file%d.go"},"name":"Read","type":"tool_use"}],"id":"m%d","model":"m","usage":{"input_tokens":1,"output_tokens":1}},"parent_tool_use_id":null}`+"\n", i, i, i)
		fmt.Fprintf(&b, `{"type":"user","message":{"role":"user","content":[{"tool_use_id":"t%d","type":"tool_result","content":"%s","is_error":false}]},"parent_tool_use_id":null,"tool_use_result":{"stdout":"%s","stderr":""}}`+"\n", i, source, source)
	}
	b.WriteString(resultLine)
	return []byte(b.String())
}

func BenchmarkReader(b *testing.B) {
	huge := []byte(initLine + `{"type":"result","result":"` + strings.Repeat(`a line of text\n`, 20<<20/16) + `","is_error":false}` + "\n")
	for _, bm := range []struct {
		name string
		data []byte
	}{
		{"small lines", claudeLines(8<<20, 80)}, {"large lines", claudeLines(8<<20, 8000)}, {"one line of 20 MB", huge},
	} {
		b.Run(bm.name, func(b *testing.B) {
			b.SetBytes(int64(len(bm.data)))
			b.ReportAllocs()
			for b.Loop() {
				printer := NewPrinter(io.Discard, PrinterOptions{})
				if sum := read(FormatClaude, bm.data, 256<<10, printer.Event); !sum.Terminal {
					b.Fatal("no terminal event")
				}
			}
		})
	}
}

func BenchmarkSanitize(b *testing.B) {
	text := strings.Repeat("A line of text as agents write it.\n", 1000)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		Sanitize(text)
	}
}
