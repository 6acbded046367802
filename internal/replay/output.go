package replay

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
)

// The steps of this file print: what the agent says, tools it only pretends to
// call, recorded streams, and output that no reader expects.

// sayStep is something the agent says.
type sayStep string

func (s *sayStep) play(_ context.Context, p *player) error {
	p.out.text(string(*s))
	if !p.end.isSet {
		p.end.final = string(*s)
	}
	return nil
}

// finalStep is the final message, printed when the turn is over.
type finalStep string

func (s *finalStep) play(_ context.Context, p *player) error {
	p.end.final, p.end.isSet = string(*s), true
	return nil
}

// promiseStep ends the final message with the promise: true for the usual one,
// or the promise's own text.
type promiseStep string

// defaultPromise is what ralph's settings have unless they are changed.
const defaultPromise = "<promise>COMPLETE</promise>"

func (s *promiseStep) play(_ context.Context, p *player) error {
	switch *s {
	case "true":
		p.end.promise = defaultPromise
	case "false":
		p.end.promise = ""
	default:
		p.end.promise = string(*s)
	}
	return nil
}

// toolStep prints a tool call that is not made.
type toolStep struct {
	Name   string         `yaml:"name"`
	Input  map[string]any `yaml:"input"`
	Result string         `yaml:"result"`
	Failed bool           `yaml:"failed"`
}

func (s *toolStep) check() error {
	if s.Name == "" {
		return fmt.Errorf("a tool needs a name")
	}
	_, err := json.Marshal(s.Input)
	return err
}

func (s *toolStep) play(_ context.Context, p *player) error {
	p.out.answer(p.out.tool(s.Name, s.Input), s.Result, s.Failed)
	return nil
}

// rawStep prints bytes as they are.
type rawStep string

func (s *rawStep) play(_ context.Context, p *player) error {
	p.end.recorded = true
	_, _ = io.WriteString(p.out.w, string(*s))
	return nil
}

// rawFileStep prints a recorded stream; its path is relative to the script.
type rawFileStep string

func (s *rawFileStep) play(_ context.Context, p *player) error {
	path := string(*s)
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(p.script.Path), path)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	p.end.recorded = true
	_, _ = io.Copy(p.out.w, file) // only a reader that is gone makes this fail
	return nil
}

// garbageStep prints bytes that are no JSON: NULs, invalid UTF-8, escape
// sequences and line ends among them, the same ones each time.
type garbageStep struct{ size }

func (s *garbageStep) play(_ context.Context, p *player) error {
	source := rand.New(rand.NewPCG(1, 2))
	chunk := make([]byte, 0, 64<<10)
	for left := int64(s.size); left > 0; left -= int64(len(chunk)) {
		chunk = chunk[:min(left, int64(cap(chunk)))]
		for i := range chunk {
			chunk[i] = byte(source.Uint32())
		}
		if _, err := p.out.w.Write(chunk); err != nil {
			return nil
		}
	}
	return nil
}

// floodStep prints about Bytes of tool answers in lines of Line bytes.
type floodStep struct {
	Bytes size `yaml:"bytes"`
	Line  size `yaml:"line"`
}

func (s *floodStep) check() error {
	if s.Bytes <= 0 {
		return fmt.Errorf("flood needs bytes, such as 100MB")
	}
	return nil
}

func (s *floodStep) play(ctx context.Context, p *player) error {
	one := floodLine(p.out.session, int(s.Line))
	// Many short lines are written together: the flood should cost its reader,
	// not its writer.
	chunk := bytes.Repeat(one, max(1, (256<<10)/len(one)))
	for left := int64(s.Bytes); left > 0; left -= int64(len(chunk)) {
		if left < int64(len(chunk)) {
			lines := max(1, int(left)/len(one))
			chunk = chunk[:lines*len(one)]
		}
		if _, err := p.out.w.Write(chunk); err != nil || ctx.Err() != nil {
			return nil
		}
	}
	return nil
}

// floodLine returns a tool answer of n bytes, its line end included; of a few
// hundred where n is too small to hold one.
func floodLine(session string, n int) []byte {
	const head = `{"type":"user","message":{"role":"user","content":[{"type":"tool_result",` +
		`"tool_use_id":"toolu_replay_flood","content":"`
	tail := `"}]},"session_id":"` + session + `"}` + "\n"
	fill := max(0, n-len(head)-len(tail))
	return []byte(head + strings.Repeat("all work and no play ", fill/21+1)[:fill] + tail)
}

// stderrStep prints a line on standard error.
type stderrStep string

func (s *stderrStep) play(_ context.Context, p *player) error {
	_, _ = fmt.Fprintln(p.in.Stderr, string(*s))
	return nil
}
