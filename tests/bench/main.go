// Command bench measures the built ralph as its users have it, next to the least
// that the same work can cost on the same machine at the same time: a Go hello
// world, a shell loop, tee, encoding/json. It knows nothing of ralph's insides.
//
//	go run ./tests/bench [-ralph PATH] [-only WORD] [-json FILE] [-record] [-strict]
//
// It runs from the repository's root. docs/benchmarks.md explains the figures.
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
	"syscall"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	err := run(ctx)
	stop()
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1)
	}
}

// bench is what every measurement uses.
type bench struct {
	ctx   context.Context // ends with the bench; every child is tied to it
	ralph string          // the binary that is measured
	dir   string          // scratch folder, removed at the end
}

// measurement is one part of the report.
type measurement struct {
	name string
	run  func(*bench) ([]row, error)
}

var measurements = []measurement{
	{"start-up", (*bench).startUp},
	{"iteration", (*bench).iterations},
	{"stream", (*bench).streams},
	{"validate", (*bench).validates},
	{"many loops", (*bench).manyLoops},
	{"dashboard", (*bench).dashboards},
	{"signal", (*bench).signals},
	{"rooms", (*bench).rooms},
	// Last: it makes the bench itself large, and a child counts the memory of the
	// process that it was forked from.
	{"growth", (*bench).growth},
}

func run(ctx context.Context) error {
	ralph := flag.String("ralph", "bin/ralph", "the binary to measure")
	only := flag.String("only", "", "measure only parts with this in the name: `word`")
	file := flag.String("json", "", "write the report as JSON to this `file` too")
	record := flag.Bool("record", false, "keep the figures in docs/, where all was measured")
	strict := flag.Bool("strict", false, "end with status 1 when a limit is not kept")
	flag.Parse()
	if *record && *only != "" {
		return errors.New("-record keeps the whole of the figures: leave -only out")
	}
	old, err := lastRecord()
	if err != nil {
		return err
	}

	b, err := newBench(ctx, *ralph)
	if err != nil {
		return err
	}
	defer os.RemoveAll(b.dir)
	r := newReport()
	printHeader(os.Stdout, r.Machine, old)
	for _, m := range measurements {
		if !strings.Contains(m.name, *only) {
			continue
		}
		rows, err := m.run(b)
		if err != nil {
			return fmt.Errorf("%s: %w", m.name, err)
		}
		r.add(m.name, rows)
		printLine(os.Stdout, "%s", m.name)
		for _, each := range r.Rows[len(r.Rows)-len(rows):] {
			each.print(os.Stdout, old)
		}
	}
	if *file != "" {
		if err := r.write(*file); err != nil {
			return err
		}
	}
	if *record {
		if err := r.record(); err != nil {
			return err
		}
	}
	if over := r.over(); *strict && over > 0 {
		return fmt.Errorf("limits that were not kept: %d", over)
	}
	return nil
}

func newBench(ctx context.Context, ralph string) (*bench, error) {
	path, err := filepath.Abs(ralph)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) {
		return nil, fmt.Errorf("%s is not there; build it with 'make build'", ralph)
	} else if err != nil {
		return nil, err
	}
	dir, err := os.MkdirTemp("", "ralph-bench-")
	if err != nil {
		return nil, err
	}
	// git and the journal use paths without symbolic links, as /tmp is on macOS.
	dir, err = filepath.EvalSymlinks(dir)
	return &bench{ctx: ctx, ralph: path, dir: dir}, err
}

// floor builds one of the programs that ralph is compared with, with the build flags of ralph.
func (b *bench) floor(name string) (string, error) {
	to := filepath.Join(b.dir, name)
	build := b.command("go", "build", "-trimpath", "-ldflags", "-s -w", "-o", to, "./tests/bench/testdata/"+name)
	build.Stderr = os.Stderr
	if err := build.Run(); err != nil {
		return "", fmt.Errorf("the program %s cannot be built (is this the repository's root?): %w", name, err)
	}
	return to, nil
}
