package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"time"

	"golang.org/x/sys/unix"
	"golang.org/x/term"

	"ralph/internal/handover"
	"ralph/internal/hint"
	"ralph/internal/tmux"
)

// handoverArgv starts this program as the receiver of what was sent.
func handoverArgv(s *handover.Sender) ([]string, error) {
	exe, err := os.Executable()
	if err != nil {
		return nil, fmt.Errorf("ralph cannot find its own program: %w", err)
	}
	return []string{exe, handoverWord, s.Path()}, nil
}

// takeOver is the main function of a ralph that tmux or a terminal started for
// another one: args is the file with what there is to do.
func takeOver(args []string) int {
	if len(args) != 1 {
		return exitUsage
	}
	parcel, line, err := handover.Take(args[0])
	if err != nil {
		fmt.Fprintf(os.Stderr, "ralph: %v\n", err)
		return 1
	}
	defer line.Close()
	code := 1
	if err = parcel.Apply(); err != nil {
		fmt.Fprintf(os.Stderr, "ralph: %v\n", err)
	} else {
		code, err = command(parcel.Args, true)
	}
	line.Result(reportOf(code, err))
	if parcel.Hold {
		hold(code)
		closePanes()
	}
	return code
}

// reportOf returns the report about the end of a command for the process that handed it
// over. An error with only a status was explained before, or in the journal.
func reportOf(code int, err error) handover.Report {
	r := handover.Report{Exit: code}
	var exit exitError
	var hinted *hint.Error
	if err == nil || errors.As(err, &exit) {
		return r
	}
	r.Message = err.Error()
	if errors.As(err, &hinted) {
		r.Hint = hinted.Hint
	}
	return r
}

// hold keeps the terminal open until a key is pressed, so that the last lines
// can be read.
func hold(code int) {
	fd := int(os.Stdin.Fd())
	was, err := term.MakeRaw(fd)
	if err != nil {
		return // no one can press a key
	}
	defer term.Restore(fd, was)
	forget(fd)
	fmt.Printf("\r\nPress any key to close (exit status %d).", code)
	_, _ = os.Stdin.Read(make([]byte, 1))
}

// forget drops input that was typed before the question.
func forget(fd int) {
	buf := make([]byte, 256)
	for {
		ready, err := unix.Poll([]unix.PollFd{{Fd: int32(fd), Events: unix.POLLIN}}, 0)
		if err != nil || ready < 1 {
			return
		}
		if n, err := unix.Read(fd, buf); err != nil || n < 1 {
			return
		}
	}
}

// closePanes closes the pane of this process and the other pane of its window.
func closePanes() {
	ctx, cancel := context.WithTimeout(context.Background(), 5*time.Second)
	defer cancel()
	pane := os.Getenv("TMUX_PANE")
	if pane == "" {
		return
	}
	if c, err := tmux.Find(ctx, os.Environ()); err == nil {
		_ = c.Close(ctx, pane, pane) // this process ends with its pane, in any case
	}
}
