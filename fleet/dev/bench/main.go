// Command bench has the built fleet work on many features of the replay agent, and
// measures what they cost: time, memory, and what the engine keeps of each.
//
//	go run ./bench [-features 1000] [-workers 3] [-slots 2] [-for 15m] [-json FILE]
//
// It runs in the module of the development server, after 'make build fleet-dev'.
// docs/fleet.md has the figures of one run.
package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"
	"time"
)

// settings are the flags.
type settings struct {
	features, workers, slots, stories int
	limit                             time.Duration
	bin, json                         string
}

func main() {
	var s settings
	flag.IntVar(&s.features, "features", 1000, "features to submit")
	flag.IntVar(&s.workers, "workers", 3, "workers")
	flag.IntVar(&s.slots, "slots", 2, "slots of each worker")
	flag.IntVar(&s.stories, "stories", 2, "stories of each feature")
	flag.DurationVar(&s.limit, "for", 0, "end after this long and report what was done; 0 waits for all")
	flag.StringVar(&s.bin, "bin", "../../bin", "folder with ralph, ralph-fleet and ralph-fleet-dev")
	flag.StringVar(&s.json, "json", "", "write the figures to this file too")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx, s)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// run sets everything up, measures, and puts everything away.
func run(ctx context.Context, s settings) (err error) {
	bin, err := filepath.Abs(s.bin)
	if err != nil {
		return err
	}
	dir, err := os.MkdirTemp("", "ralph-fleet-bench-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	remote, err := makeRemote(ctx, dir, s.features, s.stories)
	if err != nil {
		return err
	}
	l, err := start(ctx, s, bin, dir)
	if err != nil {
		return err
	}
	defer l.end()
	f, err := l.measure(ctx, s, remote)
	if err != nil {
		return err
	}
	f.print(os.Stdout)
	if s.json == "" {
		return nil
	}
	text, err := json.MarshalIndent(f, "", "  ")
	if err != nil {
		return err
	}
	return os.WriteFile(s.json, append(text, '\n'), 0o644)
}
