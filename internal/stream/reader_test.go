package stream

import (
	"bytes"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/tidwall/gjson"
)

const (
	initLine   = `{"type":"system","subtype":"init","session_id":"s1","model":"m1"}` + "\n"
	resultLine = `{"type":"result","subtype":"success","is_error":false,"result":"done","usage":{"input_tokens":3,"output_tokens":4}}` + "\n"
)

func TestReaderIsNotFooled(t *testing.T) {
	nested := `{"type":"user","message":{"content":[{"type":"tool_result","content":"{\"type\":\"result\",\"is_error\":false,\"result\":\"x\"}\n{\"type\":\"result\"}"}]},"tool_use_result":{"type":"result","is_error":false}}` + "\n"
	tests := []struct {
		name, data string
		terminal   bool
		broken     int
	}{
		{"complete", initLine + resultLine, true, 0},
		{"windows line ends and byte order mark", "\xef\xbb\xbf" + strings.ReplaceAll(initLine+"\n"+resultLine, "\n", "\r\n"), true, 0},
		{"result inside a tool's answer", initLine + nested, false, 0},
		{"last line without its end", initLine + strings.TrimSuffix(resultLine, "\n"), false, 1},
		{"result cut in the middle", initLine + resultLine[:60] + "\n", false, 1},
		{"result with a number that is none", initLine + strings.Replace(resultLine, "3,", "3x,", 1), false, 1},
		{"result with a key twice in a row", initLine + strings.Replace(resultLine, `,"subtype"`, `"subtype"`, 1), false, 1},
		{"result inside an array", initLine + "[" + strings.TrimSpace(resultLine) + "]\n", false, 1},
		{"two on a line", initLine + strings.TrimSpace(resultLine) + resultLine, false, 1},
		{"garbage between", initLine + "\x00\xff\xfe\x00\n\n  \n{\n" + resultLine, true, 2},
		{"duplicated and out of order", resultLine + resultLine + initLine, true, 0},
		{"unknown events", `{"type":"new_thing","x":[1,{"y":null}]}` + "\n" + `{"no":"type"}` + "\n" + resultLine, true, 0},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			for _, piece := range []int{1, 3, len(tt.data)} {
				sum := read(FormatClaude, []byte(tt.data), piece, nil)
				if sum.Terminal != tt.terminal || sum.Broken != tt.broken || sum.HasFinal != tt.terminal {
					t.Errorf("pieces of %d: terminal %v, broken %d, final %v %q", piece, sum.Terminal, sum.Broken, sum.HasFinal, sum.Final)
				}
			}
		})
	}
}

