// Command sim plays simulated runs against the rules of package run: agents that work,
// lie, fail and hit limits, users who stop, pause and edit, a clock that jumps, and a
// death after any event. It checks the invariants of world.go after each event.
//
//	go run ./tests/sim [-seed N] [-iterations N] [-planted NAME]
//
// A failure names its seed; the same seed plays the same runs again.
package main

import (
	"flag"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"sync"
	"time"
)

func main() {
	seed := flag.Uint64("seed", 1, "first seed; each world has its own")
	iterations := flag.Int("iterations", 1_000_000, "number of iterations")
	planted := flag.String("planted", "", "name of a bug to plant")
	flag.Parse()
	debug.SetGCPercent(800) // worlds are small and many
	began := time.Now()
	total, worlds, err := play(*seed, *iterations, bugNamed(*planted))
	took := time.Since(began)
	fmt.Printf("%d iterations in %d worlds, %.0f a minute\n", total, worlds, float64(total)/took.Minutes())
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// play plays worlds from a seed on, as many at a time as there are processors, until so
// many iterations were played or an invariant was broken.
func play(seed uint64, iterations int, b bug) (total, worlds int, err error) {
	var mu sync.Mutex
	var players sync.WaitGroup
	for range runtime.GOMAXPROCS(0) {
		players.Go(func() {
			mu.Lock()
			defer mu.Unlock()
			for total < iterations && err == nil {
				w := newWorld(seed, b)
				seed++
				mu.Unlock()
				fault := w.play()
				mu.Lock()
				total, worlds = total+w.iterations, worlds+1
				if fault != nil && err == nil {
					err = fmt.Errorf("seed %d: %w\n%s", w.seed, fault, w.tail())
				}
			}
		})
	}
	players.Wait()
	return total, worlds, err
}
