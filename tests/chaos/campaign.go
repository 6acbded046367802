package main

import (
	"context"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"path/filepath"
	"sync"
	"time"
)

// campaign is a series of attacks on many features.
type campaign struct {
	ralph    string // the binary
	dir      string // holds the scratch folders
	seed     uint64
	rounds   int       // to play in all
	until    time.Time // begin no feature after; zero is no limit
	workers  int
	dead     time.Duration // how long something may live after kill -9 of ralph
	plots    []plot
	keep     bool // keep what went well
	faults   bool // inject faults at system calls
	progress io.Writer

	mu   sync.Mutex
	next int // number of the next feature
	all  tally
}

// maxRounds is how often one feature is attacked before it may finish in peace.
const maxRounds = 14

// run plays all rounds and returns what came of them.
func (c *campaign) run(ctx context.Context) (*tally, error) {
	c.all.began = time.Now()
	master, err := newTemplate(ctx, c.ralph, filepath.Join(c.dir, "template"))
	if err != nil {
		return &c.all, err
	}
	defer os.RemoveAll(filepath.Dir(master))
	var wg sync.WaitGroup
	var mu sync.Mutex
	var failed error
	for range c.workers {
		wg.Go(func() {
			for ctx.Err() == nil {
				n, ok := c.take()
				if !ok {
					return
				}
				if err := c.feature(ctx, master, n); err != nil {
					mu.Lock()
					failed = err
					mu.Unlock()
					return
				}
			}
		})
	}
	wg.Wait()
	c.all.took = time.Since(c.all.began)
	if failed == nil {
		failed = ctx.Err()
	}
	return &c.all, failed
}

// take is the number of the next feature, false where there is enough.
func (c *campaign) take() (int, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.all.Rounds >= c.rounds || !c.until.IsZero() && time.Now().After(c.until) {
		return 0, false
	}
	c.next++
	return c.next, true
}

// feature attacks one feature until it is done. Its choices follow from the seed
// and its number alone.
func (c *campaign) feature(ctx context.Context, master string, n int) error {
	rng := rand.New(rand.NewPCG(c.seed, uint64(n)))
	dir := filepath.Join(c.dir, fmt.Sprintf("f%06d", n))
	s, err := newScratch(c.ralph, master, dir, c.plots[rng.IntN(len(c.plots))])
	if err != nil {
		return err
	}
	s.archive, s.dead = rng.IntN(4) == 0, c.dead
	for range maxRounds {
		if ctx.Err() != nil || s.finished() || len(s.complaints) > 0 {
			break
		}
		s.round(ctx, newAttack(rng, c.faults))
		c.count(s)
	}
	if ctx.Err() == nil && len(s.complaints) == 0 {
		s.finish(ctx)
	}
	s.clean()
	c.settle(s, n)
	if len(s.complaints) == 0 && !c.keep {
		return os.RemoveAll(dir)
	}
	return nil
}

// count adds a round to the tally.
func (c *campaign) count(s *scratch) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all.Rounds++
	c.all.add(s.last)
	if c.all.Rounds%500 == 0 {
		fmt.Fprintf(c.progress, "%d rounds, %d complaints, %v\n", c.all.Rounds, c.all.complaints(), time.Since(c.all.began).Round(time.Second))
	}
}

// settle adds a feature to the tally, and reports faults at once.
func (c *campaign) settle(s *scratch, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.all.Features++
	c.all.take(s.complaints)
	if len(s.complaints) == 0 {
		return
	}
	fmt.Fprintf(c.progress, "\nfeature %d of seed %d (%s), left in %s\n", n, c.seed, s.plot.name, s.dir)
	for i, a := range s.attacks {
		fmt.Fprintf(c.progress, "  round %d: %s\n", i+1, a)
	}
	for _, k := range s.complaints {
		fmt.Fprintf(c.progress, "  %s: %s\n", k.kind, k.text)
	}
}
