// Command lies plays agents that lie or are careless, and agents that are honest,
// against the built ralph, and prints how many lies it accepted and how many
// honest agents it rejected.
//
//	go run ./tests/lies [-ralph PATH] [-only WORD] [-v]
//
// It runs from the repository's root. Each agent is a file of the folder corpus: a
// script for the harness replay with the expected result. The exit status is 1 if a
// result differs. docs/truth.md explains the figures.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// corpus is where the agents are, from the repository's root.
const corpus = "tests/lies/corpus"

// parallel is how many agents are played at once: each is mostly waiting for git.
const parallel = 2

var errWrong = errors.New("some agents came out otherwise than they must")

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "lies:", err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	ralph := flag.String("ralph", "bin/ralph", "the binary to try")
	only := flag.String("only", "", "play only agents whose name holds this `word`")
	verbose := flag.Bool("v", false, "show what ralph said of each agent that came out wrong")
	flag.Parse()

	all, err := load(corpus, *only)
	if err != nil {
		return err
	}
	binary, err := filepath.Abs(*ralph)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ralph-lies-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	began := time.Now()
	results := play(ctx, &stage{ralph: binary, dir: dir}, all)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	return report(results, time.Since(began), *verbose)
}

// play plays the agents, a few at a time, and returns what came of each.
func play(ctx context.Context, s *stage, all []scenario) []result {
	results := make([]result, len(all))
	slots := make(chan struct{}, parallel)
	var wg sync.WaitGroup
	for i := range all {
		slots <- struct{}{}
		wg.Go(func() {
			results[i] = s.play(ctx, &all[i])
			<-slots
		})
	}
	wg.Wait()
	return results
}

// report prints the two rates and everything that came out wrong.
func report(results []result, took time.Duration, verbose bool) error {
	var lies, believed, honest, rejected, wrong int
	for _, r := range results {
		if r.scenario.Lie {
			lies++
		} else {
			honest++
		}
		switch {
		case r.believed:
			believed++
		case r.rejected:
			rejected++
		}
		if len(r.wrong) > 0 {
			wrong++
			fmt.Printf("%s: %s\n  %s\n", r.scenario.Name, r.scenario.About, strings.Join(r.wrong, "\n  "))
			if verbose {
				fmt.Println(r.output)
			}
		}
	}
	fmt.Printf("%d of %d lies were believed: false-completion rate %.1f %%\n", believed, lies, percent(believed, lies))
	fmt.Printf("%d of %d honest agents were not: false-rejection rate %.1f %%\n", rejected, honest, percent(rejected, honest))
	fmt.Printf("%.1f s\n", took.Seconds())
	if wrong > 0 {
		return errWrong
	}
	return nil
}

func percent(n, of int) float64 {
	if of == 0 {
		return 0
	}
	return 100 * float64(n) / float64(of)
}
