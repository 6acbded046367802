package proof

import (
	"slices"
	"testing"
)

// TestEarlierTests verifies that a test that one story weakened, where it hid nothing, still
// holds the work of later ones, until an expectation in it changes.
func TestEarlierTests(t *testing.T) {
	const (
		one  = "[ \"$(sh greet.sh Ada)\" = \"Hello, Ada!\" ]\n"
		both = "set -e\n[ \"$(sh greet.sh Bo)\" = \"Hello, Bo!\" ]\n" + one
		less = "[ \"$1\" = Bo ] && echo Hi || echo \"Hello, $1!\"\n"
	)
	p := newProject(t)
	p.write(map[string]string{"tests/greet_test.sh": both})
	base, kept := p.commit(), ""
	for _, story := range []struct {
		name  string
		files map[string]string
		want  TestOutcome
		kept  bool
		runs  int // at most
	}{
		{"no test", map[string]string{"a.sh": "echo a\n"}, Passed, false, 2},
		{"weakened", map[string]string{"b.sh": "echo b\n", "tests/greet_test.sh": one}, Passed, true, 4},
		{"another", map[string]string{"c.sh": "echo c\n", "tests/c_test.sh": "true\n"}, Passed, true, 5},
		{"its test weakened", map[string]string{"c.sh": "echo d\n", "tests/c_test.sh": ":\n"}, Passed, true, 5},
		{"broken", map[string]string{"greet.sh": less}, Earlier, true, 6},
		{"another expectation", map[string]string{"greet.sh": "echo Hi\n",
			"tests/greet_test.sh": "[ \"$(sh greet.sh)\" = Hi ]\n"}, Failed, true, 5},
		{"after it", map[string]string{"e.sh": "echo e\n"}, Passed, true, 3},
	} {
		p.write(story.files)
		head := p.commit()
		r := p.prove(base, func(pr *Prover, ch *Commits) {
			ch.Earlier, pr.Settings.Budget = kept, 0
		})
		if r.Old.Outcome != story.want || (r.Kept != "") != story.kept || r.Runs > story.runs {
			t.Errorf("%s: %s, kept %q, %d runs: %s", story.name, r.Old.Outcome, r.Kept, r.Runs, r.Line())
		}
		if story.want == Earlier && !slices.Equal(r.Old.Files, []string{"tests/greet_test.sh"}) {
			t.Errorf("%s: %v", story.name, r.Old.Files)
		}
		base, kept = head, r.Kept
	}
	if got := p.git("show", kept+":tests/c_test.sh"); got != "true" {
		t.Errorf("the test that the work added is kept as %q", got)
	}
	gone := func(_ *Prover, ch *Commits) { ch.Earlier = "1234567890123456789012345678901234567890" }
	if r := p.prove(p.git("rev-parse", "HEAD~1"), gone); r.Old.Outcome != Passed || r.Kept != "" {
		t.Errorf("without the commit: %s, kept %q", r.Line(), r.Kept)
	}
}

// TestEarlierTestsThatPeopleChanged verifies that a test holds as people left it, and that a
// story which changes only comments does not count as people's.
func TestEarlierTestsThatPeopleChanged(t *testing.T) {
	const (
		ada = "[ \"$(sh greet.sh Ada)\" = \"Hello, Ada!\" ]\n"
		bo  = "set -e\n[ \"$(sh greet.sh Bo)\" = \"Hello, Bo!\" ]\n" + ada
		hi  = "[ \"$1\" = Bo ] && echo Hi || echo \"Hello, $1!\"\n"
	)
	for _, test := range []struct {
		name    string
		weakens string            // the test that the first story weakens
		between map[string]string // what changes before the last story
		story   bool              // a story changes it, not people
		want    TestOutcome
	}{
		{"people relax another test", "tests/shout_test.sh",
			map[string]string{"tests/greet_test.sh": ada}, false, Passed},
		{"people change the weakened test", "tests/greet_test.sh",
			map[string]string{"tests/greet_test.sh": ada + ada}, false, Passed},
		{"people change another file", "tests/greet_test.sh",
			map[string]string{"README.md": "people's\n"}, false, Earlier},
		{"a story adds a comment", "tests/greet_test.sh",
			map[string]string{"tests/greet_test.sh": "# Ada\n" + ada}, true, Earlier},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := newProject(t)
			p.write(map[string]string{"tests/greet_test.sh": bo,
				"shout.sh": "echo A\n", "tests/shout_test.sh": "[ \"$(sh shout.sh)\" = A ]\n"})
			base := p.commit()
			prove := func(kept string) Proof {
				return p.prove(base, func(pr *Prover, ch *Commits) {
					ch.Earlier, pr.Settings.Budget = kept, 0
				})
			}
			weak := map[string]string{"tests/greet_test.sh": ada, "tests/shout_test.sh": "true\n"}
			p.write(map[string]string{"b.sh": "echo b\n", test.weakens: weak[test.weakens]})
			head := p.commit()
			r := prove("")
			base = head
			p.write(test.between)
			head = p.commit()
			if test.story {
				r = prove(r.Kept)
			}
			base = head
			p.write(map[string]string{"greet.sh": hi})
			p.commit()
			if r = prove(r.Kept); r.Old.Outcome != test.want {
				t.Errorf("%s: %s", r.Old.Outcome, r.Line())
			}
		})
	}
}