func TestReaderEvents(t *testing.T) {
	var got []string
	emit := func(e Event) {
		got = append(got, strings.TrimRight(fmt.Sprintf("%d %s%s %s failed=%v sub=%v", e.Kind, e.Text, e.Tool, e.Detail, e.Failed, e.Sub), " "))
	}
	data := initLine +
		`{"type":"assistant","message":{"id":"a","content":[{"type":"text","text":"héllo \ud83d\ude00"},{"type":"tool_use","name":"Edit","input":{"old_string":"x","file_path":"/a b.go"}}]}}` + "\n" +
		`{"type":"assistant","parent_tool_use_id":"t1","message":{"id":"b","content":[{"type":"tool_use","name":"Grep","input":{"path":".","pattern":"fu.c"}}]}}` + "\n" +
		`{"type":"user","parent_tool_use_id":"t1","message":{"content":[{"type":"tool_result","is_error":true,"content":[{"type":"text","text":"\n\nno \"match\"\nmore"}]}]}}` + "\n" +
		`{"type":"assistant","parent_tool_use_id":"t1","error":"rate_limit","message":{"model":"<synthetic>","content":[{"type":"text","text":"limit"}]}}` + "\n" +
		resultLine
	sum := read(FormatClaude, []byte(data), 5, emit)
	want := []string{
		"1   failed=false sub=false", "2 héllo 😀  failed=false sub=false", "3 Edit /a b.go failed=false sub=false",
		"3 Grep fu.c failed=false sub=true", `4 no "match"  failed=true sub=true`, "8   failed=false sub=false",
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if sum.LastError != "" || sum.Final != "done" || sum.Session != "s1" || sum.Model != "m1" {
		t.Errorf("summary %+v", sum)
	}
}

// A 20 MB line must not cost 20 MB, and the rest of the line must be read.
func TestReaderHugeLine(t *testing.T) {
	text := strings.Repeat(`0123456789\n\"é\\\ud83d\ude00`, 800_000)
	data := initLine + `{"type":"result","result":"` + text + `\n` + promise + `","is_error":false,"num_turns":7,"usage":{"output_tokens":5}}` + "\n"
	r := NewReader(FormatClaude, nil)
	most := 0
	for rest := []byte(data); len(rest) > 0; {
		n := min(64<<10, len(rest))
		r.Write(rest[:n])
		rest = rest[n:]
		most = max(most, cap(r.partial.buf))
	}
	r.Close()
	sum := r.Summary()
	if !sum.Terminal || sum.Result.Turns != 7 || sum.Tokens.Output != 5 || sum.Broken != 0 {
		t.Fatalf("terminal %v, turns %d, broken %d", sum.Terminal, sum.Result.Turns, sum.Broken)
	}
	if !strings.HasSuffix(sum.Final, "\n"+promise) || !strings.HasPrefix(sum.Final, "0123456789\n") || !strings.Contains(sum.Final, leftOut) {
		t.Errorf("final message %.40q ... %q", sum.Final, sum.Final[len(sum.Final)-60:])
	}
	if len(sum.Final) > maxFinal+1024 || most > 4<<20 || strings.Contains(sum.Final, "\uFFFD") {
		t.Errorf("final message of %d bytes, %d bytes kept of the line", len(sum.Final), most)
	}
}

func TestReaderGivesUpLineWithoutEnd(t *testing.T) {
	data := initLine + `{"type":"result","x":[` + strings.Repeat(`1,`, 6<<20) + `1]}` + "\n" + resultLine
	sum := read(FormatClaude, []byte(data), 256<<10, nil)
	if sum.Broken != 1 || !sum.Terminal || sum.Final != "done" || sum.Lines != 3 {
		t.Errorf("broken %d, lines %d, final %q", sum.Broken, sum.Lines, sum.Final)
	}
}

func TestReaderPlainText(t *testing.T) {
	long := strings.Repeat(strings.Repeat("x", 99)+"\n", 5000)
	tests := []struct {
		name   string
		format Format
		data   string
		final  string // its end
		plain  bool
	}{
		{"text", FormatText, "one\n\ntwo", "two", false},
		{"json as text", FormatText, resultLine, resultLine, false},
		{"text where events were asked for", FormatClaude, "one\n{\n" + promise, promise, true},
		{"long text", FormatText, long + promise + "\n", promise + "\n", false},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			sum := read(tt.format, []byte(tt.data), 1000, nil)
			if !sum.HasFinal || !strings.HasSuffix(sum.Final, tt.final) || sum.Plain != tt.plain || sum.Terminal {
				t.Errorf("final %v, plain %v, terminal %v", sum.HasFinal, sum.Plain, sum.Terminal)
			}
			if len(sum.Final) > textTail || len(tt.data) > textTail && !strings.HasPrefix(sum.Final, strings.Repeat("x", 99)+"\n") {
				t.Errorf("%d bytes, starts with %.20q", len(sum.Final), sum.Final)
			}
		})
	}
	if sum := read(FormatClaude, nil, 1, nil); sum.Plain || sum.HasFinal || sum.Terminal {
		t.Errorf("no output: %+v", sum)
	}
	if sum := read(FormatClaude, []byte(`{"type":"sys`), 4, nil); sum.Plain || sum.HasFinal || sum.Broken != 1 {
		t.Errorf("torn first line: %+v", sum)
	}
}

func TestReaderTextEvents(t *testing.T) {
	var got strings.Builder
	p := NewPrinter(&got, PrinterOptions{})
	text := "first\n\n  indented\tline\nlast"
	read(FormatText, []byte(text), 4, p.Event)
	if err := p.Flush(); err != nil || got.String() != text+"\n" {
		t.Errorf("%q, %v", got.String(), err)
	}
}

func TestReaderClaudeDetails(t *testing.T) {
	data := `{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":1795233600,"rateLimitType":"five_hour","isUsingOverage":true}}` + "\n" +
		`{"type":"rate_limit_event","rate_limit_info":{"status":"allowed_warning","resetsAt":1795233600,"rateLimitType":"five_hour","utilization":0.93}}` + "\n" +
		`{"type":"result","is_error":false,"result":"x","total_cost_usd":0.5,"modelUsage":{"m":{"inputTokens":1,"outputTokens":2,"contextWindow":200000}},"permission_denials":[{"tool_name":"Bash","tool_input":{"command":"rm -rf /\nls"}}]}` + "\n"
	sum := read(FormatClaude, []byte(data), 100, nil)
	limit := Limit{ResetsAt: time.Unix(1795233600, 0).UTC(), Window: "five_hour", Utilization: 0.93}
	if sum.Rejected != nil || cmp.Diff([]Limit{limit}, sum.Limits) != "" {
		t.Errorf("limits %+v, rejected %+v", sum.Limits, sum.Rejected)
	}
	if diff := cmp.Diff([]Denial{{Tool: "Bash", Detail: "rm -rf / ls"}}, sum.Denied); diff != "" {
		t.Error(diff)
	}
	if sum.Result.ContextMax != 200000 || sum.CostUSD != 0.5 || sum.Tokens != (Tokens{Input: 1, Output: 2}) {
		t.Errorf("%+v", sum.Result)
	}
}

