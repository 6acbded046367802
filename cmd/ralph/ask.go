package main

import (
	"bufio"
	"context"
	"fmt"
	"strings"
	"time"
)

// ask puts a question with yes and no to the person at the terminal. No answer
// within the limit is a no: nobody is there.
func (t *terminal) ask(ctx context.Context, question string, limit time.Duration) bool {
	ctx, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	answer := make(chan string, 1)
	go func() {
		// A read of a terminal cannot be called off; this one is left behind when
		// the limit is over, and ends with the process.
		line, _ := bufio.NewReader(t.in).ReadString('\n')
		answer <- strings.ToLower(strings.TrimSpace(line))
	}()
	tick := time.NewTicker(time.Second)
	defer tick.Stop()
	until := time.Now().Add(limit)
	for {
		fmt.Fprintf(t.out, "\r\x1b[K%s [y/N] (%s) ", oneLine(question), duration(time.Until(until).Round(time.Second)))
		select {
		case a := <-answer:
			return a == "y" || a == "yes"
		case <-ctx.Done():
			fmt.Fprintln(t.out)
			return false
		case <-tick.C:
		}
	}
}
