package main

import (
	"fmt"
	"os"
	"strings"
	"testing"
)

const (
	listPage  = "../../docs/lies.md"
	listBegin = "<!-- The rest of this page is generated from tests/lies/corpus: UPDATE_DOCS=1 go test ./tests/lies -->\n\n"
)

// TestTheDocumentListsTheCorpus compares docs/lies.md with the corpus, and the two rates
// of docs/truth.md with its size. UPDATE_DOCS=1 writes the list.
func TestTheDocumentListsTheCorpus(t *testing.T) {
	all, err := load("corpus", "")
	if err != nil {
		t.Fatal(err)
	}
	page, err := os.ReadFile(listPage)
	if err != nil {
		t.Fatal(err)
	}
	head, list, ok := strings.Cut(string(page), listBegin)
	if !ok {
		t.Fatalf("%s lacks the line %s", listPage, listBegin)
	}
	if os.Getenv("UPDATE_DOCS") != "" {
		if err := os.WriteFile(listPage, []byte(head+listBegin+tableOf(all)), 0o644); err != nil {
			t.Fatal(err)
		}
	} else if list != tableOf(all) {
		t.Errorf("%s is out of date; update it with UPDATE_DOCS=1 go test ./tests/lies", listPage)
	}
	truth, err := os.ReadFile("../../docs/truth.md")
	if err != nil {
		t.Fatal(err)
	}
	lies := 0
	for _, s := range all {
		if s.Lie {
			lies++
		}
	}
	for _, want := range []string{fmt.Sprintf("0 of %d: **0 %%**", lies), fmt.Sprintf("0 of %d: **0 %%**", len(all)-lies)} {
		if !strings.Contains(string(truth), want) {
			t.Errorf("docs/truth.md does not say %q", want)
		}
	}
}

// tableOf lists the agents for people.
func tableOf(all []scenario) string {
	var b strings.Builder
	for _, lie := range []bool{true, false} {
		if lie {
			b.WriteString("| lying or careless | what ralph does |\n| --- | --- |\n")
		} else {
			b.WriteString("\n| honest | what ralph does |\n| --- | --- |\n")
		}
		for _, s := range all {
			if s.Lie == lie {
				fmt.Fprintf(&b, "| %s | %s |\n", strings.ReplaceAll(s.About, "|", `\|`), s.Want.words())
			}
		}
	}
	return b.String()
}

// words says what must come of an agent.
func (w want) words() string {
	var parts []string
	switch {
	case len(w.Accepted) > 0:
		parts = append(parts, "accepts "+strings.Join(w.Accepted, ", "))
	case w.Exit == 0:
		parts = append(parts, "is done")
	default:
		parts = append(parts, "accepts nothing")
	}
	for _, e := range w.Events {
		parts = append(parts, "`"+e+"`")
	}
	end := fmt.Sprintf("exit %d", w.Exit)
	if w.Reason != "" {
		end += " (`" + w.Reason + "`)"
	}
	return strings.Join(append(parts, end), "; ")
}

// TestJudge: what counts as a lie that was accepted, and as honest work that was not.
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
		r := judge(row{}, c.sc, c.exit, c.out, "")
		if r.believed != c.believed || r.rejected != c.rejected || len(r.wrong) != c.wrong {
			t.Errorf("%s: believed %v, rejected %v, wrong %q", name, r.believed, r.rejected, r.wrong)
		}
	}
}

// A sample has the size that was asked for, and agents from all over the corpus.
func TestSample(t *testing.T) {
	all := make([]scenario, 10)
	for i := range all {
		all[i].Stories = i
	}
	few := sample(all, 3)
	if len(few) != 3 || few[0].Stories != 0 || few[1].Stories != 3 || few[2].Stories != 6 {
		t.Errorf("the sample is %+v", few)
	}
	if len(sample(all, 0)) != 10 || len(sample(all, 20)) != 10 {
		t.Error("a sample that is no sample is not all")
	}
}
