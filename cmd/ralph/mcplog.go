package main

import (
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"

	"ralph/internal/mcpserver"
	"ralph/internal/screen"
	"ralph/internal/stream"
	"ralph/internal/terminal"
	"ralph/internal/words"
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
	r, err := p.Record()
	if err != nil {
		return mcpLogOut{}, err
	}
	out := mcpLogOut{mcpWhere: where(p, r), All: true}
	if r == nil {
		return out, fmt.Errorf("there is no run of %s yet, and no log", p.Unit)
	}
	at, err := p.Attempt(screen.Notes(a.t), r, in.Iteration)
	if at == nil || err != nil {
		return out, forClient(err)
	}
	out.Iteration, out.Harness = at.N, at.Harness
	text, all, err := logText(a.t, r.Log(at.LogFile), formatOf(a, p.Repo.Root, at.Harness))
	if err != nil {
		return out, fmt.Errorf("the log of iteration %d cannot be read: %w", at.N, err)
	}
	lines := mcpLogLines
	if in.Lines != nil {
		lines = *in.Lines
	}
	out.Log = mcpserver.LastBytes(words.LastLines(text, lines), mcpserver.MaxText)
	out.All = all && len(out.Log) >= len(text)
	return out, nil
}

// logText is the end of a log as the screen shows it. all tells whether that is
// everything.
func logText(t *terminal.Terminal, path string, format stream.Format) (text string, all bool, err error) {
	// An agent may have put a FIFO in the log's place, which would wait for a writer.
	log, err := os.OpenFile(path, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if err != nil {
		return "", false, err
	}
	defer log.Close()
	if info, err := log.Stat(); err != nil || !info.Mode().IsRegular() {
		return "", false, errors.Join(err, errors.New("it is no plain file"))
	}
	if all, err = seekEnd(log, maxLogRead); err != nil {
		return "", false, err
	}
	var out strings.Builder
	err = render(t, &out, log, format)
	return strings.TrimRight(out.String(), "\n"), all, err
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
	for at := from - 1; at < info.Size(); { // the byte before may end a line
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
