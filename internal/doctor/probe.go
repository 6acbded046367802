package doctor

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"syscall"
	"time"

	"ralph/internal/proc"
)

const (
	// probeGrace is how long a program that did not answer may take to end.
	probeGrace = time.Second
	// maxAnswer bounds what is read of a program's answer, in bytes.
	maxAnswer = 16 << 10
)

// Probe runs programs to ask them short questions. The guardian ends them and all processes
// that they start.
type Probe struct {
	Guardian *proc.Guardian
	Limit    time.Duration // for one answer
}

// answer is what a program said.
type answer struct {
	text     string // standard output and error, bounded
	exit     proc.Exit
	timedOut bool
}

// ask runs a program in dir with nothing on its standard input. The error is
// about a program that cannot be started, or ctx.
func (p *Probe) ask(ctx context.Context, dir string, env []string, argv ...string) (answer, error) {
	r, w, err := os.Pipe()
	if err != nil {
		return answer{}, fmt.Errorf("ask %s: %w", argv[0], err)
	}
	defer r.Close()
	process, err := p.Guardian.Start(proc.Command{Argv: argv, Dir: dir, Env: env, Stdout: w, Stderr: w})
	w.Close()
	if err != nil {
		return answer{}, err
	}
	text := make(chan string, 1)
	go func() {
		head, _ := io.ReadAll(io.LimitReader(r, maxAnswer))
		text <- strings.ToValidUTF8(string(head), "\ufffd")
		_, _ = io.Copy(io.Discard, r)
	}()
	var a answer
	limit := time.NewTimer(p.Limit)
	defer limit.Stop()
	select {
	case <-process.Exited():
	case <-limit.C:
		a.timedOut = true
	case <-ctx.Done():
	}
	_, err = process.End([]syscall.Signal{syscall.SIGTERM}, probeGrace)
	a.text, a.exit = <-text, process.Exit()
	return a, errors.Join(context.Cause(ctx), err)
}

// first is the first line of the answer that says something, shortened.
func (a answer) first() string {
	const longest = 200
	for line := range strings.SplitSeq(a.text, "\n") {
		if line = strings.TrimSpace(line); line != "" {
			return strings.ToValidUTF8(line[:min(len(line), longest)], "")
		}
	}
	return ""
}
