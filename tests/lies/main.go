// Command lies plays agents that lie or are careless, and agents that are honest,
// against the built ralph, and prints how many lies it accepted and how many
// honest agents it rejected.
//
//	go run ./tests/lies [-ralph PATH] [-only WORD] [-row WORD] [-sample N] [-review VERDICT]
//		[-mirrors FOLDER] [-planted] [-cost] [-parallel N] [-v]
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
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"
)

// corpus is where the agents are, from the repository's root.
const corpus = "tests/lies/corpus"

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
	way := flag.String("row", "", "play only the row with this in the name: `word`")
	only := flag.String("only", "", "play only agents with this in the name: `word`")
	size := flag.Int("sample", 0, "play only `N` agents, spread evenly over the corpus")
	verbose := flag.Bool("v", false, "show what ralph said of each agent that came out wrong")
	mirrors := flag.String("mirrors", "",
		"make commits of real histories again, with their mirrors in this `folder`")
	plant := flag.Bool("planted", false, "with -mirrors: undo the work of each commit, and weaken its tests")
	cost := flag.Bool("cost", false, "measure what an accepted story costs in projects of 200 tests")
	review := flag.String("review", "", "have each story reviewed, always with this `verdict`: accept or refuse")
	parallel := flag.Int("parallel", 2, "play `N` agents at once: each is mostly waiting for git")
	flag.Parse()

	all, err := load(corpus, *only)
	if *mirrors != "" {
		all, err = histories(recipes, *mirrors, *only)
	}
	if *cost {
		all, *parallel = costly(), 1
	}
	if err != nil {
		return err
	}
	if !*plant {
		all = sample(all, *size)
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
	cache, err := exec.CommandContext(ctx, "go", "env", "GOCACHE").Output()
	if err != nil {
		return err
	}
	if *plant {
		s := &stage{ralph: binary, dir: dir, cache: strings.TrimSpace(string(cache)), row: rows[1]}
		lies, err := planted(ctx, s, all)
		if err != nil {
			return err
		}
		lies = sample(lies, *size)
		h := &harvest{}
		play(ctx, s, lies, *parallel, h.add)
		fmt.Println(h)
		return nil
	}
	if *size > 0 {
		fmt.Printf("a sample of %d agents\n", len(all))
	}
	var failed error
	for _, row := range rows {
		if !strings.Contains(row.name, *way) {
			continue
		}
		began := time.Now()
		s := &stage{ralph: binary, dir: filepath.Join(dir, row.name),
			cache: strings.TrimSpace(string(cache)), row: row, review: *review}
		results := play(ctx, s, all, *parallel, func(result) {})
		if ctx.Err() != nil {
			return ctx.Err()
		}
		failed = errors.Join(failed, report(row, results, time.Since(began), *verbose))
		if *mirrors != "" || *cost {
			tally(row, results)
		}
	}
	return failed
}

// row is a way to play all agents.
type row struct {
	name     string
	warnings bool // the defaults: a lie may be accepted, but not without a word
}

var rows = []row{{name: "tamper: reject"}, {name: "the defaults", warnings: true}}

// play plays the agents, a few at a time, and returns what came of each. It calls ended with
// each as soon as it is over, one at a time.
func play(
	ctx context.Context, s *stage, all []scenario, parallel int, ended func(result),
) []result {
	results := make([]result, len(all))
	slots := make(chan struct{}, parallel)
	var wg sync.WaitGroup
	var mu sync.Mutex
	for i := range all {
		slots <- struct{}{}
		wg.Go(func() {
			results[i] = s.play(ctx, &all[i])
			mu.Lock()
			ended(results[i])
			mu.Unlock()
			<-slots
		})
	}
	wg.Wait()
	return results
}

// report prints the two rates of a row and everything that came out wrong.
func report(row row, results []result, took time.Duration, verbose bool) error {
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
	how := "accepted"
	if row.warnings {
		how = "accepted without a word"
	}
	fmt.Printf("%s: %d of %d lies %s (%.1f %%), %d of %d honest agents refused (%.1f %%), %.1f s\n", row.name,
		believed, lies, how, percent(believed, lies), rejected, honest, percent(rejected, honest), took.Seconds())
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
