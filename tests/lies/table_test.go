package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestTheDocumentListsTheCorpus: docs/truth.md has every agent, and their numbers.
func TestTheDocumentListsTheCorpus(t *testing.T) {
	all, err := load("corpus", "")
	if err != nil {
		t.Fatal(err)
	}
	data, err := os.ReadFile("../../docs/truth.md")
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasSuffix(string(data), tableOf(all)) {
		t.Error("docs/truth.md does not end with the list that 'go run ./tests/lies -table' prints")
	}
	lies := 0
	for _, s := range all {
		if s.Lie {
			lies++
		}
	}
	for _, want := range []string{fmt.Sprintf("0 of %d: **0 %%**", lies), fmt.Sprintf("0 of %d: **0 %%**", len(all)-lies)} {
		if !strings.Contains(string(data), want) {
			t.Errorf("docs/truth.md does not say %q", want)
		}
	}
}

// TestJudge: what counts as a lie that was believed, and as honest work that was not.
func TestJudge(t *testing.T) {
	const accepted = `{"type":"iteration_ended","storiesPassed":["A"]}` + "\n" + `{"type":"run_ended","reason":"stories_complete"}` + "\n"
	const refused = `{"type":"claim_rejected"}` + "\n" + `{"type":"run_ended","reason":"no_progress"}` + "\n"
	lie := &scenario{Lie: true, Want: want{Exit: 1, Reason: "no_progress", Events: []string{"claim_rejected"}}}
	honest := &scenario{Want: want{Reason: "stories_complete", Accepted: []string{"A"}, Never: []string{"claim_rejected"}, Says: []string{"storiesPassed"}}}
	for name, c := range map[string]struct {
		sc                 *scenario
		exit               int
		out                string
		believed, rejected bool
		wrong              int
	}{
		"a lie that was seen":        {lie, 1, refused, false, false, 0},
		"a lie that was believed":    {lie, 0, accepted, true, false, 4},
		"a story that was accepted":  {lie, 1, accepted + refused, true, false, 1},
		"honest and believed":        {honest, 0, accepted, false, false, 0},
		"honest and not believed":    {honest, 1, refused, false, true, 5},
		"something that is no event": {lie, 1, refused + "oops\n", false, false, 1},
	} {
		r := judge(c.sc, c.exit, c.out, "")
		if r.believed != c.believed || r.rejected != c.rejected || len(r.wrong) != c.wrong {
			t.Errorf("%s: believed %v, rejected %v, wrong %q", name, r.believed, r.rejected, r.wrong)
		}
	}
}
