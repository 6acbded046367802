package stream

import (
	"bytes"
	"cmp"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/tidwall/gjson"
)

// A fuzz target for each reader: recorded sessions with bytes flipped, lines cut,
// doubled and reordered. No reader may fail on them, or report a success without a complete
// terminal event of its agent.

func FuzzClaude(f *testing.F)   { fuzzMutations(f, FormatClaude) }
func FuzzCodex(f *testing.F)    { fuzzMutations(f, FormatCodex) }
func FuzzOpenCode(f *testing.F) { fuzzMutations(f, FormatOpenCode) }
func FuzzGemini(f *testing.F)   { fuzzMutations(f, FormatGemini) }
func FuzzCopilot(f *testing.F)  { fuzzMutations(f, FormatCopilot) }

func fuzzMutations(f *testing.F, format Format) {
	var sessions [][]byte
	for name, facts := range samples {
		if facts.Format != format || facts.Plain {
			continue
		}
		data, err := os.ReadFile(filepath.Join("testdata", name))
		if err != nil {
			f.Fatal(err)
		}
		sessions = append(sessions, data)
	}
	// The order of a map is no order: what is found must be found again.
	slices.SortFunc(sessions, func(a, b []byte) int { return cmp.Or(cmp.Compare(len(a), len(b)), bytes.Compare(a, b)) })
	for i := range sessions {
		for kind := range mutations {
			f.Add(uint8(i), uint64(1), []byte{byte(kind)})
			f.Add(uint8(i), uint64(2), []byte{byte(kind), byte(kind + 1), byte(kind + 2), byte(kind)})
		}
	}
	f.Fuzz(func(t *testing.T, session uint8, seed uint64, steps []byte) {
		data := bytes.Clone(sessions[int(session)%len(sessions)])
		random := rand.New(rand.NewPCG(seed, seed))
		for _, step := range steps[:min(len(steps), 64)] {
			if len(data) > 0 && len(data) < 1<<20 {
				data = mutations[int(step)%len(mutations)](random, data)
			}
		}
		sum := read(format, data, 1+int(seed%4096), nil)
		success := sum.Terminal && !sum.Result.IsError
		if (success || sum.HasFinal && !sum.Plain) && !tellsSuccess(format, data) {
			t.Errorf("success without a terminal event that says so (terminal %v, final %q)", sum.Terminal, sum.Final)
		}
		if sum.Plain && (bytes.HasPrefix(data, []byte(`{"`)) || bytes.Contains(data, []byte("\n"+`{"type":"`))) {
			t.Error("damaged events are taken for plain text, for which the exit status decides")
		}
	})
}

// mutations are the ways in which a stream can be damaged.
var mutations = [...]func(*rand.Rand, []byte) []byte{
	func(r *rand.Rand, data []byte) []byte { // a bit is flipped
		data[r.IntN(len(data))] ^= 1 << r.IntN(8)
		return data
	},
	func(r *rand.Rand, data []byte) []byte { // the end is cut off
		return data[:r.IntN(len(data))]
	},
	func(r *rand.Rand, data []byte) []byte { // a part of a line is missing
		from := r.IntN(len(data))
		return slices.Delete(data, from, min(len(data), from+1+r.IntN(200)))
	},
	onLines(func(r *rand.Rand, lines [][]byte) [][]byte { // a line comes twice
		at := r.IntN(len(lines))
		return slices.Insert(lines, r.IntN(len(lines)), lines[at])
	}),
	onLines(func(r *rand.Rand, lines [][]byte) [][]byte { // the lines are in any order
		r.Shuffle(len(lines), func(i, j int) { lines[i], lines[j] = lines[j], lines[i] })
		return lines
	}),
	onLines(func(r *rand.Rand, lines [][]byte) [][]byte { // a line is missing
		at := r.IntN(len(lines))
		return slices.Delete(lines, at, at+1)
	}),
	func(r *rand.Rand, data []byte) []byte { // a line's end is missing
		for range 8 {
			if at := r.IntN(len(data)); data[at] == '\n' {
				return slices.Delete(data, at, at+1)
			}
		}
		return bytes.TrimSuffix(data, []byte("\n"))
	},
}

func onLines(change func(*rand.Rand, [][]byte) [][]byte) func(*rand.Rand, []byte) []byte {
	return func(r *rand.Rand, data []byte) []byte {
		return bytes.Join(change(r, slices.Clip(bytes.SplitAfter(data, []byte("\n")))), nil)
	}
}

// tellsSuccess looks for a whole line by which the agent says that its session
// ended well, with another parser than the readers use.
func tellsSuccess(format Format, data []byte) bool {
	lines := bytes.Split(data, []byte("\n"))
	for i, line := range lines[:len(lines)-1] {
		line = trim(line, i == 0)
		if !gjson.ValidBytes(line) {
			continue
		}
		e := gjson.ParseBytes(line)
		kind := e.Get("type").String()
		switch format {
		case FormatClaude:
			if kind == "result" && !e.Get("is_error").Bool() {
				return true
			}
		case FormatCodex:
			if kind == "turn.completed" && !e.Get("error.message").Exists() {
				return true
			}
		case FormatOpenCode:
			if kind == "step_finish" && e.Get("part.reason").String() == "stop" {
				return true
			}
		case FormatGemini:
			if kind == "result" && e.Get("status").String() == "success" {
				return true
			}
		case FormatCopilot:
			if code := e.Get("exitCode"); kind == "result" && code.Exists() && code.Num == 0 {
				return true
			}
		}
	}
	return false
}
