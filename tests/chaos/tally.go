package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"time"
)

// kind is the promise that was broken.
type kind string

const (
	survivor   kind = "survivor"   // a process outlived its run
	corrupt    kind = "corrupt"    // a file does not parse, or contradicts the journal
	miscount   kind = "miscount"   // a call, token, iteration, commit or story is counted wrong
	unfinished kind = "unfinished" // the feature was not finished, or ralph ended in a way it should not
	hang       kind = "hang"       // ralph did not end
)

var kinds = []kind{survivor, corrupt, miscount, unfinished, hang}

// complaint is one broken promise.
type complaint struct {
	kind kind
	text string
}

// played is what one round came to.
type played struct {
	how    string        // the sort of attack
	killed bool          // ralph did not end by itself
	failed bool          // a system call failed: a derived file may be after until the next run
	swept  time.Duration // from the death of ralph to that of the last process; 0 where not measured
}

// tally sums a campaign up.
type tally struct {
	Rounds, Features, Killed int
	ways                     map[string]int
	broken                   map[kind]int
	slowest                  time.Duration
	swept                    []time.Duration
	began                    time.Time
	took                     time.Duration
}

func (t *tally) add(p played) {
	if t.ways == nil {
		t.ways = map[string]int{}
	}
	t.ways[p.how]++
	if p.killed {
		t.Killed++
	}
	if p.swept > 0 {
		t.swept = append(t.swept, p.swept)
		t.slowest = max(t.slowest, p.swept)
	}
}

func (t *tally) take(list []complaint) {
	if t.broken == nil {
		t.broken = map[kind]int{}
	}
	for _, k := range list {
		t.broken[k.kind]++
	}
}

func (t *tally) complaints() int {
	n := 0
	for _, k := range t.broken {
		n += k
	}
	return n
}

func (t *tally) ok() bool { return t.complaints() == 0 }

func (t *tally) print(w io.Writer) {
	fmt.Fprintf(w, "%d rounds on %d features in %v; ralph died in %d of them\n", t.Rounds, t.Features, t.took.Round(time.Second), t.Killed)
	for _, name := range slices.Sorted(maps.Keys(t.ways)) {
		fmt.Fprintf(w, "  %6d  %s\n", t.ways[name], name)
	}
	if n := len(t.swept); n > 0 {
		slices.Sort(t.swept)
		fmt.Fprintf(w, "from kill -9 of ralph to everything dead: median %v, 99%% %v, longest %v (%d measured)\n",
			t.swept[n/2].Round(time.Millisecond), t.swept[n*99/100].Round(time.Millisecond), t.slowest.Round(time.Millisecond), n)
	}
	for _, k := range kinds {
		fmt.Fprintf(w, "%-10s %d\n", k, t.broken[k])
	}
}
