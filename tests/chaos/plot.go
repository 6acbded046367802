package main

import (
	"fmt"
	"strings"
)

// plot is what the agent of a feature does: one story per turn.
type plot struct {
	name  string
	steps string // of each turn, before the work itself; indented as YAML steps
	first string // steps of the first attempt of iteration 1, in place of the work
	check bool   // with a quality check
}

// stories are the plots that are under attack. Every agent first writes down that
// it was called, in a file that ralph knows nothing of.
var stories = []plot{
	{name: "plain"},
	{name: "children", steps: `
      - spawn: {argv: [sleep, "600"]}
      - spawn: {argv: [sleep, "600"], setsid: true}
      - spawn: {argv: [sleep, "600"], setsid: true, double_fork: true}
      - spawn: {argv: [sh, -c, "trap '' INT TERM HUP; sleep 600 & wait"], setsid: true, hold_stdout: true}`},
	{name: "forgetful children", steps: `
      - spawn: {argv: [env, -i, sleep, "600"], setsid: true, double_fork: true}
      - spawn: {argv: [env, -i, PATH=/bin:/usr/bin, sh, -c, "trap '' TERM; sleep 600 & sleep 600 & wait"], setsid: true, hold_stdout: true}`},
	{name: "half-written plan", steps: `
      - run: [sh, -c, "f=.ralph/feature-x/prd.json; cp $f ../whole; head -c 90 ../whole > $f; sleep 0.02; cp ../whole $f; f=.ralph/feature-x/progress.txt; cp $f ../whole; : > $f; sleep 0.01; cp ../whole $f"]`},
	{name: "greedy", steps: `
      - run: [sh, -c, "f=.ralph/feature-x/spec.md; cp $f ../whole; echo more >> $f; rm -f .ralph/feature-x/progress.txt"]`},
	{name: "overloaded at first", first: `
      - run: [sh, -c, "head -c 50 .ralph/feature-x/prd.json > ../cut; cp ../cut .ralph/feature-x/prd.json"]
      - overloaded: true`},
	{name: "checked", check: true, steps: `
      - spawn: {argv: [sleep, "600"], setsid: true}`},
	{name: "comet", steps: `
      - ` + comet},
}

// The figures that each call of the agent reports.
const (
	callInput  = 1000
	callOutput = 10
)

// called writes down that the agent was called.
const called = `
      - run: [sh, -c, 'echo "$RALPH_RUN_TOKEN $RALPH_ITERATION $RALPH_ATTEMPT" >> ../calls']`

// script is the replay script of the plot.
func (p plot) script() string {
	var b strings.Builder
	b.WriteString("turns:\n")
	if p.first != "" {
		fmt.Fprintf(&b, "  - iteration: 1\n    attempt: 1\n    steps:%s%s\n", called, p.first)
	}
	for i := 1; i <= storyCount; i++ {
		// An agent clears away the locks that a git before it has left.
		fmt.Fprintf(&b, `  - story: %[1]s
    steps:%[2]s%[3]s
      - append: {path: %[1]s.txt, content: "work\n"}
      - run: [sh, -c, "rm -f .git/*.lock .git/refs/heads/feature/*.lock; git add -A && git commit -q -m 'feat: %[1]s'"]
      - progress: {story: %[1]s, files: [%[1]s.txt]}
      - tick: %[1]s
      - tokens: {input: %[4]d, output: %[5]d}
      - cost: 0.01
      - say: "%[1]s is done"
`, storyID(i), called, p.steps, callInput, callOutput)
	}
	return b.String()
}

// storyCount is how many stories a feature has.
const storyCount = 3

func storyID(i int) string { return fmt.Sprintf("STORY-%03d", i) }