// TestReaderClaudeContext: how full the context was is what the model was last given,
// not what all its answers cost together, nor what a subagent was given.
func TestReaderClaudeContext(t *testing.T) {
	said := func(parent string, cached int) string {
		return fmt.Sprintf(`{"type":"assistant","parent_tool_use_id":%s,"message":{"id":"m%d","content":[],"usage":{"input_tokens":10,"cache_read_input_tokens":%d,"output_tokens":5}}}`+"\n", parent, cached, cached)
	}
	data := said("null", 40_000) + said("null", 89_990) + said(`"t1"`, 150_000) +
		`{"type":"result","is_error":false,"result":"x","modelUsage":{"m":{"inputTokens":1,"contextWindow":200000}}}` + "\n"
	r := read(FormatClaude, []byte(data), 100, nil).Result
	if r.Context != 90_000 || !strings.Contains(describeUsage(&r), "context 45% full") {
		t.Errorf("%+v: %s", r, describeUsage(&r))
	}
}

// TestContextWithoutItsSize: OpenCode reports with each step the size of the context, but
// not its limit.
func TestContextWithoutItsSize(t *testing.T) {
	data, err := os.ReadFile("testdata/opencode-commit.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	r := read(FormatOpenCode, data, len(data), nil).Result
	if r.Context != 6801 || !strings.Contains(describeUsage(&r), "context 6801 tokens") {
		t.Errorf("context %d: %q", r.Context, describeUsage(&r))
	}
}

func TestReaderReopens(t *testing.T) {
	stop, err := os.ReadFile("testdata/opencode-text.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	again := append(bytes.Clone(stop), bytes.SplitAfter(stop, []byte("\n"))[0]...)
	if sum := read(FormatOpenCode, again, 50, nil); sum.Terminal || sum.HasFinal {
		t.Errorf("a step that began after the last one: terminal %v", sum.Terminal)
	}
	doubled := bytes.Join(bytes.SplitAfter(stop, []byte("\n"))[:3], nil)
	doubled = append(doubled, bytes.SplitAfter(stop, []byte("\n"))[2]...)
	if sum := read(FormatOpenCode, doubled, 50, nil); sum.Tokens != plainOnce {
		t.Errorf("a step reported twice counts twice: %+v", sum.Tokens)
	}
}

// Killed sessions must count each message once, however many lines it takes,
// and memory must not grow with their number.
func TestTally(t *testing.T) {
	var ta tally
	for i := range 1000 {
		for range 3 {
			ta.note(fmt.Sprint(i), Tokens{Input: 2, Output: 1}, 8)
		}
	}
	if got, want := ta.total(), (Tokens{Input: 2000, Output: 6000}); got != want || len(ta.recent) > recentMessages {
		t.Errorf("got %+v, want %+v, %d kept", got, want, len(ta.recent))
	}
}

func FuzzReader(f *testing.F) {
	files, err := filepath.Glob("testdata/*-*.jsonl")
	if err != nil {
		f.Fatal(err)
	}
	for _, file := range files {
		data, err := os.ReadFile(file)
		if err != nil {
			f.Fatal(err)
		}
		format := samples[filepath.Base(file)].Format
		lines := bytes.SplitAfter(data, []byte("\n"))
		if len(data) > 8000 || len(lines) < 2 {
			continue
		}
		flipped := bytes.Clone(data)
		flipped[len(flipped)/2] ^= 0x10
		last := lines[len(lines)-2]
		f.Add(string(format), data, uint16(64))
		f.Add(string(format), flipped, uint16(1))
		f.Add(string(format), data[:len(data)*3/4], uint16(13))
		f.Add(string(format), append(bytes.Clone(last), data...), uint16(200))
	}
	f.Fuzz(func(t *testing.T, format string, data []byte, piece uint16) {
		printer := NewPrinter(new(bytes.Buffer), PrinterOptions{Verbose: true, Width: 40})
		sum := read(Format(format), data, int(piece)+1, printer.Event)
		if whole := read(Format(format), data, len(data)+1, nil); cmp.Diff(whole, sum) != "" {
			t.Errorf("pieces change what is read (-whole +pieces)\n%s", cmp.Diff(whole, sum))
		}
		if sum.Terminal && !hasValidLine(data) {
			t.Error("terminal without a complete and valid line")
		}
	})
}

func hasValidLine(data []byte) bool {
	lines := bytes.Split(data, []byte("\n"))
	for _, l := range lines[:len(lines)-1] {
		if l = trim(l, true); bytes.Contains(l, []byte(`"type"`)) && gjson.ValidBytes(l) {
			return true
		}
	}
	return false
}

func TestAddCost(t *testing.T) {
	for _, c := range [][3]float64{{0.1, 0.2, 0.3}, {0.03, -0.02, 0.01}, {1.23456789, 0, 1.23456789}} {
		if got := AddCost(c[0], c[1]); got != c[2] {
			t.Errorf("%v and %v: %v, want %v", c[0], c[1], got, c[2])
		}
	}
}
