package terminal

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"ralph/internal/stream"
	"ralph/internal/words"
)

// Ask asks the user at the terminal a yes-or-no question. No answer within the limit is a
// no.
func (t *Terminal) Ask(ctx context.Context, question string, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answer := make(chan string, 1)
	go func() {
		// A read of a terminal cannot be cancelled: after the limit this one continues
		// until the process ends.
		line, _ := bufio.NewReader(t.In).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	before := "\r\x1b[K"
	if !t.Redraws {
		tick.Stop() // asked once, without a countdown
		before = ""
	}
	until := time.Now().Add(limit)
	for {
		left := words.Duration(time.Until(until).Round(time.Second))
		fmt.Fprintf(t.Out, "%s%s [y/N] (%s) ", before, stream.OneLine(question), left)
		select {
		case a := <-answer:
			return a == "y" || a == "yes"
		case <-ctx.Done():
			fmt.Fprintln(t.Out)
			return false
		case <-tick.C:
		}
	}
}

// AskNumber asks the user for a number from 1 to most, until the user enters one or gives up.
func (t *Terminal) AskNumber(ctx context.Context, most int) (int, error) {
	in := bufio.NewReader(t.In)
	type reply struct {
		line string
		err  error
	}
	for {
		fmt.Fprintf(t.Out, "Number (1-%d): ", most)
		answer := make(chan reply, 1)
		go func() { // continues after the end of the context, as in ask
			line, err := in.ReadString('\n')
			answer <- reply{line, err}
		}()
		select {
		case <-ctx.Done():
			fmt.Fprintln(t.Out)
			return 0, context.Cause(ctx)
		case a := <-answer:
			if n, err := strconv.Atoi(strings.TrimSpace(a.line)); err == nil && n >= 1 && n <= most {
				return n, nil
			}
			if a.err != nil {
				fmt.Fprintln(t.Out)
				return 0, errors.New("nothing was chosen")
			}
		}
	}
}
