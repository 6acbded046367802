// Command chaos kills the built ralph in every way it can, starts it again, and checks what ralph
// promises: everything dead, every file whole, every call counted once, the feature finished in
// the end. It does not import ralph's packages.
//
//	go run ./tests/chaos [-ralph PATH] [-rounds N] [-for TIME] [-seed N] [-workers N] [-plot NAME]
//
// It runs from the repository's root. A round is one start of 'ralph run' that is
// attacked; docs/reliability.md explains the attacks, the checks and the figures.
package main

import (
	"context"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"syscall"
	"time"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM, syscall.SIGHUP)
	ok, err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "chaos:", err)
	}
	if err != nil || !ok {
		os.Exit(1)
	}
}

// run is the whole program; false says that ralph broke a promise.
func run(ctx context.Context) (bool, error) {
	ralph := flag.String("ralph", "bin/ralph", "the binary to attack")
	rounds := flag.Int("rounds", 500, "end after so many rounds")
	limit := flag.Duration("for", 0, "end after this time, if that comes first; 0 is no limit")
	seed := flag.Uint64("seed", 0, "play these attacks; 0 takes a new seed")
	workers := flag.Int("workers", runtime.NumCPU(), "features under attack at the same time")
	dead := flag.Duration("dead", 2*time.Second, "how long something may live after kill -9 of ralph")
	only := flag.String("plot", "", "play features of this plot alone, such as comet")
	keep := flag.Bool("keep", false, "keep the scratch folders of features that went well, too")
	flag.Parse()
	if *seed == 0 {
		*seed = rand.Uint64N(1<<32) + 1
	}
	plots := slices.DeleteFunc(slices.Clone(stories), func(p plot) bool { return *only != "" && p.name != *only })
	if len(plots) == 0 {
		return false, fmt.Errorf("there is no plot %q", *only)
	}
	binary, err := filepath.Abs(*ralph)
	if err != nil {
		return false, err
	}
	dir, err := os.MkdirTemp("", "ralph-chaos-")
	if err != nil {
		return false, err
	}
	if !*keep {
		defer os.Remove(dir) // where something is left in it, it stays
	}
	fmt.Printf("seed %d, %d rounds, %d workers, in %s\n", *seed, *rounds, *workers, dir)
	c := &campaign{ralph: binary, dir: dir, seed: *seed, rounds: *rounds, workers: *workers, dead: *dead, plots: plots, keep: *keep,
		progress: os.Stderr, faults: canInject()}
	if *limit > 0 {
		c.until = time.Now().Add(*limit)
	}
	t, err := c.run(ctx)
	t.print(os.Stdout)
	return t.ok(), err
}
