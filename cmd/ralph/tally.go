package main

import (
	"slices"
	"time"

	"ralph/internal/journal"
	"ralph/internal/stopwatch"
)

// tally is what a run came to, for its summary: a fold of its events. status.json
// holds what is not in it.
type tally struct {
	watch    stopwatch.Watch
	head     string // the commit that the run began on
	stories  []journal.Story
	passed   map[string]bool // in this run
	commits  int
	waited   time.Duration
	asleep   time.Duration    // outside of waits
	wait     *stopwatch.Watch // that is going on
	green    int              // checks
	red      int
	failing  []string // checks whose last result was not green
	rejected int
	why      string // the last claim was rejected
}

// Apply takes up the next event.
func (c *tally) Apply(e journal.Event) {
	switch b := e.Body.(type) {
	case journal.RunStarted:
		*c = tally{watch: stopwatch.Start(), head: b.Head, stories: slices.Clone(b.Stories), passed: map[string]bool{}}
	case journal.PlanChanged:
		c.stories = slices.Clone(b.Stories)
	case journal.IterationEnded:
		c.commits += len(b.Commits)
		c.pass(b.StoriesPassed)
	case journal.WaitStarted:
		watch := stopwatch.Start()
		c.wait = &watch
	case journal.WaitEnded, journal.RunEnded:
		if c.wait != nil {
			c.waited += c.wait.Passed().Real
			c.wait = nil
		}
	case journal.ClockJumped:
		if b.Slept && c.wait == nil {
			c.asleep += time.Duration(b.Seconds * float64(time.Second))
		}
	case journal.CheckEnded:
		c.check(b)
	case journal.ClaimRejected:
		c.rejected++
		c.why = b.Reason
	}
}

func (c *tally) pass(ids []string) {
	for i, s := range c.stories {
		if slices.Contains(ids, s.ID) {
			c.stories[i].Done, c.passed[s.ID] = true, true
		}
	}
}

func (c *tally) check(b journal.CheckEnded) {
	if b.Compares() {
		return
	}
	c.failing = slices.DeleteFunc(c.failing, func(name string) bool { return name == b.Name })
	if b.Outcome == journal.CheckPassed {
		c.green++
		return
	}
	c.red++
	c.failing = append(c.failing, b.Name)
}

// asked counts the time until a question was answered as waiting.
func (c *tally) asked(question func() bool) bool {
	watch := stopwatch.Start()
	defer func() { c.waited += watch.Passed().Real }()
	return question()
}

// worked is the time in which the run neither waited nor slept.
func (c *tally) worked() time.Duration {
	return max(0, c.watch.Passed().Real-c.waited-c.asleep)
}

// listed are the stories that are worth a line when there is room for few: those
// of this run and the next open ones, in the plan's order. left is how many more
// there are.
func (c *tally) listed(room int) (list []journal.Story, left int) {
	if len(c.stories) <= room {
		return c.stories, 0
	}
	interesting := func(s journal.Story) bool { return !s.Done || c.passed[s.ID] }
	for _, s := range c.stories {
		if interesting(s) && len(list) < room-1 {
			list = append(list, s)
		}
	}
	return list, len(c.stories) - len(list)
}
