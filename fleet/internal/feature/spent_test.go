package feature

import (
	"slices"
	"strings"
	"testing"
)

// Each letter is an iteration: P with progress, n without; a small letter after it is
// its error, with a number that changes, "." for none; / begins a run.
func TestSpent(t *testing.T) {
	flags := Flags{MaxIterations: 6}
	for _, test := range []struct {
		name, iterations, want string
		carried                bool
	}{
		{"begin", "/", "", false},
		{"progress", "/ P. P.", "", false},
		{"one without", "/ P. n.", "", true},
		{"the row goes on over runs", "/ n. n. / n.", "no_progress", true},
		{"progress breaks it", "/ n. n. / P. n.", "", true},
		{"errors of two runs are alike but for numbers", "/ Pa Pa Pa / Pa", "same_error", true},
		{"another error", "/ Pa Pa Pa / Pb", "", true},
		{"iterations of all runs", "/ P. P. P. / P. P. / P.", "max_iterations", false},
	} {
		t.Run(test.name, func(t *testing.T) {
			var s Spent
			for i, it := range strings.Fields(test.iterations) {
				if it == "/" {
					s.Begin(Limits{MaxIterations: 20, Stall: 3, SameError: 4})
					continue
				}
				failure := ""
				if it[1] != '.' {
					failure = "exit status " + strings.Repeat("1", i+1) + " of " + it[1:]
				}
				s.Iteration(it[0] == 'P', failure)
			}
			if reason, _ := s.Verdict(flags); reason != test.want || s.Carried() != test.carried {
				t.Errorf("Verdict = %q, Carried = %v, want %q, %v", reason, s.Carried(), test.want, test.carried)
			}
		})
	}
}

func TestBudgets(t *testing.T) {
	s := Spent{Tokens: Tokens{Input: 90, Output: 20, CacheRead: 1e6}, CostUSD: 2.5}
	for want, flags := range map[string]Flags{"": {MaxTokens: 111, MaxCost: 2.6}, "110 tokens": {MaxTokens: 110}, "$2.50 are": {MaxCost: 2.5}} {
		if _, message := s.Verdict(flags); !strings.HasPrefix(message, want) || want == "" && message != "" {
			t.Errorf("%+v: %q, want %q", flags, message, want)
		}
	}
}

func TestArgs(t *testing.T) {
	limit := 0
	flags := Flags{Text: "-x do", MaxIterations: 10, MinIterations: 2, Timeout: "5", RateLimit: &limit, StallLimit: 3, MaxTokens: 100, MaxCost: 1, ResetCircuit: true}
	always := []string{"run", "--json", "--no-interactive", "--no-archive", "--on-limit", "exit"}
	fresh := append(slices.Clone(always), "--max-iterations=10", "--min-iterations=2", "--stall-threshold=3", "--rate-limit=0", "--max-tokens=100", "--max-cost=1",
		"--timeout=5", "--reset-circuit", "--", "-x do")
	if got := flags.Args(Spent{}); !slices.Equal(got, fresh) {
		t.Errorf("at first: %q", got)
	}
	later := append(slices.Clone(always), "--max-iterations=7", "--stall-threshold=3", "--rate-limit=0", "--max-tokens=60", "--max-cost=0.75", "--timeout=5", "--", "-x do")
	spent := Spent{Runs: 1, Iterations: 3, Tokens: Tokens{Input: 30, Output: 10}, CostUSD: 0.25}
	if got := flags.Args(spent); !slices.Equal(got, later) {
		t.Errorf("later: %q", got)
	}
	spent.Row.NoProgress = 1
	if got := flags.Args(spent); !slices.Contains(got, "--max-iterations=1") {
		t.Errorf("in a row of failures: %q", got)
	}
	spent = Spent{Runs: 1, Iterations: 3, Limits: Limits{MaxIterations: 20}}
	if got := (Flags{}).Args(spent); !slices.Contains(got, "--max-iterations=17") {
		t.Errorf("with the host's own settings: %q", got)
	}
}

func TestNames(t *testing.T) {
	if a, b := ID("git@h:team/shop.git", "feature/x"), ID("git@h:team/shop", "feature/x"); a != b || !strings.HasPrefix(a, "ralph/shop-") || !strings.HasSuffix(a, "/feature/x") {
		t.Errorf("%q, %q", a, b)
	}
	if ID("git@h:team/shop", "x") == ID("git@h:other/shop", "x") || BranchWord("a/b") == BranchWord("a-b") {
		t.Error("two have the same name")
	}
	older, newer := Ordinal{Epoch: 1, Turn: 9}, Ordinal{Epoch: 2, Turn: 1}
	if !older.Before(newer) || newer.Before(older) || older.Before(older) || !newer.Before(Ordinal{Epoch: 2, Turn: 2}) {
		t.Error("ordinals are out of order")
	}
}
