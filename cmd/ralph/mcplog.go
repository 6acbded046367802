package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
)

// maxLogRead is how much of a log is looked at, from its end.
const maxLogRead = 8 << 20

// mcpLogLines is how many lines a client gets that does not say how many it wants.
const mcpLogLines = 200

type mcpLogIn struct {
	mcpUnit
	Iteration int  `json:"iteration,omitempty" jsonschema:"the iteration of the last run; default: its last one"`
	Lines     *int `json:"lines,omitempty" jsonschema:"only the last so many lines, default 200; an answer never has more than 64 KB"`
}

type mcpLogOut struct {
	mcpWhere
	Iteration int    `json:"iteration" jsonschema:"0 where the run has not called an agent"`
	Harness   string `json:"harness"`
	Log       string `json:"log"`
	All       bool   `json:"all" jsonschema:"false where the beginning of the log was left out"`
}

func mcpLog(a *app, in mcpLogIn) (mcpLogOut, error) {
	if in.Iteration < 0 {
		return mcpLogOut{}, errors.New("the argument iteration is less than 1")
	}
	if in.Lines != nil && *in.Lines < 0 {
		return mcpLogOut{}, errors.New("the argument lines is less than 0")
	}
	p, err := in.find(a)
	if err != nil {
		return mcpLogOut{}, err
	}
	r, err := p.record()
	if err != nil {
		return mcpLogOut{}, err
	}
	out := mcpLogOut{mcpWhere: where(p, r), All: true}
	if r == nil {
		return out, fmt.Errorf("there is no run of %s yet, and no log", p.unit)
	}
	at, err := p.attempt(a.t, r, in.Iteration)
	if at == nil || err != nil {
		return out, err
	}
	out.Iteration, out.Harness = at.N, at.Harness
	log, err := os.Open(r.log(at.LogFile))
	if err != nil {
		return out, fmt.Errorf("the log of iteration %d cannot be read: %w", at.N, err)
	}
	defer log.Close()
	if out.All, err = seekEnd(log, maxLogRead); err != nil {
		return out, fmt.Errorf("the log of iteration %d cannot be read: %w", at.N, err)
	}
	var text strings.Builder
	if err := render(a.t, &text, log, formatOf(a, p.repo.Root, at.Harness)); err != nil {
		return out, err
	}
	lines := mcpLogLines
	if in.Lines != nil {
		lines = *in.Lines
	}
	out.Log = lastBytes(lastLines(text.String(), lines), maxText)
	out.All = out.All && len(out.Log) >= len(strings.TrimRight(text.String(), "\n"))
	return out, nil
}

// seekEnd goes to the first line that begins within the last so many bytes of a
// file. all tells whether that is its beginning.
func seekEnd(f *os.File, most int64) (all bool, err error) {
	info, err := f.Stat()
	if err != nil || info.Size() <= most {
		return true, err
	}
	from := info.Size() - most
	buf := make([]byte, 64<<10)
	for at := from; at < info.Size(); {
		n, err := f.ReadAt(buf, at)
		if n == 0 {
			if errors.Is(err, io.EOF) {
				break
			}
			return false, err
		}
		if i := strings.IndexByte(string(buf[:n]), '\n'); i >= 0 {
			from = at + int64(i) + 1
			break
		}
		at += int64(n)
	}
	_, err = f.Seek(from, io.SeekStart)
	return false, err
}
